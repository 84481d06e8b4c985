"""Cohen's κ on bins of a score, with a bootstrap interval; numpy alone, since judges are calibrated by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.analysis.bootstrap import Bootstrap, percentile_bounds
from service.analysis.stream import Floats, choice_blocks
from service.errors import InputError

__all__ = ["BINS", "Kappa", "cohen_kappa", "score_bins", "value_places"]

BINS: Final = 5
"""Bins of a score in κ: bin(v) = min(4, int(5 v)) (mhgb 7)."""


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's κ with its bootstrap interval.

    Attributes:
        value: None where chance alone would agree always.
        low: Lower bound; None where value is.
        high: Upper bound; None where value is.
        n: Items that both raters labelled.
        undefined: Resamples without a κ, left out of the interval.
        reason: Why there is no value; empty when there is.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int = 0
    reason: str = ""


def score_bins(scores: Floats) -> NDArray[np.intp]:
    """Return the bin of each score, min(4, int(5 v)).

    Args:
        scores: Finite, 0 to 1.

    Raises:
        InputError: A score outside 0 to 1 or not a number.
    """
    bad = ~((scores >= 0) & (scores <= 1))
    if bad.any():
        raise InputError(f"score {float(scores[bad][0])!r} is outside 0 to 1; leave unscored items out and count them")
    return np.minimum(BINS - 1, (BINS * scores).astype(np.intp))


def value_places(scores: Floats, values: Sequence[float]) -> NDArray[np.intp]:
    """Return the place of the value nearest to each score: a mean of several verdicts lies between a level's values.

    Args:
        scores: Finite.
        values: At least one.
    """
    grid = np.asarray(values, dtype=np.float64)
    return np.asarray(np.abs(scores[:, None] - grid).argmin(axis=1), dtype=np.intp)


def cohen_kappa(
    first: NDArray[np.intp], second: NDArray[np.intp], categories: int = BINS, bootstrap: Bootstrap | None = None
) -> Kappa:
    """Return Cohen's κ of two raters, with a percentile bootstrap interval over the items.

    κ = (p_o - p_e) / (1 - p_e) from integer counts. The published interval is a bootstrap (mhgb 7), and not the asymptotic
    one of the libraries: one ``Random(seed)``, n ``choice`` of the pairs a resample. A resample in which p_e is 1 has no κ;
    it is left out and counted.

    Args:
        first: Shape (n,), labels 0 to categories - 1.
        second: The same items by the other rater.
        categories: Number of labels, at least 1.
        bootstrap: How the interval is drawn.
    """
    _check_labels(first, second, categories)
    bootstrap = bootstrap or Bootstrap()
    n = len(first)
    if n == 0:
        return Kappa(None, None, None, 0, reason="not applicable: no item has both labels")
    cells = first * categories + second
    value = float(_kappas(np.bincount(cells, minlength=categories**2)[None, :], n, categories)[0])
    if math.isnan(value):
        return Kappa(None, None, None, n, reason="not applicable: both raters give one and the same label throughout")
    found = []
    for draws in choice_blocks(n, bootstrap.resamples, bootstrap.seed):
        rows = np.arange(len(draws))[:, None] * categories**2
        counts = np.bincount((cells.take(draws) + rows).ravel(), minlength=len(draws) * categories**2)
        found.append(_kappas(counts.reshape(len(draws), categories**2), n, categories))
    drawn = np.concatenate(found)
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return Kappa(value, None, None, n, len(drawn), "interval not applicable: no resample has a κ")
    low, high = percentile_bounds(defined, bootstrap.alpha)
    return Kappa(value, low, high, n, len(drawn) - len(defined))


def _check_labels(first: NDArray[np.intp], second: NDArray[np.intp], categories: int) -> None:
    if first.shape != second.shape or first.ndim != 1:
        raise InputError(
            f"two raters label the same items, but got {first.shape!r} and {second.shape!r}; give one label an item each"
        )
    for labels in (first, second):
        if len(labels) and not (int(labels.min()) >= 0 and int(labels.max()) < categories):
            raise InputError(
                f"label {int(labels.max())!r} is outside 0 to {categories - 1}; number the categories from 0"
            )


def _kappas(counts: NDArray[np.intp], n: int, categories: int) -> Floats:
    """Return κ for each row of cell counts, shape (rows, categories²); NaN where p_e is 1."""
    square = counts.reshape(-1, categories, categories)
    agreed = square.trace(axis1=1, axis2=2) / n
    by_chance = (square.sum(axis=2) * square.sum(axis=1)).sum(axis=1) / (n * n)
    free = 1.0 - by_chance
    return np.asarray(np.divide(agreed - by_chance, free, out=np.full(len(counts), np.nan), where=free > 0))
