"""Agreement of raters: what a judge's verdicts are worth.

κ falls towards zero where nearly every item gets the same label, however well the raters agree. So raw agreement,
Gwet's AC1 and PABAK stand beside it, always.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import krippendorff as _krippendorff
import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import fleiss_kappa as _fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from service.analysis.bootstrap import Bootstrap, Interval, percentile_bounds
from service.analysis.stream import Floats, choice_blocks
from service.errors import InputError

__all__ = [
    "BINS",
    "Agreement",
    "JudgeAgreement",
    "Kappa",
    "cohen_kappa",
    "judge_agreement",
    "krippendorff_alpha",
    "label_agreement",
    "score_bins",
    "wilson",
]

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


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far several raters agree on labels.

    Attributes:
        raw: Mean share of agreeing pairs of raters an item.
        fleiss: Fleiss' κ; None where chance alone would agree always.
        ac1: Gwet's AC1; None with a single category in use and offered.
        pabak: Prevalence- and bias-adjusted κ, (k · raw - 1) / (k - 1); None with a single category.
        items: Items rated.
        raters: Ratings an item.
        categories: Categories offered.
        reason: What is not applicable and why; empty when all is.
    """

    raw: float
    fleiss: float | None
    ac1: float | None
    pabak: float | None
    items: int
    raters: int
    categories: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Two judges' scores of the same answers, side by side.

    Attributes:
        both: Items that both scored.
        total: Items that either should have scored.
        mean_difference: Mean of first - second with its interval; None when no item has both.
        kappa: Cohen's κ on five bins.
        labels: The other measures on the same bins; None when no item has both.
        alpha: Krippendorff's α on interval scale, missing scores kept as missing; None where it is not defined.
        reason: What is not applicable and why; empty when all is.
    """

    both: int
    total: int
    mean_difference: Interval | None
    kappa: Kappa
    labels: Agreement | None
    alpha: float | None
    reason: str = ""


def wilson(successes: int, total: int, alpha: float = 0.05) -> Interval:
    """Return a share with its Wilson interval (statsmodels).

    Raises:
        InputError: No trials, or more successes than trials.
    """
    if total < 1 or not 0 <= successes <= total:
        raise InputError(
            f"{successes!r} of {total!r} is no share; give at least one trial and no more successes than trials"
        )
    low, high = proportion_confint(successes, total, alpha=alpha, method="wilson")
    return Interval(successes / total, float(low), float(high), total)


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


def cohen_kappa(
    first: NDArray[np.intp], second: NDArray[np.intp], categories: int = BINS, bootstrap: Bootstrap | None = None
) -> Kappa:
    """Return Cohen's κ of two raters, with a percentile bootstrap interval over the items.

    κ = (p_o - p_e) / (1 - p_e), computed here from integer counts rather than by statsmodels, whose interval is
    asymptotic; the published one is a bootstrap (mhgb 7): one ``Random(seed)``, n ``choice`` of the pairs a resample.
    A resample in which p_e is 1 has no κ; it is left out and counted.

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


def label_agreement(ratings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> Agreement:
    """Return raw agreement, Fleiss' κ (statsmodels), AC1 and PABAK of several raters.

    AC1 = (p_a - p_e) / (1 - p_e) with p_e = Σ π_k (1 - π_k) / (q - 1), π_k being the share of category k among all ratings
    and q the number of categories (Gwet 2008, Br. J. Math. Stat. Psychol. 61). PABAK of more than two categories is
    (q · p_a - 1) / (q - 1) (Byrt, Bishop and Carlin 1993 give q = 2). Neither is in scipy or statsmodels.

    Args:
        ratings: One sequence an item, each of the same number of raters, at least two.
        categories: All that could be given, not only those that were.

    Raises:
        InputError: No items, fewer than two raters, items rated by different numbers, or an unknown category.
    """
    if not ratings:
        raise InputError("agreement of no items is not defined; give at least one rated item")
    raters = len(ratings[0])
    places = {category: place for place, category in enumerate(categories)}
    counts = np.zeros((len(ratings), len(places)), dtype=np.int64)
    for number, item in enumerate(ratings):
        if len(item) != raters or raters < 2:
            raise InputError(
                f"item {number} has {len(item)} ratings where {max(raters, 2)} are needed; "
                "rate every item by the same raters, two or more, or use Krippendorff's α"
            )
        for label in item:
            if label not in places:
                raise InputError(
                    f"label {label!r} of item {number} is none of {list(categories)!r}; add it to the categories"
                )
            counts[number, places[label]] += 1
    pairs = raters * (raters - 1)
    raw = float(((counts * (counts - 1)).sum(axis=1) / pairs).mean())
    shares = counts.sum(axis=0) / counts.sum()
    q = len(places)
    one_label = bool((shares == 1).any())
    fleiss = None if one_label else float(_fleiss_kappa(counts, method="fleiss"))
    if q < 2:
        return Agreement(
            raw, None, None, None, len(ratings), raters, q, "not applicable: a single category leaves no choice"
        )
    chance = float((shares * (1 - shares)).sum() / (q - 1))
    reason = "Fleiss' κ not applicable: one label throughout" if one_label else ""
    return Agreement(
        raw, fleiss, (raw - chance) / (1 - chance), (q * raw - 1) / (q - 1), len(ratings), raters, q, reason
    )


def krippendorff_alpha(
    ratings: Floats, level: Literal["nominal", "ordinal", "interval", "ratio"] = "interval"
) -> float | None:
    """Return Krippendorff's α (package ``krippendorff``); None where it is not defined.

    Args:
        ratings: Shape (raters, items); NaN for a missing rating.
        level: Scale of the ratings.
    """
    there = ~np.isnan(ratings)
    pairable = ratings[:, there.sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        return None
    return float(_krippendorff.alpha(reliability_data=ratings, level_of_measurement=level))


def judge_agreement(first: Floats, second: Floats, bootstrap: Bootstrap | None = None) -> JudgeAgreement:
    """Return how far two judges agree on the same answers.

    Args:
        first: Shape (n,), scores 0 to 1; NaN where the judge has no verdict.
        second: The same answers by the other judge.
        bootstrap: How intervals are drawn.
    """
    if first.shape != second.shape:
        raise InputError(
            f"two judges score the same answers, but got {first.shape!r} and {second.shape!r}; give NaN for none"
        )
    bootstrap = bootstrap or Bootstrap()
    both = ~(np.isnan(first) | np.isnan(second))
    total = int((~(np.isnan(first) & np.isnan(second))).sum())
    a, b = first[both], second[both]
    left, right = score_bins(a), score_bins(b)
    kappa = cohen_kappa(left, right, BINS, bootstrap)
    if not both.any():
        return JudgeAgreement(0, total, None, kappa, None, None, "not applicable: no answer has both judges' scores")
    labels = label_agreement(list(zip(left.tolist(), right.tolist(), strict=True)), range(BINS))
    alpha = krippendorff_alpha(np.stack([first, second]))
    reason = "Krippendorff's α not applicable: all scores are equal" if alpha is None else ""
    return JudgeAgreement(int(both.sum()), total, bootstrap.mean(a - b), kappa, labels, alpha, reason)
