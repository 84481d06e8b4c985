"""The append-only record of attempts at calls of models: usage, cost, and every reply received."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections import defaultdict
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select

from service.db._base import now_ms
from service.db._many import among, insert_rows, update_rows
from service.db._tables import AttemptRow
from service.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

    from service.db._engine import Database

__all__ = ["IN_FLIGHT", "AttemptEnd", "AttemptRecorder", "AttemptStart", "Spending", "spending"]

IN_FLIGHT = "in_flight"
"""The status of an attempt that has not ended; for good, when its process died."""


@dataclass(frozen=True, slots=True)
class AttemptStart:
    """What is known before the call.

    Attributes:
        purpose: Whom the call serves: participant, judge, refine and so on.
        subject: What it is about, such as a submission's id.
        model: The name in the models file.
        request_digest: SHA-256 of the whole request without secrets.
        number: Which attempt at this request, from 1.
    """

    purpose: str
    subject: str
    model: str
    request_digest: str
    number: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request about something, by which its reply is found again."""

    purpose: str
    subject: str
    request_digest: str


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """What is known after it. Tokens and cost are None where the provider did not say, never 0.

    Attributes:
        cost_nano: In billionths of ``currency``.
        reply: The reply as received.
    """

    status: str
    milliseconds: int
    http_status: int | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_nano: int | None = None
    currency: str | None = None
    reply: str | None = None
    error: str | None = None


_END_FIELDS = tuple(column.name for column in fields(AttemptEnd))
_TABLE = AttemptRow.__table__
_LONGEST = {"purpose": 32, "subject": 300, "model": 200}


@dataclass(frozen=True, slots=True)
class Spending:
    """Sums over attempts of one purpose, model and currency.

    Attributes:
        in_flight: Attempts without an end: under way, or lost with their process and perhaps paid for.
        unpriced: Ended attempts with a reply but without a known cost.
    """

    purpose: str
    model: str
    currency: str | None
    attempts: int
    in_flight: int
    unpriced: int
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost_nano: int


class AttemptRecorder:
    """Writes attempts; several that wait at the same time share one commit.

    ``started`` and ``ended`` return when their row is safely on disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._starts: list[tuple[dict[str, Any], asyncio.Future[None]]] = []
        self._ends: list[tuple[dict[str, Any], asyncio.Future[None]]] = []
        self._flusher: asyncio.Task[None] | None = None
        self._lookups: list[tuple[_Asked, asyncio.Future[AttemptEnd | None]]] = []
        self._reader: asyncio.Task[None] | None = None

    async def started(self, start: AttemptStart) -> str:
        """Record that an attempt begins, and return its id.

        Raises:
            InputError: A name is longer than its column: it would take those written with it down.
        """
        for name, longest in _LONGEST.items():
            if len(getattr(start, name)) > longest:
                raise InputError(
                    f"{name} {getattr(start, name)[:60]!r}… of an attempt is longer than {longest} characters"
                )
        attempt_id = uuid.uuid4().hex
        await self._queued(self._starts, {"id": attempt_id, **_facts(start)})
        return attempt_id

    async def ended(self, attempt_id: str, end: AttemptEnd) -> None:
        """Complete an attempt; a second end of the same attempt changes nothing."""
        await self._queued(self._ends, {"id": attempt_id, **_facts(end)})

    async def kept(self, request_digest: str, *, purpose: str, subject: str) -> AttemptEnd | None:
        """Return the newest attempt that brought a reply to the same request about the same thing, or None."""
        done: asyncio.Future[AttemptEnd | None] = asyncio.get_running_loop().create_future()
        self._lookups.append((_Asked(purpose, subject, request_digest), done))
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._look_up())
        return await done

    async def _look_up(self) -> None:
        """Answer all that ask at the same time by one query; a judge's worker asks for a whole batch at once."""
        while self._lookups:
            lookups, self._lookups = self._lookups, []
            try:
                async with self._database.read() as session:
                    found = await _kept_replies(session, [asked for asked, _ in lookups])
            except BaseException as error:
                _fail([done for _, done in lookups], error)
                if not isinstance(error, Exception):
                    raise
            else:
                for asked, done in lookups:
                    if not done.done():
                        done.set_result(found.get(asked))

    async def _queued(self, queue: list[tuple[dict[str, Any], asyncio.Future[None]]], values: dict[str, Any]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append((values, done))
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush())
        # A caller that is cancelled leaves its row in the queue: it is written all the same.
        await asyncio.shield(done)

    async def _flush(self) -> None:
        while self._starts or self._ends:
            starts, self._starts = self._starts, []
            ends, self._ends = self._ends, []
            waiting = [done for _, done in starts + ends]
            try:
                async with self._database.write_rows() as connection:
                    await _write(connection, [row for row, _ in starts], [row for row, _ in ends])
            except BaseException as error:
                _fail(waiting, error)
                if not isinstance(error, Exception):
                    raise
            else:
                for done in waiting:
                    if not done.done():
                        done.set_result(None)

    async def close(self) -> None:
        """Wait until all that was queued is written."""
        if self._reader is not None:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader
        if self._flusher is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._flusher


def _facts(one: AttemptStart | AttemptEnd) -> dict[str, Any]:
    return {column.name: getattr(one, column.name) for column in fields(one)}


def _fail(waiting: Sequence[asyncio.Future[Any]], error: BaseException) -> None:
    for done in waiting:
        if not done.done():
            done.set_exception(error)
            # Whoever was cancelled meanwhile asks for no result; that is no lost error.
            done.exception()


async def _write(connection: AsyncConnection, starts: list[dict[str, Any]], ends: list[dict[str, Any]]) -> None:
    await insert_rows(connection, AttemptRow, starts, also={"started_at": now_ms(), "status": IN_FLIGHT})
    await update_rows(connection, AttemptRow, ends, where=_TABLE.c.status == IN_FLIGHT)


async def _kept_replies(session: AsyncSession, wanted: Sequence[_Asked]) -> dict[_Asked, AttemptEnd]:
    """Return the newest attempt that brought a reply, of each request that has one."""
    subjects: dict[str, set[str]] = defaultdict(set)
    for one in wanted:
        subjects[one.purpose].add(one.subject)
    looked_for, found = set(wanted), {}
    for purpose, names in subjects.items():
        rows = await session.execute(
            select(AttemptRow.subject, AttemptRow.request_digest, *(_TABLE.c[name] for name in _END_FIELDS))
            .where(AttemptRow.purpose == purpose, among(AttemptRow.subject, names), AttemptRow.reply.is_not(None))
            .order_by(AttemptRow.started_at)
        )
        for subject, digest, *end in rows:
            asked = _Asked(purpose, subject, digest)
            if asked in looked_for:
                found[asked] = AttemptEnd(*end)
    return found


async def spending(session: AsyncSession, *, purpose: str | None = None, subject: str | None = None) -> list[Spending]:
    """Return what was spent, by purpose, model and currency; totals are sums over every attempt ever made."""
    row = AttemptRow
    # An attempt in flight has no currency yet; it goes to the line of its model.
    statement = (
        select(
            row.purpose,
            row.model,
            func.max(row.currency),
            func.count(),
            func.sum(case((row.status == IN_FLIGHT, 1), else_=0)),
            func.sum(case((row.reply.is_not(None) & row.cost_nano.is_(None), 1), else_=0)),
            func.coalesce(func.sum(row.prompt_tokens), 0),
            func.coalesce(func.sum(row.completion_tokens), 0),
            func.coalesce(func.sum(row.reasoning_tokens), 0),
            func.coalesce(func.sum(row.cost_nano), 0),
        )
        .group_by(row.purpose, row.model)
        .order_by(row.purpose, row.model)
    )
    if purpose is not None:
        statement = statement.where(row.purpose == purpose)
    if subject is not None:
        statement = statement.where(row.subject == subject)
    return [
        Spending(found[0], found[1], found[2], *(int(number) for number in found[3:]))
        for found in (await session.execute(statement)).all()
    ]
