"""Pairs as columns: slices, quadrants, coverage, contamination, and bad input."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import service.analysis
from service.analysis import (
    Bootstrap,
    Column,
    GapTable,
    Quadrant,
    contamination_signals,
    covered_mean,
    gap_summaries,
    moments,
    quadrants,
    slice_intervals,
    slices_by,
)
from service.errors import InputError
from tests.benchmarks import plain
from tests.unit.analysis.helpers import Row, pairs

NAN = math.nan
ROWS: list[Row] = [
    ("b", "t1", "issue_spotting", "deep", 0.2, 0.8),
    ("b", "t2", "rule_selection", "deep", 0.6, 0.7),
    ("a", "t1", "issue_spotting", "deep", 0.5, 0.4),
    ("a", "t2", "rule_selection", "deep", 0.1, NAN),
    ("a", "t3", "rule_selection", "shallow", 0.1, 0.2),
]


def test_quadrants_count_the_threshold_as_high() -> None:
    places = quadrants(np.array([0.5, 0.49, 0.5, 0.49, NAN]), np.array([0.5, 0.5, 0.49, 0.49, 0.7]))
    assert [list(Quadrant)[k].value for k in places[:4]] == ["knows", "reasons", "hallucinates", "incompetent"]
    assert places[4] == -1


def test_quadrants_at_another_threshold() -> None:
    assert quadrants(np.array([0.45]), np.array([0.7]), 0.4).tolist() == [0]
    with pytest.raises(InputError, match=r"threshold 1\.5"):
        quadrants(np.array([0.45]), np.array([0.7]), 1.5)


def test_slices_are_sorted_by_name_and_keep_the_order_of_rows() -> None:
    table = pairs(ROWS)
    found = slices_by((table.model, table.depth))
    assert [(part.names, part.rows.tolist()) for part in found] == [
        (("a", "deep"), [2, 3]), (("a", "shallow"), [4]), (("b", "deep"), [0, 1]),
    ]  # fmt: skip


def test_an_unscored_pair_is_in_no_summary_and_never_a_zero() -> None:
    [a, b] = gap_summaries(table := pairs(ROWS), [table.model])
    assert (a.n_pairs, a.final.scored) == (2, 2)
    assert a.final.mean == pytest.approx(0.0)
    assert (a.quadrants, b.quadrants) == ((0, 0, 1, 1), (1, 1, 0, 0))


def test_a_slice_of_one_pair_has_a_mean_and_no_deviation() -> None:
    summary = gap_summaries(table := pairs(ROWS), [table.model, table.depth])[1]
    assert (summary.names, summary.n_pairs, summary.final.std) == (("a", "shallow"), 1, None)


def test_a_slice_without_any_score_is_not_applicable() -> None:
    table = pairs([("a", "t1", "issue_spotting", "deep", 0.1, NAN), *ROWS[:2]])
    [a, _] = gap_summaries(table, [table.model])
    assert (a.n_pairs, a.final.mean, a.final.std, a.quadrants) == (0, None, None, (0, 0, 0, 0))
    [slice_a, slice_b] = slice_intervals(table, [table.model], Bootstrap(resamples=50))
    assert (slice_a.interval, slice_a.p_value, slice_a.reason) == (None, None, "not applicable: no pairs")
    assert slice_b.interval is not None


def test_slice_intervals_are_those_of_their_series_and_corrected() -> None:
    rows: list[Row] = [
        (model, f"t{k}", "issue_spotting", depth, value * 0.4, min(1.0, value * 0.4 + shift))
        for model, depth, shift in (("a", "deep", 0.3), ("a", "shallow", 0.02), ("b", "deep", 0.1))
        for k, value in enumerate(plain.series(12, 3), start=20 * (depth == "deep"))
    ]
    table = pairs([(*row[:5], round(row[5] - row[4] * 0.1, 3)) for row in rows])
    found = slice_intervals(table, [table.model, table.depth], Bootstrap(resamples=80))
    for one, part in zip(found, slices_by([table.model, table.depth]), strict=True):
        assert one.interval is not None
        expected = plain.bootstrap_mean(table.difference[part.rows].tolist(), 80)
        assert (one.interval.value, one.interval.low, one.interval.high) == expected
    assert all(one.p_holm >= one.p_value for one in found)  # type: ignore[operator]


def test_a_fabula_twice_for_one_model_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="task 't1' occurs more than once for model 'b'"):
        pairs([ROWS[0], ROWS[0]])


@pytest.mark.parametrize("bad", [1.5, -0.1, math.inf])
def test_a_score_outside_its_range_is_refused_by_name(bad: float) -> None:
    with pytest.raises(InputError, match=rf"closed {bad!r} of task 't1', model 'b'"):
        GapTable(
            *(Column.of([name]) for name in ("b", "t1", "issue_spotting", "deep", "x")),
            closed=np.array([bad]),
            open=np.array([0.5]),
            gap=np.array([0.0]),
            component_gaps=np.zeros((1, 3)),
        )


def test_columns_of_other_lengths_are_refused_by_name() -> None:
    table = pairs(ROWS[:2])
    with pytest.raises(InputError, match="column 'task' has 1 rows"):
        GapTable(
            table.model, Column.of(["t1"]), table.task_type, table.depth, table.branch,
            table.closed, table.open, table.gap, table.component_gaps,
        )  # fmt: skip
    with pytest.raises(InputError, match="column 'gap'"):
        GapTable(
            table.model, table.task, table.task_type, table.depth, table.branch,
            table.closed, table.open, table.gap[:1], table.component_gaps,
        )  # fmt: skip


def test_tables_joined_keep_every_row() -> None:
    table = pairs(ROWS)
    parts = list(table.by_model().values())
    joined = GapTable.concatenated(parts)
    assert joined.model.values() == ["b", "b", "a", "a", "a"]
    assert joined.task.values() == ["t1", "t2", "t1", "t2", "t3"]
    with pytest.raises(InputError, match="no records"):
        GapTable.concatenated([])


def test_common_tasks_are_those_that_all_models_have_scores_for() -> None:
    assert pairs(ROWS).common_tasks().tolist() == [True, False, True, False, False]


def test_moments_leave_out_what_is_missing() -> None:
    found = moments(np.array([0.2, NAN, 0.6]))
    assert (found.mean, found.scored, found.total) == (pytest.approx(0.4), 2, 3)
    assert found.std == pytest.approx(np.std([0.2, 0.6], ddof=1))
    assert moments(np.array([NAN])).mean is None


def test_a_mean_says_what_it_rests_on() -> None:
    found = covered_mean(np.array([0.5, NAN, 1.0, 0.0]))
    assert (found.mean, found.scored, found.total, found.coverage) == (0.5, 3, 4, 0.75)
    assert (found.least, found.most) == (0.375, 0.625)


def test_a_mean_of_nothing_is_not_applicable() -> None:
    assert covered_mean(np.array([NAN])).mean is None
    empty = covered_mean(np.array([0.5]), np.array([False]))
    assert (empty.mean, empty.coverage, empty.least) == (None, None, None)
    with pytest.raises(InputError, match="mask"):
        covered_mean(np.array([0.5]), np.array([True, False]))
    with pytest.raises(InputError, match="outside 0 to 1"):
        covered_mean(np.array([0.5, 1.2]))


def test_contamination_is_stratified_by_cell_and_bit_for_bit() -> None:
    rows: list[Row] = [
        ("m", f"t{k}", kind, depth, value, 0.5)
        for k, (value, kind, depth) in enumerate(
            zip(
                plain.series(40),
                ["issue_spotting", "rule_selection"] * 20,
                ["deep"] * 20 + ["shallow"] * 20,
                strict=True,
            )
        )
    ]
    public = {f"t{k}" for k in range(0, 40, 3)}
    [found] = contamination_signals(pairs(rows), public, Bootstrap(resamples=60))
    sides = []
    for wanted in (True, False):
        cells: dict[tuple[str, str], list[float]] = {}
        for _, task, kind, depth, value, _ in rows:
            if (task in public) is wanted:
                cells.setdefault((kind, depth), []).append(value)
        sides.append([cells[cell] for cell in sorted(cells)])
    assert found.difference is not None
    assert (
        found.difference.value,
        found.difference.low,
        found.difference.high,
    ) == plain.bootstrap_stratified_difference(*sides, 60)
    assert (found.public, found.held_back) == (14, 26)


def test_contamination_without_public_fabulas_is_not_applicable() -> None:
    [found] = contamination_signals(pairs(ROWS[:2]), set())
    assert (found.difference, found.public) == (None, 0)
    assert "no public fabula" in found.reason


def test_what_scores_an_answer_does_not_import_scipy() -> None:
    code = (
        "import sys, service.analysis as a; a.Weights, a.GapTable, a.Bootstrap, a.cohen_kappa, a.contamination_signals; "
        "sys.exit(bool('scipy' in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_of_the_analysis_is_there() -> None:
    assert all(getattr(service.analysis, name) is not None for name in service.analysis.__all__)
    with pytest.raises(AttributeError, match="'median'"):
        _ = service.analysis.median
