"""Single answers with the components of their scores, where these are at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.analysis import Column, Moments, moments, slices_by
from service.analysis.stream import Floats
from service.errors import InputError

__all__ = ["NO_ERROR", "SCORES", "AnswerSummary", "AnswerTable", "answer_summaries"]

NO_ERROR: Final = ""

SCORES: Final = (
    "norm_coverage_list",
    "norm_coverage_reasoning",
    "step_correctness",
    "answer_correctness",
    "final_score",
)
"""Columns of an answer's scores, as ``agg_*.csv`` names them."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """One row an answer.

    Attributes:
        model: Who answered.
        mode: Closed, or how the open mode is called.
        task_type: The task's type.
        depth: Its group of depth.
        branch: Its branch of law.
        scores: Shape (rows, 5): `SCORES`, 0 to 1; NaN where unavailable.
        error: Why each answer failed, as its benchmark names it; `NO_ERROR` for one that did not, or whose scores are
            unavailable.
        kinds: The benchmark's names of errors, in the order in which they are shown.
    """

    model: Column
    mode: Column
    task_type: Column
    depth: Column
    branch: Column
    scores: Floats
    error: Column
    kinds: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together.

        Raises:
            InputError: Columns of different lengths, a score outside 0 to 1, or an error that the benchmark does not name.
        """
        rows = len(self.model.codes)
        if self.scores.shape != (rows, len(SCORES)):
            raise InputError(
                f"scores of shape {self.scores.shape!r} do not fit {rows} answers; give {len(SCORES)} an answer"
            )
        for name in ("mode", "task_type", "depth", "branch", "error"):
            if len(getattr(self, name).codes) != rows:
                raise InputError(
                    f"column {name!r} has {len(getattr(self, name).codes)} rows, not {rows}; give one an answer"
                )
        bad = ~(np.isnan(self.scores) | ((self.scores >= 0) & (self.scores <= 1)))
        if bad.any():
            row, place = (int(i) for i in np.argwhere(bad)[0])
            raise InputError(
                f"{SCORES[place]} {float(self.scores[row, place])!r} of answer {row} is outside 0 to 1; correct it"
            )

        unknown = sorted(set(self.error.names) - {*self.kinds, NO_ERROR})
        if unknown:
            raise InputError(f"error {unknown[0]!r} is none of {', '.join(self.kinds)}; give one of them or none")

    def rows_of(self, models: Sequence[int]) -> AnswerTable:
        """Return the answers of the models with these codes."""
        rows = np.flatnonzero(np.isin(self.model.codes, list(models)))
        return AnswerTable(
            self.model[rows],
            self.mode[rows],
            self.task_type[rows],
            self.depth[rows],
            self.branch[rows],
            self.scores[rows],
            self.error[rows],
            self.kinds,
        )

    def error_counts(self, model: str, mode: str) -> list[int]:
        """Return how many answers of a model in a mode failed in each of ``kinds``."""
        mine = self.model.where(model) & self.mode.where(mode)
        return [int((mine & self.error.where(kind)).sum()) for kind in self.kinds]


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """One row of an ``agg_*.csv``.

    Attributes:
        names: What the slice shares.
        count: Answers.
        scores: Moments of each of `SCORES`.
    """

    names: tuple[str, ...]
    count: int
    scores: tuple[Moments, ...]


def answer_summaries(table: AnswerTable, columns: Sequence[Column]) -> list[AnswerSummary]:
    """Return the means and deviations of each slice, sorted by name; what is unavailable is left out of them."""
    return [
        AnswerSummary(
            part.names, len(part.rows), tuple(moments(table.scores[part.rows, k]) for k in range(len(SCORES)))
        )
        for part in slices_by(columns)
    ]
