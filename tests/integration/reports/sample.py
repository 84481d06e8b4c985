"""A made-up set of results: twelve models, Cyrillic and Latin names, every cell filled."""

from __future__ import annotations

import numpy as np

from service.analysis import Bootstrap, Column, GapTable
from service.benchmarks.mhgb import ErrorKind
from service.domain import Depth, TaskType
from service.reports import NO_ERROR, AnswerTable, Entry, JudgePair, ReportInput, Source

MODELS = (
    "Берёза-2 Большая",
    "Voyager Ultra 5.1 Pro",
    "Лён-9Б",
    "Quartz 671B Instruct",
    "Ива",
    "Sonata 4.6 Thinking",
    "Кедр Pro Max",
    "m7",
    "Орешник-32Б",
    "Nightingale Small",
    "Рябина Lite",
    "Zephyr-3",
)
KINDS = tuple(kind.value for kind in ErrorKind)
GROUPS = ("proprietary", "russian", "open_source")


def sample_table(name: str, strength: float, seed: int, per_cell: int = 6) -> GapTable:
    """Pairs of one model; scores are thirds of sixths, as sums of judged levels are."""
    generator = np.random.default_rng(seed)
    cells = [(kind.value, depth.value) for kind in TaskType for depth in Depth for _ in range(per_cell)]
    rows = len(cells)
    closed = np.clip(np.round(strength * 18 + generator.normal(0, 4, rows)), 0, 18) / 18
    opened = np.clip(np.round((strength + 0.2) * 18 + generator.normal(0, 4, rows)), 0, 18) / 18
    parts = np.clip(generator.normal(0.2, 0.2, (rows, 3)), -1, 1).round(4)
    return GapTable(
        Column.of([name] * rows),
        Column.of(f"f{k:03d}" for k in range(rows)),
        Column.of(kind for kind, _ in cells),
        Column.of(depth for _, depth in cells),
        Column.of(["unknown"] * rows),
        closed,
        opened,
        np.round(opened - closed, 4),
        parts,
    )


def sample_answers(names: tuple[str, ...]) -> AnswerTable:
    """Single answers of these models in both modes, with their components."""
    generator = np.random.default_rng(7)
    rows = [
        (name, mode, kind.value, depth.value)
        for name in names
        for mode in ("closed", "open")
        for kind in TaskType
        for depth in Depth
    ]
    parts = np.clip(generator.normal(0.4, 0.3, (len(rows), 4)), 0, 1)
    final = (parts[:, 0] + parts[:, 2] + parts[:, 3]) / 3
    columns = [Column.of(row[k] for row in rows) for k in range(4)]
    errors = [KINDS[k % 5] if value < 0.5 else NO_ERROR for k, value in enumerate(final.tolist())]
    return AnswerTable(
        *columns,
        branch=Column.of(["unknown"] * len(rows)),
        scores=np.column_stack([parts, final]),
        error=Column.of(errors),
        kinds=KINDS,
    )


def sample_report(models: int = 12, *, answers: bool = True, resamples: int = 200, per_cell: int = 6) -> ReportInput:
    """A report on the first models of the sample."""
    entries = tuple(
        Entry(f"run-{k}", name, name, GROUPS[k % 3], sample_table(name, 0.65 - 0.03 * k, k, per_cell))
        for k, name in enumerate(MODELS[:models])
    )
    generator = np.random.default_rng(9)
    first = np.round(generator.random(60) * 3) / 3
    second = np.where(generator.random(60) < 0.8, first, np.round(generator.random(60) * 3) / 3)
    return ReportInput(
        title="A made-up set",
        entries=entries,
        sources=(Source("made-up", "0" * 64),),
        public=frozenset(f"f{k:03d}" for k in range(0, 72, 5)),
        answers=sample_answers(MODELS[:models]) if answers else None,
        judge_pairs=(JudgePair("judge-a", "judge-b", "answer_correctness", first, second),),
        bootstrap=Bootstrap(resamples),
        cell_size=per_cell,
    )
