"""A whole report of made-up results: what it holds, what it says of what it cannot show, and bad input."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

from service.analysis import Column, GapTable
from service.errors import InputError
from service.reports import (
    NO_ERROR,
    AnswerTable,
    Entry,
    Report,
    ReportInput,
    Source,
    build_report,
    write_report,
)
from tests.integration.reports.sample import MODELS, sample_report, sample_table
from tests.unit.analysis.helpers import pairs


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(sample_report(3, resamples=60))


def rows(report: Report, path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(report.files[path].decode())))


def test_everything_is_there(report: Report) -> None:
    names = {Path(path).name for path in report.files}
    assert {"bootstrap_gap_ci.csv", "closed_ci.csv", "open_ci.csv", "paired_test_results.csv"} <= names
    assert {
        "report.md",
        "report.tex",
        "report.html",
        "manifest.json",
        "gap_model_name.csv",
        "agg_model_name_mode.csv",
    } <= names
    figures = {"leaderboard", "quadrants", "gap", "radar", "ranks", "weights", "errors"}
    assert {f"{name}.{kind}" for name in figures for kind in ("png", "svg")} <= names
    assert report.notes == ()


def test_the_same_input_gives_the_same_bytes(report: Report) -> None:
    assert build_report(sample_report(3, resamples=60)).files == report.files


def test_own_runs_are_tested_by_student_and_more_carefully(report: Report) -> None:
    published = build_report(dataclasses.replace(sample_report(3, resamples=60), tail="normal"))
    path = "statistics/paired_test_results.csv"
    student, normal = rows(report, path), rows(published, path)
    assert [row["t_stat"] for row in student] == [row["t_stat"] for row in normal]
    assert all(float(a["p_value"]) >= float(b["p_value"]) for a, b in zip(student, normal, strict=True))


def test_components_of_answers_fill_the_agg_files(report: Report) -> None:
    answers = sample_report(3).answers
    assert answers is not None
    [closed, opened] = rows(report, "run-0/agg_model_name_mode.csv")
    mine = answers.model.where(MODELS[0]) & answers.mode.where("closed")
    assert (closed["mode"], opened["mode"], closed["count"]) == ("closed", "open", "12")
    assert float(closed["step_correctness_mean"]) == round(float(answers.scores[mine, 2].mean()), 4)
    assert float(closed["final_score_std"]) == round(float(answers.scores[mine, 4].std(ddof=1)), 4)
    assert all(value != "" for value in closed.values())


def test_the_figures_carry_no_date_and_no_program(report: Report) -> None:
    for path, data in report.files.items():
        if path.startswith("figures/"):
            assert b"matplotlib.org" not in data, path
            assert b"dc:date" not in data, path


def test_latin_and_cyrillic_labels(report: Report) -> None:
    russian = build_report(sample_report(3, resamples=60), "ru")
    assert "Вероятность каждого места" in russian.files["report.html"].decode()
    assert russian.files["figures/gap.png"] != report.files["figures/gap.png"]
    assert russian.files["statistics/open_ci.csv"] == report.files["statistics/open_ci.csv"]


def test_judges_are_compared(report: Report) -> None:
    [row] = rows(report, "tables/judges.csv")
    assert (row["both"], row["total"]) == ("60", "60")
    assert 0 < float(row["kappa_low"]) < float(row["kappa"]) < float(row["kappa_high"]) < 1
    assert float(row["raw"]) > float(row["kappa"])


def test_a_written_report_is_what_was_built(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path / "new" / "folder")
    found = {
        str(p.relative_to(tmp_path / "new" / "folder")): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()
    }
    assert found == dict(report.files)


def test_a_folder_that_cannot_be_written_is_refused_by_name(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(InputError, match=r"file.* cannot be written"):
        write_report(report, tmp_path / "file")


def of(*tables: GapTable) -> ReportInput:
    entries = tuple(Entry(f"run-{k}", t.model.names[0], t.model.names[0], "", t) for k, t in enumerate(tables))
    return ReportInput("small", entries, (Source("made-up", "0" * 64),), public_reason="no ids are public")


def test_a_model_with_one_task_is_shown_without_what_it_cannot_have() -> None:
    report = build_report(of(pairs([("solo", "t1", "issue_spotting", "deep", 0.2, 0.7)])))
    [gap] = rows(report, "statistics/bootstrap_gap_ci.csv")
    assert (gap["n_pairs"], gap["mean_gap"], gap["ci_low"], gap["ci_high"]) == ("1", "0.5", "", "")
    [test] = rows(report, "statistics/paired_test_results.csv")
    assert (test["t_stat"], test["p_value"], test["sig"]) == ("", "", "not applicable")
    [one] = rows(report, "tables/slices.csv")
    assert "one pair" in one["reason"]
    assert rows(report, "run-0/gap_model_name.csv")[0]["final_score_gap_std"] == ""
    explained = {(row["file"], row["column"]) for row in rows(report, "tables/not_reproduced.csv")}
    assert ("statistics/bootstrap_gap_ci.csv", "ci_low") in explained
    assert any("other weights: not applicable" in note for note in report.notes)
    assert any("Error taxonomy: not applicable" in note for note in report.notes)


def test_a_model_without_any_score_is_no_zero() -> None:
    report = build_report(
        of(
            pairs([("a", f"t{k}", "issue_spotting", "deep", 0.2, 0.1 * k) for k in range(4)]),
            pairs([("b", f"t{k}", "issue_spotting", "deep", 0.3, math.nan) for k in range(4)]),
        )
    )
    last = rows(report, "statistics/open_ci.csv")[-1]
    assert last == {"model": "b", "mean_open": "", "ci_low": "", "ci_high": ""}
    board = {row["model"]: row for row in rows(report, "tables/leaderboard.csv")}
    assert (board["b"]["pairs"], board["b"]["fabulas"], board["b"]["open"]) == ("0", "4", "")
    # It has no place, and takes none from the other.
    assert (board["a"]["rank"], board["b"]["rank"]) == ("1", "")
    (remark,) = json.loads(report.files["manifest.json"])["remarks"]
    assert remark.startswith("Ranks, common fabulas, neighbours and sensitivity leave out b,")
    assert "not applicable: no pairs" in {row["reason"] for row in rows(report, "tables/slices.csv")}


def test_unknown_public_fabulas_are_said_to_be_unknown() -> None:
    report = build_report(of(sample_table("a", 0.4, 1, 2), sample_table("b", 0.5, 2, 2)))
    assert "Not applicable: no ids are public." in report.files["report.md"].decode()
    assert rows(report, "tables/contamination.csv") == []


def test_a_report_of_nothing_or_of_one_model_twice_is_refused() -> None:
    with pytest.raises(InputError, match="has no models"):
        ReportInput("none", (), ())
    table = sample_table("a", 0.4, 1, 2)
    with pytest.raises(InputError, match="model 'a' occurs in more than one experiment"):
        of(table, table)


def test_an_extra_file_may_not_take_the_place_of_another() -> None:
    with pytest.raises(InputError, match=r"extra file 'report\.md'"):
        build_report(of(sample_table("a", 0.4, 1, 2)), extra={"report.md": b""})


def answers_of(*scores: tuple[float, float, float, float, float], error: str = NO_ERROR) -> AnswerTable:
    column = Column.of(["x"] * len(scores))
    errors = Column.of([error] * len(scores))
    return AnswerTable(column, column, column, column, column, np.array(scores), errors, ("slip", "fall"))


def test_errors_are_counted_by_model_and_mode() -> None:
    answers = sample_report(3).answers
    assert answers is not None
    counts = answers.error_counts(MODELS[1], "open")
    mine = answers.model.where(MODELS[1]) & answers.mode.where("open")
    assert sum(counts) == int((answers.scores[mine, 4] < 0.5).sum()) > 0
    assert answers_of((0.1, 0.1, 0.1, 0.1, 0.1), error="fall").error_counts("x", "x") == [0, 1]


def test_answers_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"step_correctness 1\.5 of answer 0"):
        answers_of((0.1, 0.1, 1.5, 0.1, 0.1))
    with pytest.raises(InputError, match="error 'trip' is none of slip, fall"):
        answers_of((0.1, 0.1, 0.1, 0.1, 0.1), error="trip")
    column = Column.of(["x"])
    with pytest.raises(InputError, match="do not fit 1 answers"):
        AnswerTable(column, column, column, column, column, np.zeros((1, 4)), Column.of([NO_ERROR]), ())
