"""A lease holder whose clock is an hour off, and a PostgreSQL that restarts under a worker and under intake."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from service.db import Database, WorkState, upgrade
from service.db._run_tables import JudgementRow, ScoreRow, SubmissionRow, VerdictLogRow
from service.errors import UnavailableError
from service.evaluation import Evaluator, LedgerRecords, submit
from service.judging import Question, Verdict
from tests.integration.db.own_postgres import OwnPostgres, own_postgres_server
from tests.integration.evaluation.conftest import Desk, FixedJudge, SampleLaws, add_set, as_submission, invented_fabula
from tests.integration.evaluation.test_faults import FABULAS, QUESTIONS, answered, check_whole, count, states
from tests.integration.evaluation.test_ledger import row

pytestmark = pytest.mark.anyio
_ROOT = Path(__file__).resolve().parents[3]
_HOUR = 3600


async def skewed(
    desk: Desk, profile: int | None, *, seconds: float, skew: int, lease: float
) -> asyncio.subprocess.Process:
    """A worker process whose own clock is off."""
    url = desk.database.url.render_as_string(hide_password=False)
    arguments = [url, str(profile), str(seconds), str(skew), str(lease)]
    command = [sys.executable, "-m", "tests.integration.evaluation.worker_process", *arguments]
    return await asyncio.create_subprocess_exec(*command, cwd=_ROOT, stdout=asyncio.subprocess.PIPE)


async def test_workers_whose_clocks_are_an_hour_off_take_no_lease_early(desk: Desk) -> None:
    """One is an hour ahead, one an hour behind; a lease that either read or wrote by its own clock would go to both."""
    run = await answered(desk)
    processes = [await skewed(desk, run.profile_id, seconds=0.02, skew=skew, lease=60.0) for skew in (_HOUR, -_HOUR)]
    try:
        while (await states(desk, run))[WorkState.DONE] < QUESTIONS:
            assert all(process.returncode is None for process in processes)
            await asyncio.sleep(0.05)
    finally:
        for process in processes:
            process.terminate()
            await process.wait()
    async with desk.database.read() as session:
        by = list(await session.execute(select(JudgementRow.worker, JudgementRow.attempts)))
    assert {attempts for _, attempts in by} == {1}
    assert await count(desk, VerdictLogRow, VerdictLogRow.kind == "late") == 0
    await check_whole(desk, run)


@pytest.mark.parametrize("skew", [_HOUR, -_HOUR])
async def test_a_dead_worker_whose_clock_was_an_hour_off_keeps_no_lease(desk: Desk, skew: int) -> None:
    run = await answered(desk)
    process = await skewed(desk, run.profile_id, seconds=600, skew=skew, lease=3.0)
    mine = (JudgementRow.worker == f"p{process.pid}", JudgementRow.state == WorkState.LEASED.value)
    while not await count(desk, JudgementRow, *mine):  # noqa: ASYNC110 - it happens in another process
        await asyncio.sleep(0.02)
    # While it lives and says so, nobody else gets them, whatever its clock shows.
    held = await count(desk, JudgementRow, *mine)
    await asyncio.sleep(3.5)
    await desk.judge(run, FixedJudge())
    assert (await states(desk, run))[WorkState.LEASED] == held
    process.kill()
    await process.wait()
    for _ in range(200):
        await desk.judge(run, FixedJudge())
        if (await states(desk, run))[WorkState.DONE] == QUESTIONS:
            break
        await asyncio.sleep(0.1)
    await check_whole(desk, run)


@pytest.fixture
async def restartable() -> AsyncIterator[tuple[Desk, OwnPostgres]]:
    with own_postgres_server() as postgres:
        database = Database(postgres.url)
        await upgrade(database)
        yield Desk(database, Evaluator(database, LedgerRecords(database), SampleLaws())), postgres
        await database.close()


async def test_postgresql_restarts_under_a_worker_and_under_intake(restartable: tuple[Desk, OwnPostgres]) -> None:
    desk, postgres = restartable
    await add_set(desk.database, [invented_fabula(n) for n in range(FABULAS)], key="small")
    run = await desk.run(task_set="small")
    rows = [row(n, mode) for n in range(FABULAS) for mode in ("closed", "open")]
    await desk.send(run, rows[:20])
    assert await count(desk, SubmissionRow) == 20
    down, stopped = asyncio.Event(), asyncio.Event()

    class Slow(FixedJudge):
        async def judge(self, question: Question, *, subject: str) -> Verdict:
            await asyncio.sleep(0.01 * (len(self.asked) % 5))
            verdict = await super().judge(question, subject=subject)
            if len(self.asked) >= 15:
                down.set()
            return verdict

    refused = 0

    async def take_in() -> None:
        """Answers keep coming, three a time; what is refused is sent again."""
        nonlocal refused
        left = [as_submission(one) for one in rows[20:]]
        while left:
            try:
                receipts = await submit(desk.database, run.id, left[:3])
            except UnavailableError:
                refused += 1
                await asyncio.sleep(0.1)
                continue
            assert [receipt.error for receipt in receipts] == [None] * len(receipts)
            left = left[3:]
            if len(left) <= 9:
                await stopped.wait()

    async def restart() -> None:
        await down.wait()
        await asyncio.to_thread(postgres.stop)
        stopped.set()
        while not refused:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        await asyncio.to_thread(postgres.start)

    judge = Slow()
    worker = desk.worker(run, judge, batch=10, lease_seconds=2.0)
    working = asyncio.create_task(worker.run())
    sending = asyncio.create_task(take_in())
    await restart()
    await sending
    # The worker was paused and not ended: it goes on by itself, with answers that came after the restart too.
    while (await states(desk, run))[WorkState.DONE] < QUESTIONS:
        assert not working.done()
        await asyncio.sleep(0.1)
    worker.stop()
    report = await working
    assert refused > 0
    assert await count(desk, SubmissionRow) == 2 * FABULAS
    assert await count(desk, ScoreRow) == 2 * FABULAS
    assert report.verdicts + report.lost >= QUESTIONS - 10
    await check_whole(desk, run)
