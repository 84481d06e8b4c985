"""Runs and their items."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import and_, func, insert, or_, select, update

from service.db._audit import AuditAction, record_audit
from service.db._base import now_ms
from service.db._many import among
from service.db._queue import Lease, WorkQueue, WorkState
from service.db._run_tables import RunItemRow, RunRow
from service.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "ItemLease",
    "NewRun",
    "Run",
    "RunItem",
    "RunKind",
    "close_run",
    "create_run",
    "find_runs",
    "heartbeat_item",
    "item_counts",
    "item_run",
    "lease_items",
    "list_items",
    "list_runs",
    "publish_run",
    "read_run",
    "return_item",
    "touch_run",
    "withdraw_run",
]

# A participant whose lease runs out has lost nothing: its task is handed out again, however often.
_ITEMS = WorkQueue(RunItemRow, max_attempts=1_000_000_000)


class RunKind(StrEnum):
    """Where a run's scores come from."""

    RUN = "run"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class RunItem:
    """A task as a run sees it; nothing of its answer key."""

    task_id: str
    fabula_id: str
    mode: str
    task_type: str
    depth: str
    branch: str
    act: str
    id: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a run is made of.

    Attributes:
        settings: Configuration, token budget, max chunks, selection: what the run's fingerprint is over.
        conditions: The participant's own: model, temperature, window and so on; columns of a board.
        score_facts: What the score fingerprint is over, so that boards can say in what they differ.
        partial: Not the whole set: scored, marked, never ranked.
    """

    owner: str
    benchmark: str
    task_set: str
    corpus: str
    version: str
    participant: str
    model_id: str
    conditions: Mapping[str, Any]
    settings: Mapping[str, Any]
    modes: tuple[str, ...]
    repeats: int
    partial: bool
    fingerprint: str
    score_fingerprint: str
    score_facts: Mapping[str, Any]
    profile_id: int | None
    items: Sequence[RunItem] = field(repr=False, default=())
    kind: RunKind = RunKind.RUN


@dataclass(frozen=True, slots=True)
class Run:
    """A run as stored; moments in milliseconds UTC."""

    id: str
    owner: str
    kind: RunKind
    benchmark: str
    task_set: str
    corpus: str
    version: str
    participant: str
    model_id: str
    conditions: dict[str, Any]
    settings: dict[str, Any]
    modes: tuple[str, ...]
    repeats: int
    partial: bool
    items: int
    fingerprint: str
    score_fingerprint: str
    score_facts: dict[str, Any]
    profile_id: int | None
    change: int
    created_at: int
    changed_at: int
    closed_at: int | None
    published_at: int | None
    withdrawn_at: int | None
    withdrawn_why: str | None

    @property
    def listed(self) -> bool:
        """Whether others may see it: published and not withdrawn."""
        return self.published_at is not None and self.withdrawn_at is None


@dataclass(frozen=True, slots=True)
class ItemLease:
    """A participant's right to answer one task.

    Attributes:
        run_id: The task's run.
    """

    lease: Lease
    run_id: str
    item: RunItem


def _run(row: RunRow) -> Run:
    return Run(
        id=row.id,
        owner=row.owner,
        kind=RunKind(row.kind),
        benchmark=row.benchmark,
        task_set=row.task_set,
        corpus=row.corpus,
        version=row.version,
        participant=row.participant,
        model_id=row.model_id,
        conditions=orjson.loads(row.conditions_json),
        settings=orjson.loads(row.settings_json),
        modes=tuple(row.modes.split(",")),
        repeats=row.repeats,
        partial=row.partial,
        items=row.items,
        fingerprint=row.fingerprint,
        score_fingerprint=row.score_fingerprint,
        score_facts=orjson.loads(row.score_facts_json),
        profile_id=row.profile_id,
        change=row.change,
        created_at=row.created_at,
        changed_at=row.changed_at,
        closed_at=row.closed_at,
        published_at=row.published_at,
        withdrawn_at=row.withdrawn_at,
        withdrawn_why=row.withdrawn_why,
    )


def _item(row: RunItemRow) -> RunItem:
    return RunItem(
        row.task_id, row.fabula_id, row.mode, row.task_type, row.depth, row.branch, row.act, row.id, row.answered
    )


def _json(value: Mapping[str, Any]) -> str:
    return orjson.dumps(dict(value), option=orjson.OPT_SORT_KEYS).decode()


async def create_run(session: AsyncSession, new: NewRun) -> Run:
    """Make a run and its items."""
    run_id = f"run_{secrets.token_hex(8)}"
    row = RunRow(
        id=run_id,
        owner=new.owner,
        kind=new.kind.value,
        benchmark=new.benchmark,
        task_set=new.task_set,
        corpus=new.corpus,
        version=new.version,
        participant=new.participant,
        model_id=new.model_id,
        conditions_json=_json(new.conditions),
        settings_json=_json(new.settings),
        modes=",".join(new.modes),
        repeats=new.repeats,
        partial=new.partial,
        items=len(new.items),
        fingerprint=new.fingerprint,
        score_fingerprint=new.score_fingerprint,
        score_facts_json=_json(new.score_facts),
        profile_id=new.profile_id,
        change=0,
        created_at=now_ms(),
        changed_at=now_ms(),
    )
    session.add(row)
    await session.flush()
    if new.items:
        await session.execute(
            insert(RunItemRow),
            [
                {
                    "run_id": run_id,
                    "task_id": item.task_id,
                    "fabula_id": item.fabula_id,
                    "mode": item.mode,
                    "task_type": item.task_type,
                    "depth": item.depth,
                    "branch": item.branch,
                    "act": item.act,
                    "answered": 0,
                    "state": WorkState.PENDING.value,
                    "attempts": 0,
                    "fence": 0,
                }
                for item in new.items
            ],
        )
    return await read_run(session, run_id)


async def read_run(session: AsyncSession, run_id: str, *, lock: bool = False) -> Run:
    """Return a run.

    Raises:
        NotFoundError: There is none of that id.
    """
    statement = select(RunRow).where(RunRow.id == run_id).execution_options(populate_existing=True)
    if lock:
        statement = statement.with_for_update()
    row = await session.scalar(statement)
    if row is None:
        raise NotFoundError(f"run {run_id!r} does not exist; GET /v1/runs lists yours")
    return _run(row)


async def list_runs(
    session: AsyncSession,
    *,
    owner: str | None,
    limit: int,
    after: tuple[int, str] | None = None,
    benchmark: str | None = None,
) -> list[Run]:
    """Return runs, newest first: all of them, or an owner's own and those that are published.

    Args:
        session: A reading session.
        owner: The asking key; None for an administrator, who sees all; an empty text for the public.
        limit: The most.
        after: (created_at, id) of the last run of the page before.
        benchmark: Only its runs.
    """
    statement = select(RunRow).order_by(RunRow.created_at.desc(), RunRow.id.desc()).limit(limit)
    if owner is not None:
        listed = and_(RunRow.published_at.is_not(None), RunRow.withdrawn_at.is_(None))
        statement = statement.where(or_(RunRow.owner == owner, listed) if owner else listed)
    if benchmark is not None:
        statement = statement.where(RunRow.benchmark == benchmark)
    if after is not None:
        moment, run_id = after
        statement = statement.where(
            or_(RunRow.created_at < moment, and_(RunRow.created_at == moment, RunRow.id < run_id))
        )
    return [_run(row) for row in await session.scalars(statement)]


async def find_runs(
    session: AsyncSession,
    *,
    benchmark: str | None = None,
    fingerprint: str | None = None,
    owner: str | None = None,
    participant: str | None = None,
    published: bool = False,
) -> list[Run]:
    """Return all runs that fit, oldest first; withdrawn ones too."""
    statement = select(RunRow).order_by(RunRow.created_at, RunRow.id)
    for column, value in (
        (RunRow.benchmark, benchmark),
        (RunRow.fingerprint, fingerprint),
        (RunRow.owner, owner),
        (RunRow.participant, participant),
    ):
        if value is not None:
            statement = statement.where(column == value)
    if published:
        statement = statement.where(RunRow.published_at.is_not(None))
    return [_run(row) for row in await session.scalars(statement)]


async def touch_run(session: AsyncSession, run_id: str) -> None:
    """Say that something happened to a run, in the transaction in which it happens."""
    await session.execute(
        update(RunRow)
        .where(RunRow.id == run_id)
        .values(change=RunRow.change + 1, changed_at=now_ms())
        .execution_options(synchronize_session=False)
    )


async def _stamp(session: AsyncSession, run_id: str, **values: Any) -> Run:
    await session.execute(
        update(RunRow)
        .where(RunRow.id == run_id)
        .values(**values, change=RunRow.change + 1, changed_at=now_ms())
        .execution_options(synchronize_session=False)
    )
    return await read_run(session, run_id)


async def close_run(session: AsyncSession, run_id: str) -> Run:
    """Take no more submissions; closing twice changes nothing."""
    run = await read_run(session, run_id, lock=True)
    return run if run.closed_at is not None else await _stamp(session, run_id, closed_at=now_ms())


async def publish_run(session: AsyncSession, run_id: str, *, actor: str) -> Run:
    """Show a run to everybody; publishing twice changes nothing.

    Raises:
        ConflictError: It is not closed, or was withdrawn.
    """
    run = await read_run(session, run_id, lock=True)
    if run.withdrawn_at is not None:
        raise ConflictError(f"run {run_id!r} was withdrawn and stays so; make a new run")
    if run.closed_at is None:
        raise ConflictError(f"run {run_id!r} is not closed; close it first, then publish it")
    if run.published_at is not None:
        return run
    detail = {"participant": run.participant, "benchmark": run.benchmark, "task_set": run.task_set}
    await record_audit(session, actor, AuditAction.RUN_PUBLISHED, run_id, detail)
    return await _stamp(session, run_id, published_at=now_ms())


async def withdraw_run(session: AsyncSession, run_id: str, *, actor: str, why: str) -> Run:
    """Take a run off its boards; they say so, its scores stay.

    Raises:
        ConflictError: It is not published.
    """
    run = await read_run(session, run_id, lock=True)
    if run.published_at is None:
        raise ConflictError(f"run {run_id!r} is not published; there is nothing to withdraw it from")
    if run.withdrawn_at is not None:
        return run
    await record_audit(session, actor, AuditAction.RUN_WITHDRAWN, run_id, {"why": why})
    return await _stamp(session, run_id, withdrawn_at=now_ms(), withdrawn_why=why)


async def list_items(session: AsyncSession, run_id: str) -> list[RunItem]:
    """Return a run's items in their order."""
    rows = await session.scalars(select(RunItemRow).where(RunItemRow.run_id == run_id).order_by(RunItemRow.id))
    return [_item(row) for row in rows]


async def item_counts(session: AsyncSession, run_id: str) -> dict[str, dict[WorkState, int]]:
    """Return how many items of each mode stand in each state."""
    rows = await session.execute(
        select(RunItemRow.mode, RunItemRow.state, func.count())
        .where(RunItemRow.run_id == run_id)
        .group_by(RunItemRow.mode, RunItemRow.state)
    )
    found: dict[str, dict[WorkState, int]] = {}
    for mode, state, count in rows:
        found.setdefault(mode, dict.fromkeys(WorkState, 0))[WorkState(state)] = count
    return found


async def lease_items(
    session: AsyncSession,
    run_id: str,
    *,
    mode: str | None,
    worker: str,
    limit: int,
    seconds: float,
    tasks: Sequence[str] | None = None,
) -> list[ItemLease]:
    """Lease tasks of a run that have no answer yet; with ``tasks`` only some of these.

    Raises:
        NotFoundError: One of ``tasks`` is not in the run.
    """
    where = RunItemRow.run_id == run_id
    if tasks is not None:
        there = set(await session.scalars(select(RunItemRow.task_id).where(where, among(RunItemRow.task_id, tasks))))
        missing = [task for task in dict.fromkeys(tasks) if task not in there]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise NotFoundError(f"task {missing[0]!r}{more} is not in run {run_id!r}; name tasks of its own")
    if mode is not None:
        where = and_(where, RunItemRow.mode == mode)
    if tasks is not None:
        where = and_(where, RunItemRow.task_id.in_(list(tasks)))
    leases = await _ITEMS.claim(session, worker=worker, limit=limit, lease_seconds=seconds, where=where)
    rows = {
        row.id: row
        for row in await session.scalars(
            select(RunItemRow)
            .where(RunItemRow.id.in_([lease.id for lease in leases]))
            .execution_options(populate_existing=True)
        )
    }
    return [ItemLease(lease, run_id, _item(rows[lease.id])) for lease in leases]


async def _leased(session: AsyncSession, item_id: int) -> RunItemRow:
    row = await session.get(RunItemRow, item_id, populate_existing=True)
    if row is None:
        raise NotFoundError(f"lease of item {item_id!r} does not exist; lease anew")
    return row


async def heartbeat_item(session: AsyncSession, item_id: int, fence: int, *, seconds: float) -> ItemLease:
    """Prolong a lease.

    Raises:
        NotFoundError: There is no such item.
        ConflictError: The lease ran out and the task went to another, or is answered.
    """
    row = await _leased(session, item_id)
    lease = await _ITEMS.heartbeat(session, Lease(item_id, fence, row.attempts, 0), lease_seconds=seconds)
    return ItemLease(lease, row.run_id, _item(row))


async def return_item(session: AsyncSession, item_id: int, fence: int) -> None:
    """Give a task back unanswered; raises as ``heartbeat_item``."""
    row = await _leased(session, item_id)
    await _ITEMS.give_back(session, Lease(item_id, fence, row.attempts, 0), reason="returned", count=False)


async def item_run(session: AsyncSession, item_id: int) -> str:
    """Return the run of an item, for checking whose it is."""
    return (await _leased(session, item_id)).run_id
