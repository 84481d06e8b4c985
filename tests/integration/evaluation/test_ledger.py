"""What may be sent, and that nothing is lost, doubled or silently zero, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select, update

from service.db import (
    WorkState,
    add_judge_profile,
    claim_judgements,
    close_run,
    heartbeat_item,
    judgement_counts,
    lease_items,
    publish_run,
    read_run,
    reopen_judgements,
    return_item,
    verdict_log,
    withdraw_run,
)
from service.db._run_tables import JudgementRow, RunItemRow, ScoreRow, SubmissionRow, VerdictLogRow
from service.errors import ConflictError, InputError, NotFoundError, TooLargeError
from service.evaluation import (
    BoardOptions,
    RunSpec,
    TableCache,
    claim_for_judge,
    leaderboard,
    load_table,
    open_run,
    question_view,
    read_line,
    reclaimed,
    run_view,
    submit,
    take_verdict,
)
from service.judging import JudgeProfile, Question, Verdict, VerdictStatus
from tests.integration.evaluation.conftest import Desk, FixedJudge, add_set, answers_of, as_submission, invented_fabula

pytestmark = pytest.mark.anyio
TEXT = "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\nГК_15\nВЫВОД:\nДа."


def row(number: int = 0, mode: str = "closed", outcome: str = "answered", text: str = TEXT) -> dict[str, str]:
    return {"task_id": f"f{number:06d}_{mode}", "outcome": outcome, "answer": text}


async def small(desk: Desk, fabulas: int = 1, **more):
    await add_set(desk.database, [invented_fabula(n) for n in range(fabulas)], key="small")
    return await desk.run(task_set="small", **more)


async def rows_of(desk: Desk, table, *where) -> int:
    async with desk.database.read() as session:
        return int(await session.scalar(select(func.count()).select_from(table).where(*where)) or 0)


async def state_of(desk: Desk, run) -> dict:
    async with desk.database.read() as session:
        return await run_view(session, await read_run(session, run.id))


async def test_the_same_key_again_changes_nothing_and_another_body_is_refused(desk: Desk) -> None:
    run = await small(desk)
    (first,) = await submit(desk.database, run.id, [as_submission(row(), "k")])
    (again,) = await submit(desk.database, run.id, [as_submission(row(), "k")])
    assert (again.id, again.new, again.error) == (first.id, False, None)
    (other,) = await submit(desk.database, run.id, [as_submission(row(text="иное"), "k")])
    assert isinstance(other.error, ConflictError)
    assert "'k'" in str(other.error)
    assert await rows_of(desk, SubmissionRow) == 1


async def test_only_the_first_answer_of_a_task_is_scored(desk: Desk) -> None:
    run = await small(desk)
    sent = [
        as_submission(row(outcome="error", text=""), "a"),
        as_submission(row(outcome="context_overflow", text=""), "b"),
    ]
    receipts = await submit(desk.database, run.id, sent)
    assert [(receipt.new, receipt.scored) for receipt in receipts] == [(True, False), (True, False)]
    assert (await state_of(desk, run))["answered"] == 0  # neither closes the task
    (first, second) = await submit(desk.database, run.id, [as_submission(row(), "c"), as_submission(row(), "d")])
    assert first.scored
    assert isinstance(second.error, ConflictError)
    (third,) = await submit(desk.database, run.id, [as_submission(row(), "e")])
    assert str(first.id) in str(third.error)
    (unknown,) = await submit(desk.database, run.id, [as_submission({**row(), "task_id": "no_closed"}, "f")])
    assert isinstance(unknown.error, NotFoundError)
    assert await rows_of(desk, SubmissionRow) == 3


async def test_senders_at_the_same_time_make_one_answer(desk: Desk) -> None:
    run = await small(desk, 20)
    rows = [row(n, mode) for n in range(20) for mode in ("closed", "open")]
    batches = [[as_submission(one, f"{one['task_id']}-{sender}") for one in rows] for sender in range(4)]
    receipts = await asyncio.gather(*(submit(desk.database, run.id, batch) for batch in batches))
    scored = [receipt for batch in receipts for receipt in batch if receipt.error is None]
    assert len(scored) == 40
    assert await rows_of(desk, SubmissionRow) == 40
    assert await rows_of(desk, RunItemRow, RunItemRow.state == "done", RunItemRow.run_id == run.id) == 40


async def test_a_closed_run_takes_nothing_and_is_published_and_withdrawn_once(desk: Desk) -> None:
    run = await small(desk)
    async with desk.database.write() as session:
        with pytest.raises(ConflictError, match="not closed"):
            await publish_run(session, run.id, actor="me")
    async with desk.database.write() as session:
        await close_run(session, run.id)
    with pytest.raises(ConflictError, match="closed"):
        await submit(desk.database, run.id, [as_submission(row(), "k")])
    async with desk.database.write() as session:
        await publish_run(session, run.id, actor="me")
        await withdraw_run(session, run.id, actor="me", why="wrong model")
        with pytest.raises(ConflictError, match="withdrawn"):
            await publish_run(session, run.id, actor="me")
    found = await leaderboard(desk.database, TableCache(), "mhgb", BoardOptions(unranked=True))
    (board,) = found["boards"]
    assert board["rows"] == []
    assert [one["why"] for one in board["withdrawn"]] == ["wrong model"]


async def test_leases_are_exclusive_prolonged_and_returned(desk: Desk) -> None:
    run = await small(desk, 2)

    async def lease(worker: str, limit: int = 10, seconds: float = 60, mode: str | None = None):
        async with desk.database.write() as session:
            return await lease_items(session, run.id, mode=mode, worker=worker, limit=limit, seconds=seconds)

    first = await lease("a", 3)
    second = await lease("b")
    assert len(first) == 3
    assert len(second) == 1
    assert {one.item.task_id for one in first}.isdisjoint({one.item.task_id for one in second})
    async with desk.database.write() as session:
        await heartbeat_item(session, first[0].lease.id, first[0].lease.fence, seconds=60)
        await return_item(session, first[1].lease.id, first[1].lease.fence)
        # The clock of a lease is the database's: whatever a holder's own says, it ends here.
        await session.execute(update(RunItemRow).where(RunItemRow.id == first[2].lease.id).values(leased_until=1))
    third = await lease("c")
    assert {one.lease.id for one in third} == {first[1].lease.id, first[2].lease.id}
    async with desk.database.write() as session:
        with pytest.raises(ConflictError, match="lost"):
            await heartbeat_item(session, first[2].lease.id, first[2].lease.fence, seconds=60)
    # Who lost the lease may still answer: the first answer counts.
    (receipt,) = await submit(
        desk.database, run.id, [as_submission({**row(), "task_id": first[2].item.task_id}, "late")]
    )
    assert receipt.scored


class OddJudge:
    """Says what it is told, one after another, then gives 1."""

    def __init__(self, *said: Verdict) -> None:
        self.said = list(said)
        self.subjects: list[str] = []

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        self.subjects.append(subject)
        return self.said.pop(0) if self.said else Verdict(VerdictStatus.READ, 1.0)

    async def close(self) -> None: ...


def unreadable() -> Verdict:
    return Verdict(VerdictStatus.UNREADABLE, None, reply="Score: 1", failure="no object")


async def test_unreadable_is_asked_again_then_unavailable_and_shown_and_judged_again_alone(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row()])
    judge = OddJudge(*[unreadable()] * 9)
    await desk.judge(run, judge)
    assert len(judge.subjects) == 9  # three questions, three times each
    assert len(set(judge.subjects)) == 9  # never the same asking twice
    table = await load_table(desk.database, run.id)
    (item,) = table.of_mode("closed")
    assert (item.final, item.reason) == (None, "2 of 2 steps have no verdict; the conclusion has no verdict")
    assert item.components["norm_coverage"] == pytest.approx(2 / 3)
    view = await state_of(desk, run)
    assert (view["judgements"]["unavailable"], view["judgements"]["judged"]) == (3, 0)
    assert await rows_of(desk, VerdictLogRow, VerdictLogRow.kind == "unreadable") == 9
    async with desk.database.write() as session:
        assert await reopen_judgements(session, run.id, profile_id=run.profile_id or 0) == 3
    again = OddJudge(*[unreadable()] * 9)
    await desk.judge(run, again)
    assert len(again.subjects) == 9
    # Replies are kept by subject: under an old one the judge would not be asked, but its old reply taken.
    assert not set(again.subjects) & set(judge.subjects)
    async with desk.database.write() as session:
        assert await reopen_judgements(session, run.id, profile_id=run.profile_id or 0) == 3
    await desk.judge(run, FixedJudge())
    (item,) = (await load_table(desk.database, run.id)).of_mode("closed")
    assert item.final == pytest.approx((2 / 3 + 0.5 + 0.67) / 3)


async def test_a_judge_whose_server_fails_costs_no_question(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row()])
    sick = Verdict(VerdictStatus.NO_REPLY, None, failure="HTTP 500", passing=True)
    await desk.judge(run, OddJudge(*[sick] * 5))
    async with desk.database.read() as session:
        counts = await judgement_counts(session, run.id)
    assert counts[WorkState.DONE] == 3
    assert await rows_of(desk, VerdictLogRow, VerdictLogRow.kind == "no_reply") == 5


async def test_a_late_verdict_changes_nothing_and_is_kept(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row()])
    first = await claim_for_judge(desk.evaluator, run.profile_id or 0, worker="slow", limit=1, seconds=60)
    ((claimed, question),) = first
    view = question_view(claimed, question)
    assert view["values"] == [0.0, 0.5, 1.0]
    assert not set(view) & {"participant", "mode", "run", "task_id"}
    async with desk.database.write() as session:
        await session.execute(update(JudgementRow).where(JudgementRow.id == claimed.lease.id).values(leased_until=1))
    await desk.judge(run, FixedJudge(step=0.5))
    held = await reclaimed(desk.evaluator, claimed.lease.id, claimed.lease.fence)
    # The same verdict is confirmed, another refused; both are on record.
    same = await take_verdict(desk.evaluator, held, worker="slow", reply=None, value=0.5, reason=None)
    assert (same["state"], same["value"]) == ("done", 0.5)
    with pytest.raises(ConflictError, match="lost"):
        await take_verdict(desk.evaluator, held, worker="slow", reply='{"score": 1}', value=None, reason=None)
    async with desk.database.read() as session:
        log = await verdict_log(session, claimed.lease.id)
    assert [(one["kind"], one["value"]) for one in log] == [("verdict", 0.5), ("late", 0.5), ("late", 1.0)]
    (item,) = (await load_table(desk.database, run.id)).of_mode("closed")
    assert item.components["step_correctness"] == 0.5


async def test_an_outside_judge_is_read_by_the_contract(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row()])
    ((claimed, _),) = await claim_for_judge(desk.evaluator, run.profile_id or 0, worker="o", limit=1, seconds=60)
    with pytest.raises(InputError, match=r"0\.7"):
        await take_verdict(desk.evaluator, claimed, worker="o", reply=None, value=0.7, reason=None)
    with pytest.raises(InputError, match="reply"):
        await take_verdict(desk.evaluator, claimed, worker="o", reply=None, value=None, reason=None)
    again = await take_verdict(desk.evaluator, claimed, worker="o", reply="Score: 1", value=None, reason=None)
    assert (again["state"], again["value"]) == ("pending", None)
    assert "no JSON object" in again["failure"]


async def test_a_worker_that_stops_returns_what_it_holds(desk: Desk) -> None:
    run = await small(desk, 5)
    await desk.send(run, [row(n) for n in range(5)])

    class Slow(FixedJudge):
        async def judge(self, question: Question, *, subject: str) -> Verdict:
            self.asked.append(subject)
            await asyncio.Event().wait()
            raise AssertionError

    judge = Slow()
    worker = desk.worker(run, judge, grace_seconds=0.05)
    task = asyncio.create_task(worker.run())
    while len(judge.asked) < 15:  # noqa: ASYNC110 - the worker has no event for it
        await asyncio.sleep(0.01)
    worker.stop()
    await task
    async with desk.database.read() as session:
        counts = await judgement_counts(session, run.id)
    assert (counts[WorkState.PENDING], counts[WorkState.LEASED]) == (15, 0)
    assert await rows_of(desk, JudgementRow, JudgementRow.attempts > 0) == 0


async def test_two_workers_share_without_doubling(desk: Desk) -> None:
    run = await small(desk, 30)
    await desk.send(run, [row(n, mode) for n in range(30) for mode in ("closed", "open")])
    judge = FixedJudge()
    reports = await asyncio.gather(*(desk.worker(run, judge, batch=16).run(once=True) for _ in range(2)))
    assert sum(report.verdicts for report in reports) == 180
    assert len(judge.asked) == len(set(judge.asked)) == 180
    assert await rows_of(desk, ScoreRow, ScoreRow.final.is_not(None)) == 60


async def test_resuming_finds_the_run_or_says_in_what_it_differs(desk: Desk) -> None:
    spec = RunSpec("mhgb", "sample", "owl", {"model": "m", "temperature": 0.0})
    async with desk.database.write() as session:
        run, new = await open_run(session, spec, owner="me")
        same, again = await open_run(session, spec, owner="me", resume=True)
        assert (new, again, same.id) == (True, False, run.id)
        other = RunSpec("mhgb", "sample", "owl", {"model": "m", "temperature": 1.0}, max_chunks=9)
        with pytest.raises(ConflictError, match=r"max_chunks 25 then, 9 now; temperature 0\.0 then, 1\.0 now"):
            await open_run(session, other, owner="me", resume=True)
        _, another = await open_run(session, other, owner="somebody", resume=True)
        assert another


async def small_set_and_judge(desk: Desk) -> None:
    """Two fabulas, and a judge that ranks."""
    profile = JudgeProfile(name="judge", model="judge", model_id="gpt-9")
    async with desk.database.write() as session:
        body = profile.model_dump(mode="json")
        await add_judge_profile(session, name="judge", fingerprint=profile.fingerprint, body=body, actor="me")
    await add_set(desk.database, [invented_fabula(n) for n in range(2)], key="small")


async def test_partial_runs_and_kin_of_the_judge_are_marked_and_not_ranked(desk: Desk) -> None:
    await small_set_and_judge(desk)
    both = [row(n, mode) for n in range(2) for mode in ("closed", "open")]
    for name, more in (("kin", {"conditions": {"model": "gpt-9"}}), ("part", {"limit": 1}), ("fit", {})):
        run = await desk.run(name, task_set="small", judge="judge", **more)
        await desk.send(run, both[: 2 if name == "part" else 4])
        await desk.judge(run, FixedJudge())
        async with desk.database.write() as session:
            await close_run(session, run.id)
            await publish_run(session, run.id, actor="me")
    (board,) = (await leaderboard(desk.database, TableCache(), "mhgb"))["boards"]
    ranks = {one["participant"]: (one["rank"], one["not_ranked"]) for one in board["rows"]}
    assert ranks == {"fit": (1, None), "kin": (None, "it shares the judge's model 'gpt-9'")}
    assert board["partial"] == 1


async def test_who_answers_some_tasks_and_closes_leads_no_board(desk: Desk) -> None:
    await small_set_and_judge(desk)
    answered = [row(0, "closed"), row(0, "open")]
    overflown = [row(1, mode, outcome="context_overflow", text="") for mode in ("closed", "open")]
    for name, rows in (("early", answered), ("tried", [*answered, *overflown])):
        run = await desk.run(name, task_set="small", judge="judge")
        await desk.send(run, rows)
        await desk.judge(run, FixedJudge())
        async with desk.database.write() as session:
            await close_run(session, run.id)
            await publish_run(session, run.id, actor="me")
    # As any partial run it is not listed, so that it cannot shrink what is common to its few fabulas either.
    (board,) = (await leaderboard(desk.database, TableCache(), "mhgb", BoardOptions(on="common")))["boards"]
    assert [(one["participant"], one["rank"]) for one in board["rows"]] == [("tried", 1)]
    assert board["partial"] == 1
    (board,) = (await leaderboard(desk.database, TableCache(), "mhgb", BoardOptions(unranked=True)))["boards"]
    told = {
        one["participant"]: (one["rank"], one["not_ranked"], one["partial"], one["untried"]) for one in board["rows"]
    }
    early = (None, "closed early: for 2 of 4 tasks nothing was sent", True, 2)
    assert told == {"early": early, "tried": (1, None, False, 0)}


async def test_no_time_is_told_while_answers_wait_to_be_read(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row(0, "closed"), row(0, "open")])
    state = await state_of(desk, run)
    assert (state["unread"], state["eta_seconds"]) == (2, None)
    await desk.judge(run, FixedJudge())
    state = await state_of(desk, run)
    assert (state["unread"], state["eta_seconds"], state["state"]) == (0, 0.0, "complete")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "list"),
        ({"task_id": "t"}, "attempt_key None"),
        ({"task_id": "t", "attempt_key": "k", "txt": ""}, "'txt'"),
        ({"task_id": "t", "attempt_key": "k", "outcome": "done"}, "'done'"),
        ({"task_id": "t", "attempt_key": "k"}, "no text"),
        ({"task_id": "t", "attempt_key": "k", "text": 5}, "int"),
        ({"task_id": "t", "attempt_key": "k", "text": "a\x00"}, "NUL at offset 1"),
        ({"task_id": "t", "attempt_key": "k", "outcome": "empty", "text": "a"}, "'empty'"),
        ({"task_id": "t", "attempt_key": "k", "text": "a", "latency_ms": -1}, "-1"),
        ({"task_id": "t", "attempt_key": "k", "text": "a", "usage": 1}, "usage 1"),
    ],
)
async def test_bad_lines_are_named(value: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_line(value, longest=100)


async def test_a_text_beyond_the_limit_names_it() -> None:
    with pytest.raises(TooLargeError, match="LEXHOP_SUBMISSION_CHARS"):
        read_line({"task_id": "t", "attempt_key": "k", "text": "a" * 101}, longest=100)


async def test_a_claim_leaves_other_profiles_alone(desk: Desk) -> None:
    run = await small(desk)
    await desk.send(run, [row()])
    await desk.evaluator.read_some(worker="w")
    async with desk.database.write() as session:
        assert await claim_judgements(session, worker="w", limit=5, seconds=5, profiles=[10**6]) == []


async def test_the_sample_leaves_no_answer_unread(desk: Desk) -> None:
    run = await desk.run("sparrow")
    await desk.send(run, answers_of("sparrow"))
    while await desk.evaluator.read_some(worker="w", limit=7):
        pass
    assert await rows_of(desk, ScoreRow) == 48
