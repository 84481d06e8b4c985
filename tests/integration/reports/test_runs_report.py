"""Runs of the service as a report."""

from __future__ import annotations

import csv
import io
import math
import warnings
from typing import Any

import numpy as np
import pytest

from service.db import Run, RunKind, ScoreLine
from service.domain import Depth, TaskType
from service.errors import InputError
from service.evaluation import JudgedTwice, RunTable
from service.reports import build_report, runs_report


def run(run_id: str, participant: str, benchmark: str = "mhgb", **more: Any) -> Run:
    fixed: dict[str, Any] = {
        "id": run_id,
        "participant": participant,
        "model_id": participant,
        "benchmark": benchmark,
        "owner": "key-1",
        "kind": RunKind.RELEASE,
        "task_set": "set-a",
        "corpus": "ru",
        "version": "0" * 12,
        "conditions": {"slice": "russian"},
        "settings": {},
        "modes": ("closed", "open"),
        "fingerprint": "f" * 64,
        "score_fingerprint": "e" * 64,
        "score_facts": {},
    }
    numbers = {"repeats": 1, "partial": False, "items": 8, "change": 1, "created_at": 0, "changed_at": 0}
    unset = ("profile_id", "closed_at", "published_at", "withdrawn_at", "withdrawn_why")
    return Run(**{**fixed, **numbers, **dict.fromkeys(unset), **more})


def line(item: int, fabula: str, mode: str, parts: tuple[float | None, ...], **more: Any) -> ScoreLine:
    names = ("norm_coverage", "step_correctness", "answer_correctness")
    final = None if None in parts else sum(p for p in parts if p is not None) / 3
    given: dict[str, Any] = {
        "item_id": item,
        "task_id": f"{fabula}_{mode}",
        "fabula_id": fabula,
        "mode": mode,
        "task_type": TaskType.ISSUE_SPOTTING.value,
        "depth": Depth.DEEP.value,
        "branch": "civil",
        "act": "ГК",
        "submission_id": item,
        "repeat": 1,
        "outcome": "answered",
        "scored": True,
        "zero": None,
        "components": dict(zip(names, parts, strict=True)),
        "final": final,
        "reason": None,
        "error": None,
        "details": {"nc_reasoning": 0.25},
    }
    return ScoreLine(**{**given, **more})


def table(run_id: str = "r1", participant: str = "Ива", *, missing: bool = False, **more: Any) -> RunTable:
    lines = []
    for k in range(4):
        closed = (0.1 * k, 0.5, 0.33)
        opened: tuple[float | None, ...] = (0.2 * k, 0.5, None if missing and k == 3 else 1.0)
        lines.append(line(2 * k, f"f{k}", "closed", closed, error="norm_miss" if k < 3 else None))
        lines.append(line(2 * k + 1, f"f{k}", "open", opened))
    return RunTable(run(run_id, participant, **more), lines, [])


def rows(files: Any, path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[path].decode())))


def test_a_run_is_reported_with_its_components_and_errors() -> None:
    given = table()
    report = runs_report([given])
    [entry] = report.entries
    assert (entry.experiment, entry.display, entry.group) == ("r1", "Ива", "russian")
    assert entry.table.gap.tolist() == [pair.gap for pair in given.complete]
    assert entry.table.component_gaps[2] == pytest.approx([0.2, 0.0, 0.67])
    files = build_report(report).files
    [closed, opened] = rows(files, "r1/agg_model_name_mode.csv")
    assert (closed["count"], closed["norm_coverage_list_mean"], closed["norm_coverage_reasoning_mean"]) == (
        "4",
        "0.15",
        "0.25",
    )
    assert opened["answer_correctness_mean"] == "1.0"
    assert report.answers is not None
    assert report.answers.error_counts("Ива", "closed") == [3]
    assert "figures/errors.svg" in files


def test_an_unavailable_score_stays_unavailable() -> None:
    report = runs_report([table(missing=True)])
    assert report.entries[0].table.scored.tolist() == [True, True, True, False]
    assert math.isnan(report.entries[0].table.gap[3])
    [row] = rows(build_report(report).files, "tables/leaderboard.csv")
    assert (row["pairs"], row["fabulas"]) == ("3", "4")


def test_an_answer_that_said_nothing_is_zero_on_every_level() -> None:
    empty = [
        line(0, "f0", "closed", (0.0, 0.0, 0.0), zero="empty", outcome="empty", details={}),
        line(1, "f0", "open", (0.5, 0.5, 0.67)),
    ]
    report = runs_report([RunTable(run("r1", "Ива"), empty, [])])
    assert report.answers is not None
    assert report.answers.scores[0].tolist() == [0.0] * 5


def test_a_release_without_components_has_gaps_and_no_answers() -> None:
    bare: dict[str, float | None] = dict.fromkeys(("norm_coverage", "step_correctness", "answer_correctness"))
    recorded = {
        "norm_coverage_gap": 0.1,
        "step_correctness_gap": 0.2,
        "answer_correctness_gap": 0.3,
        "final_score_gap": 0.2,
    }
    lines = [
        line(0, "f0", "closed", (0.0, 0.0, 0.0), components=bare, final=0.4),
        line(1, "f0", "open", (0.0, 0.0, 0.0), components=bare, final=0.60004, details=recorded),
    ]
    report = runs_report([RunTable(run("r1", "Ива"), lines, [])])
    assert report.answers is None
    assert report.entries[0].table.component_gaps.tolist() == [[0.1, 0.2, 0.3]]
    assert report.entries[0].table.gap.tolist() == [0.2]
    assert np.isclose(report.entries[0].table.difference[0], 0.20004)


def test_two_runs_of_one_participant_are_told_apart() -> None:
    report = runs_report([table("r1"), table("r2"), table("r3", "Кедр")])
    assert [entry.display for entry in report.entries] == ["Ива (r1)", "Ива (r2)", "Кедр"]


def test_runs_that_do_not_make_a_report_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="no runs"):
        runs_report([])
    with pytest.raises(InputError, match="run 'r1' is named twice"):
        runs_report([table(), table()])
    with pytest.raises(InputError, match="run 'r9' has no fabula in both modes"):
        runs_report([RunTable(run("r9", "Ива"), [line(0, "f0", "closed", (0.1, 0.1, 0.1))], [])])
    other = RunTable(run("r8", "Ива", "plawbench"), [], [])
    with pytest.raises(InputError, match="runs of mhgb and plawbench do not compare"):
        runs_report([table(), other])


def test_runs_of_several_boards_stand_side_by_side_and_unranked() -> None:
    one = table("r1", "Ива", score_facts={"judge": "aa", "configuration": "full_graph"})
    other = table("r2", "Кедр", score_facts={"judge": "bb", "configuration": "full_graph"}, score_fingerprint="d" * 64)
    files = build_report(runs_report([one, other])).files
    said = "stand on 2 boards, which differ in judge"
    assert all(said in files[f"report.{kind}"].decode() for kind in ("html", "md", "tex"))
    assert [row["rank"] for row in rows(files, "tables/leaderboard.csv")] == ["", ""]
    assert [row["open_rank_common"] for row in rows(files, "tables/leaderboard.csv")] == ["", ""]
    assert [row["board"] for row in rows(files, "tables/runs.csv")] == ["e" * 16, "d" * 16]


def test_a_run_that_no_board_ranks_neither_has_a_rank_nor_shrinks_what_the_others_share() -> None:
    partial = table("r3", "Ольха", partial=True)
    few = RunTable(partial.run, [item.line for item in partial.items][:2], [])
    files = build_report(runs_report([table("r1", "Ива"), table("r2", "Кедр"), few])).files
    found = {row["model"]: row for row in rows(files, "tables/leaderboard.csv")}
    assert [found[name]["rank"] for name in ("Ива", "Кедр", "Ольха")] == ["1", "2", ""]
    assert (found["Ольха"]["open_common"], found["Ольха"]["pairs"]) == ("", "1")
    assert [row["model"] for row in rows(files, "tables/ranks.csv")] == ["Ива", "Кедр"]
    page = files["report.html"].decode()
    assert "Run r3 of Ольха is not ranked: a partial run" in page
    assert "the 4 fabulas that all ranked models share" in page
    alone = build_report(runs_report([few])).files["report.html"].decode()
    assert "No board ranks any of these" in alone


def test_an_answer_worth_nothing_is_not_taken_for_one_that_said_nothing() -> None:
    lines = [
        line(0, "f0", "closed", (0.5, 0.5, 0.67)),
        line(1, "f0", "open", (0.0, 0.0, 0.0)),
        line(2, "f1", "closed", (0.5, 0.5, 0.67)),
        line(3, "f1", "open", (0.0, 0.0, 0.0), zero="empty", outcome="empty"),
        line(4, "f2", "closed", (0.0, 0.0, 0.0), zero="refused_by_provider", outcome="refused_by_provider"),
        line(5, "f2", "open", (1.0, 1.0, 1.0)),
    ]
    counts = [("closed", "deep", "answered", 2), ("closed", "deep", "refused_by_provider", 1)]
    counts += [("open", "deep", "answered", 2), ("open", "deep", "empty", 1), ("open", "deep", "context_overflow", 3)]
    given = RunTable(run("r1", "Ива"), lines, counts)
    files = build_report(runs_report([given])).files
    [row] = rows(files, "tables/leaderboard.csv")
    assert (row["closed_silent"], row["open_silent"]) == ("1", "1")
    assert float(row["gap_without_silent"]) == round(-(0.5 + 0.5 + 0.67) / 3, 4)
    closed, opened = rows(files, "tables/coverage.csv")
    assert (closed["refused_by_provider"], closed["empty"], closed["context_overflow"]) == ("1", "0", "0")
    assert (opened["empty"], opened["context_overflow"], opened["answered"]) == ("1", "3", "3")
    assert (float(opened["mean"]), float(opened["mean_without_zeros"])) == (round(1 / 3, 4), 0.5)


def test_further_judges_are_compared_on_the_values_that_they_may_give() -> None:
    # Of six questions two lack a verdict; of the rest three agree. By chance 1/2·1/4 + 1/2·3/4 = 1/2, so κ = 1/2.
    verdicts = ((1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (None, 1.0), (1.0, None))
    judged = [JudgedTwice("main", "second", "step_correctness", (0.0, 0.5, 1.0), verdicts)]
    [row] = rows(build_report(runs_report([table()], judged=judged)).files, "tables/judges.csv")
    assert (row["first"], row["second"], row["both"], row["total"]) == ("main", "second", "4", "6")
    assert (row["raw"], row["kappa"], row["difference"]) == ("0.75", "0.5", "0.25")
    # Three values: (3 · 0.75 - 1) / 2; five bins, two of which no judge can fill, would say 0.6875.
    assert row["pabak"] == "0.625"


def test_what_scripts_reach_stands_beside_the_runs_under_the_same_conditions() -> None:
    settings = {"configuration": "full_graph_edges", "token_budget": 9000}
    script = {"token_budget": 9000, "component": "norm_coverage", "tasks": 12, "reason": None}
    beside = [{**script, "participant": "marker", "mean": 0.9}, {**script, "participant": "hub", "mean": 0.4}]
    report = runs_report([table(settings=settings), table("r2", "Кедр")], given_away=[beside, []])
    found = rows(build_report(report).files, "tables/given_away.csv")
    assert [(row["participant"], row["reads_law"], row["mean"], row["tasks"]) for row in found] == [
        ("marker", "no", "0.9", "12"),
        ("hub", "no", "0.4", "12"),
        ("Ива", "yes", "0.3", "4"),
    ]
    quiet = build_report(runs_report([table()], given_away=[[]])).files["report.html"].decode()
    assert "mark no norm" in quiet


def test_a_run_without_a_complete_pair_has_no_rank_and_takes_none_from_others() -> None:
    unscored = [
        line(k, f"f{k // 2}", mode, (0.1, None, 0.33), reason="the step has no verdict")
        for k, mode in enumerate(("closed", "open") * 4)
    ]
    files = build_report(runs_report([table("r1", "Ива"), RunTable(run("r2", "Кедр"), unscored, [])])).files
    found = {row["model"]: row for row in rows(files, "tables/leaderboard.csv")}
    assert (found["Ива"]["rank"], found["Кедр"]["rank"]) == ("1", "")
    assert (found["Кедр"]["closed"], found["Кедр"]["gap_without_silent"], found["Ива"]["closed_common"]) == (
        "",
        "",
        "0.3267",
    )
    assert [row["model"] for row in rows(files, "tables/ranks.csv")] == ["Ива"]
    assert "leave out Кедр" in files["report.html"].decode()


def test_names_of_any_script_and_with_dollars_are_drawn_or_named() -> None:
    rare = "\U0001f9ff"  # no font that we take has it
    names = ["$\\frac{ Модель_1$ & <b>", f"Ива {rare}"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = build_report(runs_report([table("r1", names[0]), table("r2", names[1])])).files
    assert [row["model"] for row in rows(files, "tables/leaderboard.csv")] == names
    page = files["report.html"].decode()
    assert f"Figures show boxes in Ива {rare}:" in page
    assert "<b>" not in page
