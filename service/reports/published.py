"""The published files, same names and columns: ``statistics/``, and ``gap_*`` and ``agg_*`` of every experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.analysis import (
    Column,
    GapTable,
    Interval,
    Moments,
    PairedTest,
    Quadrant,
    gap_summaries,
    moments,
    paired_test,
    slices_by,
    stars,
)
from service.domain import Depth, Mode, TaskType
from service.reports.answers import SCORES, AnswerTable, answer_summaries
from service.reports.model import Entry, ReportInput
from service.reports.tables import Cell, Field, Table

__all__ = ["Standing", "experiment_files", "missing_cells", "standings", "statistics_files"]

_GAP_SLICES: Final[tuple[tuple[str, ...], ...]] = (
    ("model_name",),
    ("task_type",),
    ("hop_group",),
    ("model_name", "task_type"),
    ("model_name", "hop_group"),
)
_AGG_SLICES: Final[tuple[tuple[str, ...], ...]] = (
    ("model_name", "mode"),
    ("model_name", "task_type", "mode"),
    ("model_name", "hop_group", "mode"),
    ("model_name", "branch_of_law", "mode"),
    ("task_type", "hop_group"),
)
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's means over its complete pairs, with their intervals.

    Attributes:
        entry: The model.
        pairs: Its complete pairs.
        total: Its records, unscored ones included.
        closed: Mean closed score; None without a pair, its bounds equal with one.
        open: Mean open score.
        gap: Mean of the recorded gaps, which MHGB rounds to four digits.
        difference: Mean of the unrounded differences.
        test: Paired test of the differences.
    """

    entry: Entry
    pairs: int
    total: int
    closed: Interval | None
    open: Interval | None
    gap: Interval | None
    difference: Interval | None
    test: PairedTest


def standings(report: ReportInput) -> list[Standing]:
    """Return every model's means and intervals, by falling closed mean as in the published tables, models without last."""
    tables = [entry.table[entry.table.scored] for entry in report.entries]
    series = [[table.closed, table.open, table.gap, table.difference] for table in tables]
    filled = [place for place, table in enumerate(tables) if len(table)]
    drawn = report.bootstrap.means([values for place in filled for values in series[place]])
    intervals: dict[int, list[Interval | None]] = {
        place: list(drawn[4 * k : 4 * k + 4]) for k, place in enumerate(filled)
    }
    found = []
    for place, entry in enumerate(report.entries):
        closed, opened, gap, difference = intervals.get(place, [None] * 4)
        test = paired_test(series[place][3], report.tail)
        found.append(Standing(entry, len(tables[place]), len(entry.table), closed, opened, gap, difference, test))
    return sorted(found, key=lambda s: (s.closed is None, -(s.closed.value if s.closed else 0.0), s.entry.display))


def statistics_files(ranked: Sequence[Standing]) -> dict[str, Table]:
    """Return the four files of ``statistics/``, by path; a bound needs two pairs."""

    def bounds(interval: Interval | None) -> tuple[float | None, float | None, float | None]:
        if interval is None:
            return None, None, None
        return (interval.value, None, None) if interval.n < 2 else (interval.value, interval.low, interval.high)

    tail = (Field("ci_low", digits=_DIGITS), Field("ci_high", digits=_DIGITS))
    gap_rows: list[tuple[Cell, ...]] = []
    closed_rows: list[tuple[Cell, ...]] = []
    open_rows: list[tuple[Cell, ...]] = []
    test_rows: list[tuple[Cell, ...]] = []
    for one in ranked:
        name = one.entry.display
        gap_rows.append((name, one.entry.experiment, one.pairs, *bounds(one.gap)))
        closed_rows.append((name, *bounds(one.closed)))
        open_rows.append((name, *bounds(one.open)))
        mean, low, high = bounds(one.difference)
        test_rows.append((name, one.pairs, mean, one.test.t, one.test.p_value, stars(one.test.p_value), low, high))
    tables: dict[str, tuple[tuple[Field, ...], list[tuple[Cell, ...]]]] = {
        "bootstrap_gap_ci": (
            (Field("model"), Field("exp"), Field("n_pairs"), Field("mean_gap", digits=_DIGITS), *tail),
            gap_rows,
        ),
        "closed_ci": ((Field("model"), Field("mean_closed", digits=_DIGITS), *tail), closed_rows),
        "open_ci": ((Field("model"), Field("mean_open", digits=_DIGITS), *tail), open_rows),
        "paired_test_results": (
            (
                Field("model"),
                Field("n_pairs"),
                Field("mean_gap", digits=_DIGITS),
                Field("t_stat", digits=3),
                Field("p_value", digits=6),
                Field("sig"),
                Field("gap_ci_low", digits=_DIGITS),
                Field("gap_ci_high", digits=_DIGITS),
            ),
            test_rows,
        ),
    }
    return {f"statistics/{key}.csv": Table(key, key, fields, tuple(rows)) for key, (fields, rows) in tables.items()}


def experiment_files(report: ReportInput) -> dict[str, Table]:
    """Return the ``gap_*.csv`` and ``agg_*.csv`` of every experiment, by path."""
    files: dict[str, Table] = {}
    for experiment, entries in report.experiments.items():
        table = GapTable.concatenated([entry.table for entry in entries])
        for names in _GAP_SLICES:
            key = "gap_" + "_".join(names)
            files[f"{experiment}/{key}.csv"] = _gap_table(key, names, table)
        for names in _AGG_SLICES:
            key = "agg_" + "_".join(names)
            if report.answers is not None:
                rows = _agg_rows_of_answers(names, report.answers, {entry.model for entry in entries})
            else:
                rows = _agg_rows_of_pairs(names, table, report)
            fields = [*(Field(name) for name in names), Field("count"), *_moment_fields(SCORES)]
            files[f"{experiment}/{key}.csv"] = Table(key, key, tuple(fields), tuple(rows))
    return files


def _column(table: GapTable | AnswerTable, name: str) -> Column:
    columns = {
        "model_name": table.model,
        "task_type": table.task_type,
        "hop_group": table.depth,
        "branch_of_law": table.branch,
    }
    return columns[name]


def _moment_fields(names: Sequence[str]) -> list[Field]:
    return [Field(f"{name}_{kind}", digits=_DIGITS) for name in names for kind in ("mean", "std")]


def _moment_cells(several: Sequence[Moments]) -> list[Cell]:
    return [cell for one in several for cell in (one.mean, one.std)]


def _gap_table(key: str, names: Sequence[str], table: GapTable) -> Table:
    gaps = ("norm_coverage_gap", "step_correctness_gap", "answer_correctness_gap", "final_score_gap")
    fields = [
        *(Field(name) for name in names),
        Field("n_pairs"),
        *_moment_fields(gaps),
        *(Field(f"q_{quadrant.value}") for quadrant in Quadrant),
    ]
    rows: list[tuple[Cell, ...]] = [
        (*one.names, one.n_pairs, *_moment_cells([*one.components, one.final]), *one.quadrants)
        for one in gap_summaries(table, [_column(table, name) for name in names])
    ]
    return Table(key, key, tuple(fields), tuple(rows))


def _agg_rows_of_answers(names: Sequence[str], answers: AnswerTable, models: set[str]) -> list[tuple[Cell, ...]]:
    mine = [place for place, name in enumerate(answers.model.names) if name in models]
    here = answers.rows_of(mine)
    columns = [here.mode if name == "mode" else _column(here, name) for name in names]
    return [(*one.names, one.count, *_moment_cells(one.scores)) for one in answer_summaries(here, columns)]


def _agg_rows_of_pairs(names: Sequence[str], table: GapTable, report: ReportInput) -> list[tuple[Cell, ...]]:
    """Return what pairs alone can tell of single answers.

    The components are not in them, and an answer without its counterpart is not either. So the final score of a slice is
    told only where the slice has as many pairs as the task set has fabulas there; elsewhere its cells stay empty.
    """
    rows: list[tuple[Cell, ...]] = []
    components: list[Cell] = [None] * (2 * len(SCORES) - 2)
    by = [name for name in names if name != "mode"]
    for part in slices_by([_column(table, name) for name in by]):
        closed, opened = table.closed[part.rows], table.open[part.rows]
        answers = {(*part.names, Mode.CLOSED.value): closed, (*part.names, report.open_label): opened}
        if "mode" not in names:
            answers = {part.names: np.concatenate([closed, opened])}
        whole = _is_whole(table[part.rows], by, report.cell_size)
        for labels, scores in answers.items():
            found = moments(scores)
            told: tuple[Cell, Cell, Cell] = (found.scored, found.mean, found.std) if whole else (None, None, None)
            rows.append((*labels, told[0], *components, *told[1:]))
    return rows


def _is_whole(table: GapTable, by: Sequence[str], cell_size: int | None) -> bool:
    """Return whether a slice has every pair that its models could have."""
    if cell_size is None:
        return False
    cells = (1 if "task_type" in by else len(TaskType)) * (1 if "hop_group" in by else len(Depth))
    models = len(np.unique(table.model.codes))
    return bool(table.scored.sum() == cell_size * cells * models)


def missing_cells(files: Mapping[str, Table], report: ReportInput) -> Table:
    """Return which cells of the published files stay empty, and why."""
    rows: list[tuple[Cell, ...]] = []
    for path, table in files.items():
        reasons: dict[tuple[str, str], int] = {}
        for row in table.rows:
            for cell, field in zip(row, table.fields, strict=True):
                if cell is None:
                    reason = _reason(path, field.name, report)
                    kind = "components" if field.name.startswith(SCORES[:4]) else field.name
                    reasons[kind, reason] = reasons.get((kind, reason), 0) + 1
        rows += [(path, kind, count, reason) for (kind, reason), count in reasons.items()]
    fields = (Field("file"), Field("column"), Field("cells"), Field("reason"))
    return Table("not_reproduced", "Cells that stay empty", fields, tuple(rows))


def _reason(path: str, column: str, report: ReportInput) -> str:
    if "/agg_" in path and report.answers is None:
        if column.startswith(SCORES[:4]):
            return "the records hold the gaps of the components, not the components of single answers"
        if report.cell_size is None:
            return "how many answers there are in all is not in the records"
        return "the slice has answers without a counterpart in the other mode, and the records hold pairs alone"
    if column.endswith("_std"):
        return "fewer than two values have no deviation"
    if column.endswith(("_low", "_high")) or column in {"t_stat", "p_value"}:
        return "fewer than two pairs, or differences that do not vary, have no interval and no test"
    return "no value is there"
