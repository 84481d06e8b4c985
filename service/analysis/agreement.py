"""Agreement of raters: what a judge's verdicts are worth.

κ falls towards zero where nearly every item gets the same label, however well the raters agree. So raw agreement,
Gwet's AC1 and PABAK stand beside it, always.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import krippendorff as _krippendorff
import numpy as np
from scipy import stats

from service.analysis.bootstrap import Bootstrap, Interval
from service.analysis.kappa import BINS, Kappa, cohen_kappa, score_bins, value_places
from service.analysis.stream import Floats
from service.errors import InputError

__all__ = [
    "Agreement",
    "JudgeAgreement",
    "judge_agreement",
    "krippendorff_alpha",
    "label_agreement",
    "wilson",
]


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
        kappa: Cohen's κ on the values that a judge may give, or on five bins.
        labels: The other measures on the same labels; None when no item has both.
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
    """Return a share with its Wilson interval (scipy).

    Raises:
        InputError: No trials, or more successes than trials.
    """
    if total < 1 or not 0 <= successes <= total:
        raise InputError(
            f"{successes!r} of {total!r} is no share; give at least one trial and no more successes than trials"
        )
    found = stats.binomtest(successes, total).proportion_ci(1 - alpha, method="wilson")
    return Interval(successes / total, float(found.low), float(found.high), total)


def label_agreement(ratings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> Agreement:
    """Return raw agreement, Fleiss' κ, AC1 and PABAK of several raters.

    Fleiss' κ = (p_a - p_e) / (1 - p_e) with p_e = Σ π_k², π_k being the share of category k among all ratings (Fleiss 1971,
    Psychol. Bull. 76).

    AC1 = (p_a - p_e) / (1 - p_e) with p_e = Σ π_k (1 - π_k) / (q - 1), q being the number of categories (Gwet 2008, Br. J.
    Math. Stat. Psychol. 61). PABAK of more than two categories is (q · p_a - 1) / (q - 1) (Byrt, Bishop and Carlin 1993 give
    q = 2). Scipy has none of them.

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
    fleiss = None if one_label else _chance_corrected(raw, float((shares * shares).sum()))
    if q < 2:
        return Agreement(
            raw, None, None, None, len(ratings), raters, q, "not applicable: a single category leaves no choice"
        )
    chance = float((shares * (1 - shares)).sum() / (q - 1))
    reason = "Fleiss' κ not applicable: one label throughout" if one_label else ""
    return Agreement(
        raw, fleiss, _chance_corrected(raw, chance), (q * raw - 1) / (q - 1), len(ratings), raters, q, reason
    )


def _chance_corrected(agreed: float, by_chance: float) -> float:
    return (agreed - by_chance) / (1 - by_chance)


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


def judge_agreement(
    first: Floats, second: Floats, bootstrap: Bootstrap | None = None, values: Sequence[float] = ()
) -> JudgeAgreement:
    """Return how far two judges agree on the same answers.

    Args:
        first: Shape (n,), scores 0 to 1; NaN where the judge has no verdict.
        second: The same answers by the other judge.
        bootstrap: How intervals are drawn.
        values: All that a judge may give; a mean of several verdicts counts as the nearest. None: labels are five bins, of
            which a scale of fewer values would leave some empty, and AC1 and PABAK would seem higher than they are.
    """
    if first.shape != second.shape:
        raise InputError(
            f"two judges score the same answers, but got {first.shape!r} and {second.shape!r}; give NaN for none"
        )
    bootstrap = bootstrap or Bootstrap()
    both = ~(np.isnan(first) | np.isnan(second))
    total = int((~(np.isnan(first) & np.isnan(second))).sum())
    a, b = first[both], second[both]
    categories = len(values) or BINS
    left, right = (value_places(side, values) if len(values) else score_bins(side) for side in (a, b))
    kappa = cohen_kappa(left, right, categories, bootstrap)
    if not both.any():
        return JudgeAgreement(0, total, None, kappa, None, None, "not applicable: no answer has both judges' scores")
    labels = label_agreement(list(zip(left.tolist(), right.tolist(), strict=True)), range(categories))
    alpha = krippendorff_alpha(np.stack([first, second]))
    reason = "Krippendorff's α not applicable: all scores are equal" if alpha is None else ""
    return JudgeAgreement(int(both.sum()), total, bootstrap.mean(a - b), kappa, labels, alpha, reason)
