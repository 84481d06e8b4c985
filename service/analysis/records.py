"""Pairs of scores, closed and open, as columns: what every figure of the analysis is computed from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.analysis.stream import Floats
from service.errors import InputError

__all__ = [
    "COMPONENTS",
    "THRESHOLD",
    "Column",
    "Component",
    "GapTable",
    "Mask",
    "Quadrant",
    "quadrants",
]

Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]

THRESHOLD: Final = 0.5
"""A score from here up is high (mhgb 5)."""


class Component(StrEnum):
    """What a final score is made of, in the order of its weights."""

    NORM_COVERAGE = "norm_coverage"
    STEP_CORRECTNESS = "step_correctness"
    ANSWER_CORRECTNESS = "answer_correctness"


COMPONENTS: Final = tuple(Component)


class Quadrant(StrEnum):
    """Where a fabula stands: (closed, open) high-high, low-high, high-low, low-low."""

    KNOWS = "knows"
    REASONS = "reasons"
    HALLUCINATES = "hallucinates"
    INCOMPETENT = "incompetent"


@dataclass(frozen=True, slots=True)
class Column:
    """Names stored once, and for each row the place of its name.

    Attributes:
        names: The distinct names, by first appearance.
        codes: Shape (rows,): the index of each row's name.
    """

    names: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, values: Iterable[str]) -> Column:
        """Return the column of these values, in their order."""
        places: dict[str, int] = {}
        codes = np.fromiter((places.setdefault(value, len(places)) for value in values), dtype=np.int32)
        return cls(tuple(places), codes)

    def where(self, name: str) -> Mask:
        """Return which rows have this name; none when it does not occur."""
        if name not in self.names:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return np.asarray(self.codes == self.names.index(name))

    def rows(self) -> list[NDArray[np.intp]]:
        """Return the rows of each name, in order, for all names in one pass."""
        order = np.argsort(self.codes, kind="stable")
        cuts = np.searchsorted(self.codes[order], np.arange(1, len(self.names)))
        return np.split(order, cuts) if self.names else []

    def values(self) -> list[str]:
        """Return the name of each row."""
        return [self.names[code] for code in self.codes]

    def __getitem__(self, rows: Mask | NDArray[np.intp]) -> Column:
        """Return these rows; names that no longer occur are kept, so that codes stay comparable."""
        return Column(self.names, self.codes[rows])


@dataclass(frozen=True, slots=True)
class GapTable:
    """One row per model and fabula, both modes side by side, in the order they were given.

    Attributes:
        model: Who answered.
        task: The fabula (id without mode).
        task_type: Its type.
        depth: Its group of depth.
        branch: Its branch of law; a name nobody knows is kept as it is.
        closed: Final score without context, 0 to 1; NaN where it is unavailable.
        open: Final score with context, 0 to 1; NaN where it is unavailable.
        gap: open - closed as recorded, which in MHGB's files is rounded to four digits; NaN where either is.
        component_gaps: Shape (rows, 3): the gap of each of `COMPONENTS` as recorded; NaN where unavailable.
    """

    model: Column
    task: Column
    task_type: Column
    depth: Column
    branch: Column
    closed: Floats
    open: Floats
    gap: Floats
    component_gaps: Floats

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together.

        Raises:
            InputError: Columns of different lengths, a score outside 0 to 1, infinity, or a fabula twice for one model.
        """
        rows = len(self.closed)
        for name in ("model", "task", "task_type", "depth", "branch"):
            if len(getattr(self, name).codes) != rows:
                raise InputError(
                    f"column {name!r} has {len(getattr(self, name).codes)} rows, the scores have {rows}; give one a row"
                )
        for name, shape in (("open", (rows,)), ("gap", (rows,)), ("component_gaps", (rows, len(COMPONENTS)))):
            if getattr(self, name).shape != shape:
                raise InputError(
                    f"column {name!r} has shape {getattr(self, name).shape!r}, not {shape!r}; give one value a row"
                )
        for name, low in (("closed", 0.0), ("open", 0.0), ("gap", -1.0), ("component_gaps", -1.0)):
            self._check_range(name, low)
        keys = self.model.codes.astype(np.int64) * max(1, len(self.task.names)) + self.task.codes
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        if (counts > 1).any():
            row = int(first[counts > 1].min())
            raise InputError(
                f"task {self.task.names[self.task.codes[row]]!r} occurs more than once for model "
                f"{self.model.names[self.model.codes[row]]!r}; a fabula counts once, so remove the others"
            )

    def _check_range(self, name: str, low: float) -> None:
        values: Floats = getattr(self, name)
        bad = ~(np.isnan(values) | ((values >= low) & (values <= 1.0)))
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            raise InputError(
                f"{name} {float(values[place])!r} of task {self.task.names[self.task.codes[place[0]]]!r}, model "
                f"{self.model.names[self.model.codes[place[0]]]!r}, is outside {low:g} to 1; correct the record"
            )

    def __len__(self) -> int:
        return len(self.closed)

    def __getitem__(self, rows: Mask | NDArray[np.intp]) -> GapTable:
        """Return these rows."""
        return GapTable(
            self.model[rows],
            self.task[rows],
            self.task_type[rows],
            self.depth[rows],
            self.branch[rows],
            self.closed[rows],
            self.open[rows],
            self.gap[rows],
            self.component_gaps[rows],
        )

    @property
    def scored(self) -> Mask:
        """Which rows have both scores."""
        return np.asarray(~(np.isnan(self.closed) | np.isnan(self.open)))

    @property
    def difference(self) -> Floats:
        """Open - closed, not rounded; NaN where either is unavailable."""
        return np.asarray(self.open - self.closed)

    def by_model(self) -> dict[str, GapTable]:
        """Return each model's rows, models by first appearance."""
        return {name: self[rows] for name, rows in zip(self.model.names, self.model.rows(), strict=True) if len(rows)}

    def common_tasks(self) -> Mask:
        """Return which rows belong to a fabula for which every model has both scores."""
        present = np.bincount(self.task.codes[self.scored], minlength=len(self.task.names))
        models = len(np.unique(self.model.codes))
        return np.asarray(present[self.task.codes] == models)

    @classmethod
    def concatenated(cls, tables: Sequence[GapTable]) -> GapTable:
        """Return the rows of all tables, in order."""

        def column(name: str) -> Column:
            parts: list[Column] = [getattr(table, name) for table in tables]
            places: dict[Hashable, int] = {}
            codes = []
            for part in parts:
                moved = np.array([places.setdefault(n, len(places)) for n in part.names], dtype=np.int32)
                codes.append(moved[part.codes] if len(part.codes) else np.empty(0, dtype=np.int32))
            return Column(tuple(str(n) for n in places), np.concatenate(codes))

        if not tables:
            raise InputError("there are no records at all; give at least one table")
        return cls(
            column("model"),
            column("task"),
            column("task_type"),
            column("depth"),
            column("branch"),
            np.concatenate([table.closed for table in tables]),
            np.concatenate([table.open for table in tables]),
            np.concatenate([table.gap for table in tables]),
            np.concatenate([table.component_gaps for table in tables]),
        )


def quadrants(closed: Floats, open_: Floats, threshold: float = THRESHOLD) -> NDArray[np.int8]:
    """Return the place of each pair in `Quadrant`; -1 where a score is unavailable.

    Args:
        closed: Shape (n,).
        open_: Shape (n,).
        threshold: A score from here up is high, between 0 and 1.

    Raises:
        InputError: The threshold is outside 0 to 1.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"threshold {threshold!r} is not between 0 and 1; the published one is {THRESHOLD}")
    high_closed, high_open = closed >= threshold, open_ >= threshold
    codes = np.where(high_open, np.where(high_closed, 0, 1), np.where(high_closed, 2, 3))
    return np.where(np.isnan(closed) | np.isnan(open_), -1, codes).astype(np.int8)
