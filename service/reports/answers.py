"""Single answers with the components of their scores, where these are at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.analysis import Column, Moments, moments, slices_by
from service.analysis.stream import Floats
from service.errors import InputError

__all__ = ["SCORES", "AnswerSummary", "AnswerTable", "ErrorKind", "answer_summaries", "error_kinds"]

SCORES: Final = (
    "norm_coverage_list",
    "norm_coverage_reasoning",
    "step_correctness",
    "answer_correctness",
    "final_score",
)
"""Columns of an answer's scores, as ``agg_*.csv`` names them."""


class ErrorKind(StrEnum):
    """Why an answer scored below 0.5; the first that matches wins (mhgb 5)."""

    HALLUCINATION = "hallucination"
    MULTI_FAIL = "multi_fail"
    NORM_MISS = "norm_miss"
    REASONING_FAIL = "reasoning_fail"
    ANSWER_FAIL = "answer_fail"


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
    """

    model: Column
    mode: Column
    task_type: Column
    depth: Column
    branch: Column
    scores: Floats

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together.

        Raises:
            InputError: Columns of different lengths, or a score outside 0 to 1.
        """
        rows = len(self.model.codes)
        if self.scores.shape != (rows, len(SCORES)):
            raise InputError(
                f"scores of shape {self.scores.shape!r} do not fit {rows} answers; give {len(SCORES)} an answer"
            )
        for name in ("mode", "task_type", "depth", "branch"):
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
        )


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


def error_kinds(table: AnswerTable) -> NDArray[np.int8]:
    """Return the place of each answer's error in `ErrorKind`; -1 at 0.5 and above, -2 where a score is unavailable."""
    listed, reasoned, steps, answer, final = table.scores.T
    rules = [
        reasoned - listed > 0.3,
        (listed < 0.3) & (steps < 0.4) & (answer < 0.33),
        listed < 0.3,
        steps < 0.4,
    ]
    kinds = np.select(rules, list(range(4)), default=4)
    kinds = np.where(final >= 0.5, -1, kinds)
    return np.where(np.isnan(table.scores).any(axis=1), -2, kinds).astype(np.int8)
