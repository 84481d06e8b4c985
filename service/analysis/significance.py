"""Tests of differences: paired t, McNemar, Holm's correction, and how many fabulas a difference needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr

from service.analysis.records import Mask
from service.analysis.stream import Floats, ordered_mean, ordered_std
from service.errors import InputError

__all__ = ["McNemar", "PairedTest", "Power", "fabulas_needed", "holm", "mcnemar", "paired_test", "stars"]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two-sided test of a mean difference of zero.

    Attributes:
        n: Pairs.
        mean: Mean difference; None without pairs.
        t: Student's statistic; None where it is not defined.
        p_value: None where t is.
        reason: Why there is no t; empty when there is.
    """

    n: int
    mean: float | None
    t: float | None
    p_value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class McNemar:
    """Test of two yes/no series over the same items.

    Attributes:
        only_first: Items that only the first got.
        only_second: Items that only the second got.
        p_value: Exact binomial, two-sided; None when no item tells them apart.
        reason: Why there is no p value; empty when there is.
    """

    only_first: int
    only_second: int
    p_value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Power:
    """How many fabulas show a difference.

    Attributes:
        difference: The true mean difference to be shown.
        std: Sample standard deviation of the differences it was reckoned from; None where there is none.
        fabulas: Least number of fabulas; None where it is not defined.
        reason: Why it is not defined; empty when it is.
    """

    difference: float
    std: float | None
    fabulas: int | None
    reason: str = ""


def paired_test(differences: Floats, tail: Literal["student", "normal"] = "student") -> PairedTest:
    """Return the paired two-sided t test of these differences.

    Args:
        differences: Shape (n,), finite, one a pair.
        tail: Where the p value comes from: Student's t with n - 1 degrees of freedom, or the normal approximation that
            MHGB's ``paired_test_results.csv`` uses (mhgb 7).
    """
    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if not np.isfinite(values).all():
        raise InputError(
            "a paired test was given a difference that is not finite; leave unscored pairs out and count them"
        )
    if n == 0:
        return PairedTest(0, None, None, None, "not applicable: no pairs")
    mean = ordered_mean(values)
    if n == 1:
        return PairedTest(1, mean, None, None, "not applicable: one pair has no deviation")
    if values.min() == values.max():  # not by the deviation: rounding leaves a trace of it in equal values
        return PairedTest(n, mean, None, None, "not applicable: the differences do not vary")
    t = mean / (ordered_std(values) / math.sqrt(n))
    p_value = math.erfc(abs(t) / math.sqrt(2)) if tail == "normal" else float(2 * stdtr(n - 1, -abs(t)))
    return PairedTest(n, mean, t, p_value)


def stars(p_value: float | None) -> str:
    """Return the mark of a p value as MHGB prints it: ``***`` below 0.001, ``**`` below 0.01, ``*`` below 0.05."""
    if p_value is None:
        return "not applicable"
    return "***" if p_value < 0.001 else "**" if p_value < 0.01 else "*" if p_value < 0.05 else "n.s."


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values after Holm's correction, in the same order.

    The k-th smallest of m is multiplied by m - k + 1; none becomes smaller than one before it, none greater than 1 (Holm
    1979, Scand. J. Stat. 6).
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return [float(p) for p in corrected]


def mcnemar(first: Mask, second: Mask) -> McNemar:
    """Return McNemar's exact test of two yes/no series over the same items: scipy's binomial test of what tells them apart.

    Raises:
        InputError: Series of different lengths.
    """
    if len(first) != len(second):
        raise InputError(
            f"McNemar compares the same items, but got {len(first)} and {len(second)}; give both for each item"
        )
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    if only_first + only_second == 0:
        return McNemar(0, 0, None, "not applicable: no item tells the two apart")
    from scipy import stats  # noqa: PLC0415 - see _power

    p_value = float(stats.binomtest(only_first, only_first + only_second).pvalue)
    return McNemar(only_first, only_second, p_value)


def fabulas_needed(differences: Floats, difference: float, alpha: float = 0.05, power: float = 0.8) -> Power:
    """Return how many fabulas a paired two-sided t test needs to show a mean difference.

    The power of the test is that of scipy's noncentral t; the least number that reaches it is found by bisection.

    Args:
        differences: Observed differences over the same fabulas (one model's GAP, or that of two models compared), n at
            least 2: they give the standard deviation.
        difference: The true mean difference to be shown, not zero.
        alpha: Level of the test.
        power: Probability of showing it, between alpha and 1.

    Raises:
        InputError: A difference of zero, or a level or power outside its range.
    """
    if not math.isfinite(difference) or difference == 0:
        raise InputError(
            f"difference {difference!r} cannot be shown by any number of fabulas; give one that is not zero"
        )
    if not 0 < alpha < power < 1:
        raise InputError(f"alpha {alpha!r} and power {power!r} must satisfy 0 < alpha < power < 1; give 0.05 and 0.8")
    if len(differences) < 2:
        return Power(difference, None, None, "not applicable: fewer than two pairs have no deviation")
    if differences.min() == differences.max():
        return Power(difference, 0.0, None, "not applicable: the differences do not vary")
    std = ordered_std(np.asarray(differences, dtype=np.float64))
    effect = abs(difference) / std
    low, high = 1, 2
    while _power(high, effect, alpha) < power:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, effect, alpha) >= power else (middle, high)
    return Power(difference, std, high)


def _power(n: int, effect: float, alpha: float) -> float:
    """Return the power of a two-sided one-sample t test of n values with a standardised effect."""
    # It takes seconds of processor time to load, and the paired test of every gap that is served needs none of it.
    from scipy import stats  # noqa: PLC0415

    critical = stats.t.isf(alpha / 2, n - 1)
    shift = effect * math.sqrt(n)
    found = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
    # Far from the critical value scipy's series gives NaN; there the normal distribution is as good as exact.
    return float(found) if math.isfinite(found) else float(stats.norm.sf(critical - shift))
