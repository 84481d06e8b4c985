"""Kills, hangs, flapping and late words: counts before and after."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.db import Run, WorkState, judgement_counts, reopen_judgements
from service.db._run_tables import JudgementRow, ScoreRow, SubmissionRow, VerdictLogRow
from service.judging import JudgeProfile, ModelJudge
from tests.fake_models import FakeModels
from tests.integration.evaluation.conftest import Desk, FixedJudge, add_set, invented_fabula
from tests.integration.evaluation.test_ledger import row
from tests.integration.models.conftest import client_of

pytestmark = pytest.mark.anyio
_ROOT = Path(__file__).resolve().parents[3]
FABULAS, QUESTIONS = 20, 120


async def answered(desk: Desk) -> Run:
    """Twenty fabulas in both modes, all answered; two steps and a conclusion each are 120 questions."""
    await add_set(desk.database, [invented_fabula(n) for n in range(FABULAS)], key="small")
    run = await desk.run(task_set="small")
    await desk.send(run, [row(n, mode) for n in range(FABULAS) for mode in ("closed", "open")])
    # The counts before: everything answered, nothing judged.
    assert await count(desk, SubmissionRow) == 2 * FABULAS
    assert await count(desk, VerdictLogRow) == await count(desk, ScoreRow, ScoreRow.final.is_not(None)) == 0
    return run


async def count(desk: Desk, table: type, *where: object) -> int:
    async with desk.database.read() as session:
        return int(await session.scalar(select(func.count()).select_from(table).where(*where)) or 0)  # type: ignore[arg-type]


async def states(desk: Desk, run: Run) -> dict[WorkState, int]:
    async with desk.database.read() as session:
        return await judgement_counts(session, run.id)


async def check_whole(desk: Desk, run: Run) -> None:
    """Every question has exactly one verdict, every answer its score; none is lost, doubled or zero for want of one."""
    found = await states(desk, run)
    assert found[WorkState.DONE] == sum(found.values()) == QUESTIONS
    assert await count(desk, SubmissionRow) == await count(desk, ScoreRow) == 2 * FABULAS
    assert await count(desk, ScoreRow, ScoreRow.final.is_not(None)) == 2 * FABULAS
    # One verdict that counts for each question; what came late is kept beside.
    assert await count(desk, VerdictLogRow, VerdictLogRow.kind == "verdict") == QUESTIONS
    scores = (2 / 3 + 0.5 + 0.67) / 3
    async with desk.database.read() as session:
        finals = list(await session.scalars(select(ScoreRow.final)))
    assert finals == [pytest.approx(scores)] * (2 * FABULAS)


@pytest.mark.slow
async def test_five_workers_killed_in_mid_batch(desk: Desk) -> None:
    run = await answered(desk)
    url = desk.database.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.integration.evaluation.worker_process", url, str(run.profile_id), "3"]
    processes = [
        await asyncio.create_subprocess_exec(*command, cwd=_ROOT, stdout=asyncio.subprocess.PIPE) for _ in range(5)
    ]
    done = []
    for process in processes:
        mine = (JudgementRow.worker == f"p{process.pid}", JudgementRow.state == WorkState.LEASED.value)
        async with asyncio.timeout(600):
            while not await count(desk, JudgementRow, *mine):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        process.kill()
        await process.wait()
        assert await count(desk, JudgementRow, *mine)  # it died in mid-batch
        done.append((await states(desk, run))[WorkState.DONE])
    assert done == sorted(done)
    assert await count(desk, JudgementRow) == QUESTIONS
    # Leases of the dead end by the ledger's clock; then whoever is there takes them.
    for _ in range(200):
        await desk.judge(run, FixedJudge())
        if (await states(desk, run))[WorkState.DONE] == QUESTIONS:
            break
        await asyncio.sleep(0.1)
    await check_whole(desk, run)


async def test_a_judge_that_flaps_between_429_500_and_answers(desk: Desk, server: FakeModels) -> None:
    run = await answered(desk)
    server.script = ("ok", "429", "500", "ok", "empty", "ok", "ok")
    server.reply = lambda body: '{"score": 0.5}' if "НОРМА ШАГА" in str(body) else '{"score": 0.67}'
    judge = ModelJudge(JudgeProfile(name="j", model="fake"), client_of(server, attempts=2))
    await desk.worker(run, judge, batch=20).run(once=True)
    found = await states(desk, run)
    # An empty reply three times over one question ends it, openly; everything else has its verdict.
    assert found[WorkState.DONE] + found[WorkState.UNAVAILABLE] == sum(found.values()) == QUESTIONS
    unread = await count(desk, ScoreRow, ScoreRow.final.is_(None))
    assert (unread == 0) is (found[WorkState.UNAVAILABLE] == 0)
    assert await count(desk, ScoreRow, ScoreRow.final.is_(None), ScoreRow.reason.is_(None)) == 0
    if found[WorkState.UNAVAILABLE]:
        async with desk.database.write() as session:
            await reopen_judgements(session, run.id, profile_id=run.profile_id or 0)
        await desk.judge(run, FixedJudge())
    await check_whole(desk, run)


async def test_a_judge_that_hangs_holds_nobody_up(desk: Desk, server: FakeModels) -> None:
    """Every seventh call hangs: it ends by its time limit and is asked again, while the others go on."""
    run = await answered(desk)
    server.script = ("ok",) * 6 + ("hang",)
    server.reply = lambda body: '{"score": 0.5}' if "НОРМА ШАГА" in str(body) else '{"score": 0.67}'
    judge = ModelJudge(JudgeProfile(name="j", model="fake"), client_of(server, attempts=1, timeout=0.5, concurrency=32))
    await desk.worker(run, judge, batch=40).run(once=True)
    assert server.counts["hang"] > 0
    await check_whole(desk, run)


async def test_a_slow_worker_loses_its_lease_and_its_word_changes_nothing(desk: Desk) -> None:
    run = await answered(desk)
    gate = asyncio.Event()

    class Late(FixedJudge):
        async def judge(self, question, *, subject):
            await gate.wait()
            return await super().judge(question, subject=subject)

    late = desk.worker(run, Late(step=1.0, answer=0.0), lease_seconds=600, batch=30)
    working = asyncio.create_task(late.run(once=True))
    while (await states(desk, run))[WorkState.LEASED] < 30:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    from sqlalchemy import update

    async with desk.database.write() as session:
        await session.execute(update(JudgementRow).where(JudgementRow.state == "leased").values(leased_until=1))
    await desk.judge(run, FixedJudge())
    gate.set()
    report = await working
    assert report.lost == 30
    assert await count(desk, VerdictLogRow, VerdictLogRow.kind == "late") == 30
    await check_whole(desk, run)


async def test_replies_that_say_nothing_are_asked_for_again_and_never_a_zero(desk: Desk, server: FakeModels) -> None:
    """Refused, empty, cut: each question is asked three times in all, then it is unavailable, and open to be judged."""
    await add_set(desk.database, [invented_fabula(1)], key="small")
    run = await desk.run(task_set="small")
    await desk.send(run, [row(1)])
    server.script = ("refusal", "empty", "length", "filter")
    judge = ModelJudge(JudgeProfile(name="j", model="fake", reasks=0), client_of(server, attempts=1))
    await desk.worker(run, judge).run(once=True)
    assert len(server.seen) == 9
    assert (await states(desk, run))[WorkState.UNAVAILABLE] == 3
    assert await count(desk, VerdictLogRow, VerdictLogRow.value.is_not(None)) == 0
    assert await count(desk, ScoreRow, ScoreRow.final.is_(None), ScoreRow.reason.is_not(None)) == 1
    async with desk.database.write() as session:
        assert await reopen_judgements(session, run.id, profile_id=run.profile_id or 0) == 3
    await desk.judge(run, FixedJudge())
    assert (await states(desk, run))[WorkState.DONE] == 3
    assert await count(desk, ScoreRow, ScoreRow.final.is_not(None)) == 1
