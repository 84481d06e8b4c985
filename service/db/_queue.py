"""Work queues on tables of the ledger: claim, heartbeat, return, finish.

A queue's table mixes in ``QueueColumns``. Rows are claimed by ``FOR UPDATE SKIP LOCKED`` on PostgreSQL and inside a
``BEGIN IMMEDIATE`` transaction on SQLite, so that no row goes to two workers; a lease ends by the database's clock,
and its fencing token (``fence``) grows with every claim: who holds an older one can no longer write.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import BigInteger, Integer, String, Text, and_, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from service.db._base import RowId, now_ms
from service.db._many import among
from service.errors import ConflictError, InputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.orm import InstrumentedAttribute

__all__ = ["Lease", "QueueColumns", "WorkQueue", "WorkState"]


# Before PostgreSQL has statistics of a queue that has just been filled, it takes a hundred thousand rows for one and sorts
# them all for the first. For the rest of the transaction.
_BY_INDEX = select(func.set_config("enable_sort", "off", True), func.set_config("enable_bitmapscan", "off", True))


class WorkState(StrEnum):
    """Where a piece of work stands."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    UNAVAILABLE = "unavailable"
    EXCLUDED = "excluded"


class QueueColumns:
    """The columns that make a table a queue. Index (state, id) and (state, leased_until) in its migration."""

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    state: Mapped[str] = mapped_column(String(16), default=WorkState.PENDING.value)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    fence: Mapped[int] = mapped_column(BigInteger, default=0)
    leased_until: Mapped[int | None] = mapped_column(BigInteger)
    worker: Mapped[str | None] = mapped_column(String(100))
    reason: Mapped[str | None] = mapped_column(Text)


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's right to one row.

    Attributes:
        fence: The token to show with the result.
        attempt: Which attempt at this row it is, from 1.
        leased_until: Milliseconds of the database's clock.
    """

    id: int
    fence: int
    attempt: int
    leased_until: int


RowT = TypeVar("RowT", bound=QueueColumns)


class WorkQueue(Generic[RowT]):
    """Claims rows of one table. Every method runs in the caller's write transaction."""

    def __init__(self, table: type[RowT], *, max_attempts: int = 5) -> None:
        self._table = table
        self._max_attempts = max_attempts

    async def claim(
        self,
        session: AsyncSession,
        *,
        worker: str,
        limit: int,
        lease_seconds: float,
        where: ColumnElement[bool] | None = None,
    ) -> list[Lease]:
        """Lease up to ``limit`` rows whose lease has run out, the longest ago first, then pending ones, the oldest first.

        A row whose last permitted attempt ran out becomes ``unavailable`` here, with the reason.
        """
        if limit < 1 or lease_seconds <= 0:
            raise InputError(f"a claim of {limit!r} rows for {lease_seconds!r} s is empty; ask for 1 or more of each")
        table = self._table
        if session.get_bind().dialect.name == "postgresql":
            await session.execute(_BY_INDEX)
        # One after the other, each in the order of its own index: for both in one condition, a database sorts all that
        # is free; and in the order of ids, it may walk through every row to find that no lease has run out.
        run_out = and_(table.state == WorkState.LEASED.value, table.leased_until < now_ms())
        ids = await self._free(session, run_out, where, limit, table.leased_until)
        if len(ids) < limit:
            pending = table.state == WorkState.PENDING.value
            ids += await self._free(session, pending, where, limit - len(ids), table.id)
        if not ids:
            return []
        taken = await session.execute(
            update(table)
            .where(among(table.id, ids))
            .values(
                state=WorkState.LEASED.value,
                attempts=table.attempts + 1,
                fence=table.fence + 1,
                leased_until=now_ms() + int(lease_seconds * 1000),
                worker=worker,
                reason=None,
            )
            .returning(table.id, table.fence, table.attempts, table.leased_until)
            .execution_options(synchronize_session=False)
        )
        leases = (Lease(row_id, fence, attempt, until or 0) for row_id, fence, attempt, until in taken)
        return sorted(leases, key=lambda lease: lease.id)

    async def _free(
        self,
        session: AsyncSession,
        free: ColumnElement[bool],
        where: ColumnElement[bool] | None,
        limit: int,
        order: InstrumentedAttribute[Any],
    ) -> list[int]:
        """Return and lock the first rows that are free; those without an attempt left end here."""
        table = self._table
        wanted = select(table.id, table.attempts).where(free)
        if where is not None:
            wanted = wanted.where(where)
        wanted = wanted.order_by(order).with_for_update(skip_locked=True)
        ids: list[int] = []
        while len(ids) < limit:
            asked = limit - len(ids)
            further = wanted.where(~among(table.id, ids)) if ids else wanted
            found = (await session.execute(further.limit(asked))).all()
            ids += [row_id for row_id, attempts in found if attempts < self._max_attempts]
            exhausted = [row_id for row_id, attempts in found if attempts >= self._max_attempts]
            if exhausted:
                await self._give_up(session, exhausted)
            if len(found) < asked or not exhausted:
                break
        return ids

    async def heartbeat(self, session: AsyncSession, lease: Lease, *, lease_seconds: float) -> Lease:
        """Prolong a lease from now on.

        Raises:
            ConflictError: Another worker has the row by now, or it is finished.
        """
        changed = await self._held(session, lease, {"leased_until": now_ms() + int(lease_seconds * 1000)})
        return Lease(lease.id, lease.fence, lease.attempt, changed)

    async def give_back(self, session: AsyncSession, lease: Lease, *, reason: str, count: bool = True) -> None:
        """Return a row unfinished; ``count=False`` when it was never tried (a worker that shuts down)."""
        attempts = self._table.attempts if count else self._table.attempts - 1
        values = {"state": WorkState.PENDING.value, "leased_until": None, "worker": None, "reason": reason}
        await self._held(session, lease, {**values, "attempts": attempts})
        if count and lease.attempt >= self._max_attempts:
            await self._give_up(session, [lease.id])

    async def finish(
        self,
        session: AsyncSession,
        lease: Lease,
        *,
        state: WorkState = WorkState.DONE,
        reason: str | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a row's end with its result columns, if the fencing token is still the newest.

        Raises:
            ConflictError: Another worker has the row by now, or it is finished.
        """
        if state in (WorkState.PENDING, WorkState.LEASED):
            raise InputError(f"state {state.value!r} is no end of work; take done, unavailable or excluded")
        end = {"state": state.value, "leased_until": None, "reason": reason}
        await self._held(session, lease, {**(values or {}), **end})

    async def counts(self, session: AsyncSession, *, where: ColumnElement[bool] | None = None) -> dict[WorkState, int]:
        """Return how many rows stand in each state; absent states are 0."""
        statement = select(self._table.state, func.count()).group_by(self._table.state)
        if where is not None:
            statement = statement.where(where)
        found = {WorkState(state): number for state, number in (await session.execute(statement)).all()}
        return {state: found.get(state, 0) for state in WorkState}

    async def _held(self, session: AsyncSession, lease: Lease, values: Mapping[str, Any]) -> int:
        table = self._table
        rows: Sequence[Any] = (
            await session.execute(
                update(table)
                .where(table.id == lease.id, table.fence == lease.fence, table.state == WorkState.LEASED.value)
                .values(**values)
                .returning(table.leased_until)
                .execution_options(synchronize_session=False)
            )
        ).all()
        if rows:
            return int(rows[0][0] or 0)
        state = await session.scalar(select(table.state).where(table.id == lease.id))
        if state is None:
            raise NotFoundError(f"work {lease.id!r} of {table.__name__} does not exist; claim anew")
        raise ConflictError(
            f"the lease of work {lease.id!r} with token {lease.fence!r} is lost (the row is {state}); "
            "drop the result and claim anew"
        )

    async def _give_up(self, session: AsyncSession, ids: Sequence[int]) -> None:
        await session.execute(
            update(self._table)
            .where(among(self._table.id, ids))
            .values(
                state=WorkState.UNAVAILABLE.value,
                leased_until=None,
                reason=f"given up after {self._max_attempts} attempts without a result",
            )
            .execution_options(synchronize_session=False)
        )
