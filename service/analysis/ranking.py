"""Rankings of models, and how much they depend on chance, on weights and on thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from service.analysis.bootstrap import Bootstrap
from service.analysis.stream import Floats, add_drawn, choice_blocks, ordered_mean
from service.analysis.weights import Weights, weighted
from service.errors import InputError

__all__ = [
    "PUBLISHED_THRESHOLDS",
    "RankIntervals",
    "kendall_tau",
    "rank_intervals",
    "ranks",
    "tau_over_weights",
]

PUBLISHED_THRESHOLDS: Final = (0.4, 0.5, 0.6)
"""Thresholds under which MHGB compares rankings (mhgb 7)."""


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


def tau_over_weights(components: Floats, grid: Sequence[Weights], reference: Weights) -> list[float | None]:
    """Return Kendall's τ between the ranking under each weights and the one under the reference.

    Args:
        components: Shape (models, 3): each model's means.
        grid: Weights to be tried.
        reference: Weights to be compared with.
    """
    base = weighted(components, reference)
    return [kendall_tau(base, weighted(components, weights)) for weights in grid]
