"""From submissions to scores on SQLite and PostgreSQL."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - figures are written as fractions

import pytest

from service.db import close_run, publish_run, read_run
from service.domain import Mode
from service.evaluation import (
    BoardOptions,
    TableCache,
    compare_runs,
    gap_view,
    leaderboard,
    load_table,
    run_errors,
    run_scores_view,
    run_slices,
    run_view,
)
from tests.integration.evaluation.conftest import NAMES, Desk, FixedJudge, add_set, answers_of, invented_fabula

pytestmark = pytest.mark.anyio

A, R, C = "ПРИМЕНИМЫЕ СТАТЬИ:\n", "\nЦЕПОЧКА РАССУЖДЕНИЙ:\n", "\nВЫВОД:\nИстец прав."


def answer(number: int, mode: str, articles: str | None, outcome: str = "answered") -> dict[str, object]:
    text = "" if articles is None else f"{A}{articles}{R}{articles}{C}"
    return {"task_id": f"f{number:06d}_{mode}", "outcome": outcome, "answer": text}


async def test_scores_worked_out_by_hand(desk: Desk) -> None:
    """Four fabulas of two norms; every step is given 0.5, every conclusion 0.67.

    closed: f0 names one of two (NC 2/3), f1 both (1), f2 nothing said (0 without a judge), f3 an overflow (no answer).
    open:   f0 both (1), f1 both and one more (4/5), f2 none (0), f3 both (1).
    """
    await add_set(desk.database, [invented_fabula(n) for n in range(4)], key="four")
    run = await desk.run(task_set="four")
    rows = [
        answer(0, "closed", "ГК_15"),
        answer(1, "closed", "ГК_15, ГК_1064"),
        answer(2, "closed", None, "empty"),
        answer(3, "closed", None, "context_overflow"),
        answer(0, "open", "ГК_15, ГК_1064"),
        answer(1, "open", "ГК_15, ГК_1064, ГК_1079"),
        answer(2, "open", "нет норм"),
        answer(3, "open", "ГК_15, ГК_1064"),
    ]
    await desk.send(run, rows)
    judge = FixedJudge()
    await desk.judge(run, judge)
    # Six answers with something in them, two steps and a conclusion each.
    assert len(judge.asked) == 6 * 3
    table = await load_table(desk.database, run.id)
    third, sc, ac = F(1, 3), F(1, 2), F(67, 100)
    closed = [third * (F(2, 3) + sc + ac), third * (1 + sc + ac), F(0)]
    opened = [third * (1 + sc + ac), third * (F(4, 5) + sc + ac), third * (0 + sc + ac), third * (1 + sc + ac)]
    scores = run_scores_view(table)["modes"]
    assert scores["closed"]["final"] == pytest.approx(
        {"mean": float(sum(closed) / 3), "std": scores["closed"]["final"]["std"], "scored": 3, "total": 4}
    )
    assert scores["open"]["final"]["mean"] == pytest.approx(float(sum(opened) / 4))
    assert scores["closed"]["components"]["norm_coverage"]["mean"] == pytest.approx(float((F(2, 3) + 1 + 0) / 3))
    assert scores["closed"]["without_zeros"]["mean"] == pytest.approx(float((closed[0] + closed[1]) / 2))
    assert scores["closed"]["zeros"] == {"empty": 1}
    assert scores["closed"]["outcomes"]["context_overflow"] == 1
    assert scores["closed"]["not_answered_by_depth"] == {"shallow": {"context_overflow": 1}}
    assert scores["closed"]["unavailable"] == {"no answer": 1}
    gap = gap_view(table)
    gaps = [b - a for a, b in zip(closed, opened, strict=False)]
    assert gap["gap"] == pytest.approx(float(sum(gaps) / 3))
    assert (gap["pairs"], gap["n_pairs"], gap["incomplete"]) == (4, 3, {"shallow": {"closed": 1}})
    # closed: 0.61, 0.72, 0; open: 0.72, 0.66, 0.39 — at 0.5: knows, knows, incompetent
    assert gap["quadrants"] == {"knows": 2, "reasons": 0, "hallucinates": 0, "incompetent": 1}
    assert gap["without_zeros"]["n"] == 2
    assert gap["without_zeros"]["gap"] == pytest.approx(float((gaps[0] + gaps[1]) / 2))
    errors = run_errors(table)["modes"]
    assert errors["closed"]["kinds"] == {"multi_fail": 1}
    assert errors["open"]["kinds"] == {"norm_miss": 1}
    parts = run_slices(table, ["depth"])
    assert [(part["slice"], part["pairs"], part["n_pairs"]) for part in parts] == [({"depth": "shallow"}, 4, 3)]
    async with desk.database.read() as session:
        view = await run_view(session, await read_run(session, run.id))
    assert (view["state"], view["answered"], view["received"]) == ("open", 7, 8)
    assert view["judgements"] == {"total": 18, "judged": 18, "unavailable": 0, "leased": 0, "waiting": 0}


async def test_the_sample_with_its_three_participants(desk: Desk) -> None:
    runs = {}
    for name in NAMES:
        runs[name] = await desk.run(name)
        await desk.send(runs[name], answers_of(name))
        await desk.judge(runs[name])
        async with desk.database.write() as session:
            await close_run(session, runs[name].id)
            await publish_run(session, runs[name].id, actor="me")
    cache = TableCache()
    assert (await leaderboard(desk.database, cache, "mhgb"))["boards"] == []  # the lexical judge does not rank
    found = await leaderboard(desk.database, cache, "mhgb", BoardOptions(unranked=True))
    (board,) = found["boards"]
    rows = {row["participant"]: row for row in board["rows"]}
    # The lexical judge rewards the magpie, which repeats the reference's words; the sparrow is last for any judge.
    assert {row["participant"] for row in board["rows"][:2]} == {"owl", "magpie"}
    assert [row["open"] for row in board["rows"]] == sorted((row["open"] for row in board["rows"]), reverse=True)
    assert all(row["n_pairs"] == row["n_closed"] == row["n_open"] == 24 for row in rows.values())
    assert all(row["rank"] is None and "does not rank" in row["not_ranked"] for row in rows.values())
    assert rows["owl"]["gap"] == pytest.approx(rows["owl"]["open"] - rows["owl"]["closed"])
    assert rows["owl"]["gap_interval"][0] <= rows["owl"]["gap"] <= rows["owl"]["gap_interval"][1]
    assert rows["sparrow"]["outcomes"]["closed"] | rows["sparrow"]["outcomes"]["open"] != {"answered": 24}
    common = await leaderboard(desk.database, cache, "mhgb", BoardOptions(on="common", unranked=True))
    assert [row["n_pairs"] for row in common["boards"][0]["rows"]] == [24, 24, 24]
    async with desk.database.read() as session:
        pair = [await read_run(session, runs[name].id) for name in ("owl", "sparrow")]
    compared = await compare_runs(desk.database, cache, pair)
    assert (compared["n_common"], compared["comparable"], compared["differ_in"]) == (24, True, [])
    assert compared["open"]["difference"] == pytest.approx(rows["owl"]["open"] - rows["sparrow"]["open"])
    assert compared["open"]["p_value"] < 0.01


async def test_repeats_are_averaged_and_their_spread_shown(desk: Desk) -> None:
    await add_set(desk.database, [invented_fabula(0)], key="one")
    run = await desk.run(task_set="one", repeats=2)
    await desk.send(run, [answer(0, "closed", "ГК_15")])
    from service.evaluation import submit
    from tests.integration.evaluation.conftest import as_submission

    (receipt,) = await submit(desk.database, run.id, [as_submission(answer(0, "closed", "ГК_15, ГК_1064"), "second")])
    assert (receipt.repeat, receipt.scored) == (2, True)
    (third,) = await submit(desk.database, run.id, [as_submission(answer(0, "closed", "ГК_15"), "third")])
    assert third.error is not None
    await desk.judge(run, FixedJudge())
    table = await load_table(desk.database, run.id)
    (item,) = table.of_mode(Mode.CLOSED.value)
    assert item.components["norm_coverage"] == pytest.approx((2 / 3 + 1) / 2)
    assert item.spread == pytest.approx((1 - 2 / 3) / 3)


async def test_weights_of_a_request_work_on_stored_components(desk: Desk) -> None:
    from service.evaluation import read_weights

    await add_set(desk.database, [invented_fabula(0)], key="one")
    run = await desk.run(task_set="one")
    await desk.send(run, [answer(0, "closed", "ГК_15"), answer(0, "open", "ГК_15, ГК_1064")])
    await desk.judge(run, FixedJudge())
    table = (await load_table(desk.database, run.id)).with_weights(read_weights("1,0,0"))
    assert [item.final for item in table.items] == [pytest.approx(2 / 3), pytest.approx(1.0)]
