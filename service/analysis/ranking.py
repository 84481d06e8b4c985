"""Rankings of models, and how much they depend on chance, on weights and on thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from service.analysis.bootstrap import Bootstrap
from service.analysis.records import COMPONENTS
from service.analysis.stream import Floats, add_drawn, choice_blocks, ordered_mean
from service.errors import InputError

__all__ = [
    "PUBLISHED_THRESHOLDS",
    "PUBLISHED_WEIGHTS",
    "RankIntervals",
    "Weights",
    "kendall_tau",
    "rank_intervals",
    "ranks",
    "tau_over_weights",
    "weight_grid",
    "weighted",
]

PUBLISHED_THRESHOLDS: Final = (0.4, 0.5, 0.6)
"""Thresholds under which MHGB compares rankings (mhgb 7)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of NC, SC and AC in a final score.

    Attributes:
        norm_coverage: α, from 0 to 1.
        step_correctness: β, from 0 to 1.
        answer_correctness: γ, from 0 to 1.
    """

    norm_coverage: float
    step_correctness: float
    answer_correctness: float

    def __post_init__(self) -> None:
        """Refuse weights that do not make a mean.

        Raises:
            InputError: A weight is negative or not finite, or they do not sum to 1.
        """
        if not all(math.isfinite(w) and w >= 0 for w in self.values):
            raise InputError(f"weights {self.values!r} must be numbers from 0 up; correct the one that is not")
        if not math.isclose(math.fsum(self.values), 1.0, abs_tol=1e-9):
            raise InputError(
                f"weights {self.values!r} sum to {math.fsum(self.values):.6g}, not 1; divide each by that sum"
            )

    @property
    def values(self) -> tuple[float, float, float]:
        """The three weights, in the order of `COMPONENTS`."""
        return (self.norm_coverage, self.step_correctness, self.answer_correctness)


PUBLISHED_WEIGHTS: Final = (
    Weights(1 / 3, 1 / 3, 1 / 3),
    Weights(0.5, 0.25, 0.25),
    Weights(0.25, 0.5, 0.25),
    Weights(0.25, 0.25, 0.5),
)
"""Weights under which MHGB compares rankings (mhgb 7)."""


@dataclass(frozen=True, slots=True)
class RankIntervals:
    """How sure a ranking is.

    Attributes:
        rank: Shape (models,): rank by the mean over the tasks given, 1 is best; equal means share the smaller.
        low: Best rank inside the interval.
        high: Worst rank inside the interval.
        probability: Shape (models, models): share of resamples in which a model (row) has a rank (column, from 1).
        tasks: Fabulas that all models share.
    """

    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    probability: Floats
    tasks: int


def weighted(components: Floats, weights: Weights) -> Floats:
    """Return α·NC + β·SC + γ·AC.

    Args:
        components: Shape (…, 3), in the order of `COMPONENTS`.
        weights: Their weights.
    """
    if components.shape[-1] != len(COMPONENTS):
        raise InputError(
            f"components of shape {components.shape!r} have not {len(COMPONENTS)} in a row; give NC, SC and AC"
        )
    a, b, c = weights.values
    return np.asarray(a * components[..., 0] + b * components[..., 1] + c * components[..., 2])


def ranks(scores: Floats) -> NDArray[np.int64]:
    """Return the rank of each score, 1 for the highest; equal scores share the smaller rank."""
    return np.asarray(stats.rankdata(-scores, method="min"), dtype=np.int64)


def kendall_tau(first: Floats, second: Floats) -> float | None:
    """Return Kendall's τ-b of two rankings by score (scipy); None with fewer than two models or one all ties.

    Raises:
        InputError: Series of different lengths, or a score that is not finite.
    """
    if len(first) != len(second):
        raise InputError(
            f"Kendall's τ compares the same models, but got {len(first)} and {len(second)}; give both for each"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("Kendall's τ was given a score that is not finite; leave models without a score out")
    if len(first) < 2 or len(np.unique(first)) < 2 or len(np.unique(second)) < 2:
        return None
    return float(stats.kendalltau(first, second).statistic)


def rank_intervals(scores: Floats, bootstrap: Bootstrap | None = None) -> RankIntervals:
    """Return the probability of each rank, by resampling the fabulas that all models share.

    Beyond the paper. A resample draws the same fabulas for every model, so what makes a fabula hard for all does not
    count as uncertainty of the order. Models with equal means in a resample share its ranks evenly.

    Args:
        scores: Shape (models, tasks), finite: rows over different fabulas do not compare.
        bootstrap: How resamples are drawn.

    Raises:
        InputError: No models, no tasks, or a score that is not finite.
    """
    if scores.ndim != 2 or 0 in scores.shape:
        raise InputError(f"scores of shape {scores.shape!r} rank nothing; give models that share at least one fabula")
    if not np.isfinite(scores).all():
        raise InputError("a score is not finite; keep only the fabulas that every model has a score for")
    bootstrap = bootstrap or Bootstrap()
    models, tasks = scores.shape
    steps = np.zeros(models * (models + 1))
    row = np.arange(models) * (models + 1)
    for draws in choice_blocks(tasks, bootstrap.resamples, bootstrap.seed):
        sums = np.zeros((len(draws), models))
        add_drawn(sums, scores.T, draws)
        best = stats.rankdata(-sums, method="min", axis=1).astype(np.intp) - 1
        worst = stats.rankdata(-sums, method="max", axis=1).astype(np.intp) - 1
        share = (1.0 / (worst - best + 1)).ravel()
        steps += np.bincount((row + best).ravel(), share, minlength=len(steps))
        steps -= np.bincount((row + worst + 1).ravel(), share, minlength=len(steps))
    steps = steps.reshape(models, models + 1)
    probability = np.clip(np.cumsum(steps[:, :models], axis=1) / bootstrap.resamples, 0.0, 1.0)
    cumulative = np.cumsum(probability, axis=1)
    slack = 1e-9  # shares of ties are thirds and the like
    low = 1 + (cumulative < bootstrap.alpha / 2 - slack).sum(axis=1)
    high = 1 + (cumulative < 1 - bootstrap.alpha / 2 - slack).sum(axis=1)
    means = np.array([ordered_mean(series) for series in scores])
    high = np.minimum(high, models).astype(np.int64)
    return RankIntervals(ranks(means), low.astype(np.int64), high, probability, tasks)


def weight_grid(step: int = 20) -> list[Weights]:
    """Return all weights that are multiples of 1/step, the corners of the triangle included.

    Args:
        step: At least 1; 20 gives 231 points.
    """
    if step < 1:
        raise InputError(f"step {step!r} is less than 1; give the number of parts, such as 20")
    return [Weights(a / step, b / step, (step - a - b) / step) for a in range(step + 1) for b in range(step + 1 - a)]


def tau_over_weights(components: Floats, grid: Sequence[Weights], reference: Weights) -> list[float | None]:
    """Return Kendall's τ between the ranking under each weights and the one under the reference.

    Args:
        components: Shape (models, 3): each model's means.
        grid: Weights to be tried.
        reference: Weights to be compared with.
    """
    base = weighted(components, reference)
    return [kendall_tau(base, weighted(components, weights)) for weights in grid]
