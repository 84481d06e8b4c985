"""The work queue: who gets what, and what happens to leases that run out."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, update

from service.db import Database, WorkQueue, WorkState
from service.errors import ConflictError, NotFoundError
from tests.integration.db.queue_work import QueueBase, WorkRow

pytestmark = pytest.mark.anyio
_ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
async def queue(ledger: Database) -> WorkQueue[WorkRow]:
    async with ledger.engine.begin() as connection:
        await connection.run_sync(QueueBase.metadata.create_all)
    return WorkQueue(WorkRow, max_attempts=3)


async def fill(ledger: Database, rows: int) -> None:
    async with ledger.write() as session:
        await session.execute(insert(WorkRow), [{"state": "pending", "attempts": 0, "fence": 0} for _ in range(rows)])


async def claim(ledger: Database, queue: WorkQueue[WorkRow], limit: int = 1, seconds: float = 60, worker: str = "w"):
    async with ledger.write() as session:
        return await queue.claim(session, worker=worker, limit=limit, lease_seconds=seconds)


async def run_out(ledger: Database) -> None:
    """Let every lease end, as if its time had passed."""
    async with ledger.write() as session:
        await session.execute(update(WorkRow).where(WorkRow.state == "leased").values(leased_until=1))


async def test_four_processes_claim_every_row_once(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 10_000)
    url = ledger.url.render_as_string(hide_password=False)
    module = "tests.integration.db.queue_work"
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, url, f"worker-{number}", "50", cwd=_ROOT, stdout=asyncio.subprocess.PIPE
        )
        for number in range(4)
    ]
    outputs = [(await process.communicate())[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert sum(int(output) for output in outputs) == 10_000
    async with ledger.read() as session:
        assert await session.scalar(select(func.count()).where(WorkRow.times_done == 1)) == 10_000
        assert await session.scalar(select(func.max(WorkRow.fence))) == 1
        assert (await queue.counts(session))[WorkState.DONE] == 10_000


async def test_rows_are_leased_oldest_first_and_not_twice(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 5)
    first = await claim(ledger, queue, limit=3)
    second = await claim(ledger, queue, limit=3)
    assert [lease.id for lease in first + second] == [1, 2, 3, 4, 5]
    assert await claim(ledger, queue) == []


async def test_a_lease_that_ran_out_goes_to_another_and_the_first_can_no_longer_write(
    ledger: Database, queue: WorkQueue[WorkRow]
) -> None:
    await fill(ledger, 1)
    (late,) = await claim(ledger, queue, worker="late")
    await run_out(ledger)
    (new,) = await claim(ledger, queue, worker="new")
    assert (new.id, new.fence, new.attempt) == (late.id, 2, 2)
    with pytest.raises(ConflictError, match="is lost"):
        async with ledger.write() as session:
            await queue.finish(session, late, values={"done_by": "late"})
    async with ledger.write() as session:
        await queue.finish(session, new, values={"done_by": "new"})
    async with ledger.read() as session:
        assert await session.scalar(select(WorkRow.done_by)) == "new"


async def test_a_late_result_counts_while_nobody_else_has_the_row(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    (lease,) = await claim(ledger, queue)
    await run_out(ledger)
    async with ledger.write() as session:
        await queue.finish(session, lease, values={"done_by": "w"})
    with pytest.raises(ConflictError, match="the row is done"):
        async with ledger.write() as session:
            await queue.finish(session, lease)


async def test_attempts_are_capped(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    for attempt in (1, 2, 3):
        (lease,) = await claim(ledger, queue)
        assert lease.attempt == attempt
        await run_out(ledger)
    assert await claim(ledger, queue) == []
    async with ledger.read() as session:
        row = (await session.scalars(select(WorkRow))).one()
        assert (row.state, row.reason) == ("unavailable", "given up after 3 attempts without a result")


async def test_a_row_given_back_untried_keeps_its_attempts(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    for _ in range(5):
        (lease,) = await claim(ledger, queue)
        async with ledger.write() as session:
            await queue.give_back(session, lease, reason="the worker shuts down", count=False)
    (lease,) = await claim(ledger, queue)
    assert lease.attempt == 1


async def test_the_last_failed_attempt_makes_the_row_unavailable(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    for _ in range(3):
        (lease,) = await claim(ledger, queue)
        async with ledger.write() as session:
            await queue.give_back(session, lease, reason="the judge answered 500")
    async with ledger.read() as session:
        assert (await queue.counts(session))[WorkState.UNAVAILABLE] == 1


async def test_a_heartbeat_prolongs_and_a_lost_lease_says_so(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    (lease,) = await claim(ledger, queue, seconds=1)
    async with ledger.write() as session:
        longer = await queue.heartbeat(session, lease, lease_seconds=600)
    assert longer.leased_until > lease.leased_until + 500_000
    async with ledger.write() as session:
        await queue.finish(session, longer)
    with pytest.raises(ConflictError):
        async with ledger.write() as session:
            await queue.heartbeat(session, longer, lease_seconds=600)


async def test_work_that_does_not_exist_is_named(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    await fill(ledger, 1)
    (lease,) = await claim(ledger, queue)
    async with ledger.engine.begin() as connection:
        await connection.execute(WorkRow.__table__.delete())
    with pytest.raises(NotFoundError, match="work 1"):
        async with ledger.write() as session:
            await queue.finish(session, lease)
