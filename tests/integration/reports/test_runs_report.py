"""Runs of the service as a report."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pytest

from service.db import Run, RunKind, ScoreLine
from service.domain import Depth, TaskType
from service.errors import InputError
from service.evaluation import RunTable
from service.reports import build_report, runs_report


def run(run_id: str, participant: str, benchmark: str = "mhgb") -> Run:
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
    return Run(**fixed, **numbers, **dict.fromkeys(unset))


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


def table(run_id: str = "r1", participant: str = "Ива", *, missing: bool = False) -> RunTable:
    lines = []
    for k in range(4):
        closed = (0.1 * k, 0.5, 0.33)
        opened: tuple[float | None, ...] = (0.2 * k, 0.5, None if missing and k == 3 else 1.0)
        lines.append(line(2 * k, f"f{k}", "closed", closed, error="norm_miss" if k < 3 else None))
        lines.append(line(2 * k + 1, f"f{k}", "open", opened))
    return RunTable(run(run_id, participant), lines, [])


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
