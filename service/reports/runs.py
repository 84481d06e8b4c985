"""A report on runs of the service: their tables of scores as a `ReportInput`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.analysis import COMPONENTS, Column, GapTable
from service.benchmarks import evaluation_of
from service.domain import Mode
from service.errors import InputError
from service.evaluation import ItemScore, JudgedTwice, Pair, RunTable, not_ranked
from service.reports.answers import NO_ERROR, SCORES, AnswerTable
from service.reports.conditions import board_remarks, coverage_table, given_away_table, judge_pairs, run_table
from service.reports.labels import LABELS
from service.reports.model import Entry, ReportInput, Source

__all__ = ["runs_report"]

_COMPONENTS: Final = tuple(component.value for component in COMPONENTS)
_REASONING: Final = "nc_reasoning"


def runs_report(
    tables: Sequence[RunTable],
    *,
    title: str = "",
    public: Collection[str] | None = None,
    judged: Sequence[JudgedTwice] = (),
    given_away: Sequence[Sequence[Mapping[str, Any]]] | None = None,
) -> ReportInput:
    """Return the input of a report on these runs.

    The report shows single scores (the scatter, slices of few tasks, the records): it is for those who may see the item
    scores of every run in it.

    Args:
        tables: The runs' tables, of one benchmark that scores NC, SC and AC, each with answers in both modes.
        title: Heading; by default the benchmark and its task sets.
        public: Fabulas that are public, for the signal of contamination; None where that is not known.
        judged: Verdicts of further judges beside the runs' own (`service.evaluation.judged_twice`).
        given_away: For each run, what scripts that read no law reach under its conditions (`service.evaluation.GivenAway`);
            None where nobody asked.

    Raises:
        InputError: No runs, runs of several benchmarks, a run twice, a benchmark with other components, or a run without
            pairs.
    """
    if not tables:
        raise InputError("a report of no runs was asked for; name at least one")
    benchmarks = sorted({table.run.benchmark for table in tables})
    if len(benchmarks) > 1:
        raise InputError(f"runs of {' and '.join(benchmarks)} do not compare; report on one benchmark at a time")
    if evaluation_of(benchmarks[0]).components != _COMPONENTS:
        raise InputError(f"benchmark {benchmarks[0]!r} does not score {', '.join(_COMPONENTS)}, which a report needs")
    twice = [run for run, count in Counter(table.run.id for table in tables).items() if count > 1]
    if twice:
        raise InputError(f"run {twice[0]!r} is named twice; name it once")
    names = _names(tables)
    entries = tuple(
        Entry(
            table.run.id,
            name,
            name,
            str(table.run.conditions.get("slice") or ""),
            _pairs(table, name),
            _silent(table),
            not_ranked(table, table.complete) or "",
        )
        for table, name in zip(tables, names, strict=True)
    )
    sets = ", ".join(sorted({table.run.task_set for table in tables}))
    return ReportInput(
        title=title or f"{benchmarks[0]}: {sets}",
        entries=entries,
        sources=tuple(Source(f"run {t.run.id}, {t.run.participant}", t.run.score_fingerprint) for t in tables),
        public=None if public is None else frozenset(public),
        public_reason="which fabulas are public was not given",
        answers=_answers(tables, names),
        judge_pairs=judge_pairs(judged),
        open_label=Mode.OPEN.value,
        remarks=board_remarks(tables),
        conditions=(run_table(tables, names), coverage_table(tables, names)),
        beside=(given_away_table(tables, names, given_away),),
        one_board=len({table.run.score_fingerprint for table in tables}) == 1,
    )


def _names(tables: Sequence[RunTable]) -> list[str]:
    """Return a name a run: the participant's, with the run's id where a participant has several."""
    counts = Counter(table.run.participant for table in tables)
    return [
        table.run.participant if counts[table.run.participant] == 1 else f"{table.run.participant} ({table.run.id})"
        for table in tables
    ]


def _in_both_modes(table: RunTable) -> list[Pair]:
    return [pair for pair in table.pairs if pair.closed is not None and pair.open is not None]


def _silent(table: RunTable) -> NDArray[np.bool_]:
    found = [
        (pair.closed.said_nothing, pair.open.said_nothing)
        for pair in _in_both_modes(table)
        if pair.closed is not None and pair.open is not None
    ]
    return np.array(found, dtype=np.bool_).reshape(-1, 2).T


def _pairs(table: RunTable, name: str) -> GapTable:
    pairs = _in_both_modes(table)
    if not pairs:
        raise InputError(
            f"run {table.run.id!r} has no fabula in both modes; a report needs runs with closed and open tasks"
        )
    lines = [pair.open.line for pair in pairs if pair.open is not None]
    gaps = np.array([[_component_gap(pair, one) for one in _COMPONENTS] for pair in pairs], dtype=np.float64)
    return GapTable(
        model=Column.of([name] * len(pairs)),
        task=Column.of(pair.fabula_id for pair in pairs),
        task_type=Column.of(line.task_type for line in lines),
        depth=Column.of(line.depth for line in lines),
        branch=Column.of(line.branch for line in lines),
        closed=np.array([_known(pair.closed.final if pair.closed else None) for pair in pairs], dtype=np.float64),
        open=np.array([_known(pair.open.final if pair.open else None) for pair in pairs], dtype=np.float64),
        gap=np.array([pair.gap for pair in pairs], dtype=np.float64),
        component_gaps=gaps,
    )


def _component_gap(pair: Pair, name: str) -> float:
    if pair.closed is None or pair.open is None:
        return math.nan
    recorded = pair.open.line.details.get(f"{name}_gap")
    if recorded is not None:
        return float(recorded)
    return _known(pair.open.components.get(name)) - _known(pair.closed.components.get(name))


def _answers(tables: Sequence[RunTable], names: Sequence[str]) -> AnswerTable | None:
    """Return the answers that have components; None when none has, as in an imported release."""
    rows: list[tuple[str, ItemScore]] = [
        (name, item)
        for table, name in zip(tables, names, strict=True)
        for item in table.items
        if any(value is not None for value in item.components.values())
    ]
    if not rows:
        return None
    errors = [item.line.error or NO_ERROR for _, item in rows]
    found = set(errors) - {NO_ERROR}
    kinds = [key for key in LABELS if key in found]
    return AnswerTable(
        model=Column.of(name for name, _ in rows),
        mode=Column.of(item.line.mode for _, item in rows),
        task_type=Column.of(item.line.task_type for _, item in rows),
        depth=Column.of(item.line.depth for _, item in rows),
        branch=Column.of(item.line.branch for _, item in rows),
        scores=np.array([_scores(item) for _, item in rows], dtype=np.float64).reshape(len(rows), len(SCORES)),
        error=Column.of(errors),
        kinds=(*kinds, *sorted(found - set(kinds))),
    )


def _scores(item: ItemScore) -> list[float]:
    coverage, steps, answer = (_known(item.components.get(name)) for name in _COMPONENTS)
    reasoning = item.line.details.get(_REASONING)
    if reasoning is None and item.zero is not None:
        reasoning = 0.0  # nothing was said: every level is zero
    return [coverage, _known(reasoning), steps, answer, _known(item.final)]


def _known(value: Any) -> float:
    return math.nan if value is None else float(value)
