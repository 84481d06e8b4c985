"""A second judge of a run that is judged already: its verdicts change no score and show how far the first is agreed with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from service.analysis import judge_agreement
from service.db import add_judge_profile, read_run
from service.db import close_run as close
from service.db import publish_run as publish
from service.domain import Mode
from service.errors import ConflictError, NotFoundError
from service.evaluation import (
    Agreements,
    BoardOptions,
    TableCache,
    judge_again,
    judged_twice,
    leaderboard,
    load_table,
    run_scores_view,
    run_view,
)
from service.judging import JudgeKind, JudgeProfile, Question, Verdict, VerdictStatus, Wording
from tests.integration.evaluation.conftest import Desk, add_set, invented_fabula
from tests.integration.evaluation.test_path import answer

pytestmark = pytest.mark.anyio


class Scripted:
    """Gives each question what a function says; None is a reply that cannot be read."""

    def __init__(self, value: Callable[[int, str], float | None]) -> None:
        self.value = value
        self.questions: list[Question] = []

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        self.questions.append(question)
        number = re.search(r"Дело (\d+)", dict(question.material)[question.material[0][0]])
        assert number is not None
        value = self.value(int(number[1]), question.level)
        if value is None:
            return Verdict(VerdictStatus.UNREADABLE, None, failure="prose")
        return Verdict(VerdictStatus.READ, value)

    async def close(self) -> None: ...


async def profile(desk: Desk, name: str, **more: Any) -> int:
    made = JudgeProfile(name=name, kind=JudgeKind.EXTERNAL, model=name, **more)
    async with desk.database.write() as session:
        body = made.model_dump(mode="json")
        return (await add_judge_profile(session, name=name, fingerprint=made.fingerprint, body=body, actor="test")).id


async def judged_run(desk: Desk) -> Any:
    """Four closed answers of two steps; the first judge gives the conclusions 1, 1, 0, 0 and every step 0.5."""
    await profile(desk, "first")
    await add_set(desk.database, [invented_fabula(n) for n in range(4)], key="four")
    run = await desk.run(task_set="four", judge="first", modes=(Mode.CLOSED,))
    await desk.send(run, [answer(n, "closed", "ГК_15, ГК_1064") for n in range(4)])
    await desk.judge(run, Scripted(lambda n, level: 0.5 if level == "step" else float(n < 2)))
    return run


async def second_judges(desk: Desk, run: Any, judge: Scripted, name: str = "second", **more: Any) -> None:
    second = await profile(desk, name, **more)
    async with desk.database.write() as session:
        assert await judge_again(session, run, name) == (0, 4 * 3)
    await desk.worker(run, judge).run(once=True)  # has no work: it answers for the run's own profile alone
    assert judge.questions == []
    from service.evaluation import JudgeWorker

    await JudgeWorker(desk.evaluator, {second: judge}, name="second", poll_seconds=0.01).run(once=True)


async def agreement(desk: Desk, run: Any) -> list[dict[str, Any]]:
    async with desk.database.read() as session:
        now = await read_run(session, run.id)
    return await Agreements(desk.database, TableCache()).of([now])


async def test_kappa_and_bias_by_hand_and_no_score_moves(desk: Desk) -> None:
    run = await judged_run(desk)
    assert await agreement(desk, run) == []
    before = run_scores_view(await load_table(desk.database, run.id))
    # Conclusions 1, 0, 0, 0 beside 1, 1, 0, 0: three of four agree, by chance 1/2·1/4 + 1/2·3/4 = 1/2, so κ = 1/2.
    await second_judges(desk, run, Scripted(lambda n, level: 0.5 if level == "step" else float(n < 1)))
    after = run_scores_view(await load_table(desk.database, run.id))
    assert {**after, "change": 0} == {**before, "change": 0}
    (row,) = await agreement(desk, run)
    assert (row["judge"], row["second"], row["runs"]) == ("first", "second", 1)
    levels = {one["level"]: one for one in row["levels"]}
    assert levels["answer"]["kappa"] == pytest.approx(0.5)
    assert levels["answer"]["bias"] == pytest.approx(0.25)
    assert levels["answer"]["interval"][0] <= 0.5 <= levels["answer"]["interval"][1]
    assert (levels["answer"]["asked"], levels["answer"]["both"]) == (4, 4)
    # One and the same value throughout: no κ, and the reason.
    assert (levels["step"]["kappa"], levels["step"]["bias"], levels["step"]["both"]) == (None, 0.0, 8)
    assert "one and the same label" in levels["step"]["reason"]
    async with desk.database.read() as session:
        view = await run_view(session, await read_run(session, run.id))
    assert view["judgements"] == {"total": 12, "judged": 12, "unavailable": 0, "leased": 0, "waiting": 0}
    assert view["settings"]["second_judges"] == ["second"]


async def test_a_report_says_of_the_judges_what_the_scores_say(desk: Desk) -> None:
    run = await judged_run(desk)
    async with desk.database.read() as session:
        assert await judged_twice(desk.database, [await read_run(session, run.id)]) == []
    await second_judges(desk, run, Scripted(lambda n, level: None if n == 3 else 0.0 if n else 1.0))
    async with desk.database.read() as session:
        now = await read_run(session, run.id)
    (row,) = await agreement(desk, run)
    levels = {one["level"]: one for one in row["levels"]}
    found = await judged_twice(desk.database, [now])
    assert [(one.judge, one.second, one.level) for one in found] == [
        ("first", "second", "answer"),
        ("first", "second", "step"),
    ]
    for one in found:
        first, second = (
            np.array([math.nan if v is None else v for v in side]) for side in zip(*one.verdicts, strict=True)
        )
        told = judge_agreement(first, second, values=one.values)
        shown = levels[one.level]
        assert (len(one.verdicts), told.both, told.kappa.value) == (shown["asked"], shown["both"], shown["kappa"])
        assert told.mean_difference is not None
        assert told.mean_difference.value == shown["bias"]


async def test_it_stands_beside_the_board_over_all_its_runs(desk: Desk) -> None:
    run = await judged_run(desk)
    other = await desk.run("magpie", task_set="four", judge="first", modes=(Mode.CLOSED,))
    await desk.send(other, [answer(n, "closed", "ГК_15") for n in range(4)])
    await desk.judge(other, Scripted(lambda n, level: 1.0))
    await second_judges(desk, run, Scripted(lambda n, level: 1.0))
    async with desk.database.write() as session:
        for one in (run, other):
            await close(session, one.id)
            await publish(session, one.id, actor="me")
    cache = TableCache()
    options = BoardOptions(unranked=True)
    (board,) = (await leaderboard(desk.database, cache, "mhgb", options))["boards"]
    (row,) = board["agreement"]
    assert (board["judge"], row["second"], row["runs"], len(board["rows"])) == ("first", "second", 1, 2)
    async with desk.database.write() as session:
        assert await judge_again(session, other, "second") == (0, 12)
    (board,) = (await leaderboard(desk.database, cache, "mhgb", options))["boards"]
    (row,) = board["agreement"]
    assert (row["runs"], [(one["asked"], one["both"]) for one in row["levels"]]) == (2, [(8, 4), (16, 8)])


async def test_what_the_second_cannot_say_is_counted_and_asked_again_alone(desk: Desk) -> None:
    run = await judged_run(desk)
    await second_judges(desk, run, Scripted(lambda n, level: None if n == 3 else 0.0))
    (row,) = await agreement(desk, run)
    assert [(one["level"], one["asked"], one["both"]) for one in row["levels"]] == [("answer", 4, 3), ("step", 8, 6)]
    async with desk.database.write() as session:
        assert await judge_again(session, run) == (0, 0)
        assert await judge_again(session, run, "first") == (0, 0)
        assert await judge_again(session, run, "second") == (3, 0)
        with pytest.raises(NotFoundError, match="'third' does not exist"):
            await judge_again(session, run, "third")


async def test_an_operators_wording_reaches_the_judge_and_no_other_benchmark(desk: Desk) -> None:
    run = await judged_run(desk)
    judge = Scripted(lambda n, level: 1.0)
    wording = {"step": Wording(instructions="Судите строго.", labels={"ФАКТЫ": "ДЕЛО"})}
    await second_judges(desk, run, judge, wording=wording, wording_of="mhgb")
    for question in judge.questions:
        strict = question.level == "step"
        assert (question.instructions == "Судите строго.") is strict
        assert question.material[0][0] == ("ДЕЛО" if strict else "ФАКТЫ")
    await profile(desk, "foreign", wording=wording, wording_of="other")
    async with desk.database.write() as session:
        with pytest.raises(ConflictError, match="wording of benchmark 'other'"):
            await judge_again(session, run, "foreign")
    with pytest.raises(ConflictError, match="wording of benchmark 'other'"):
        await desk.run(task_set="four", judge="foreign")
