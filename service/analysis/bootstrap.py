"""Percentile bootstrap, bit for bit as MHGB's published intervals define it.

One ``random.Random(seed)`` a series; a resample draws n times with ``choice``; the means, each summed left to right, are
sorted, and the bounds are those at index ``floor(α/2 · B)`` and ``ceil((1 - α/2) · B) - 1`` (``specs`` mhgb 7).
Series of equal length see the same draws, because each begins a new generator with the same seed: the draws are therefore
made once for all of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from service.analysis.stream import (
    Floats,
    Indices,
    add_drawn,
    choice_blocks,
    interleaved_blocks,
    ordered_mean,
)
from service.errors import InputError

__all__ = ["Bootstrap", "Interval", "TwoSamples", "percentile_bounds"]

K = TypeVar("K")

_KEPT_DRAWS = 1 << 17
"""Draws of a stratum that are kept for other pairs of samples; with more, making them again costs little beside the rest."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the interval around it.

    Attributes:
        value: The estimate itself, from the data and not from the resamples.
        low: Lower bound.
        high: Upper bound.
        n: Values that it rests on.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class TwoSamples:
    """Two samples whose means are compared, each in strata that a resample keeps apart.

    Attributes:
        first: Non-empty strata of the first sample.
        second: Those of the second.
    """

    first: tuple[Floats, ...]
    second: tuple[Floats, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each stratum, those of the first sample first."""
        return tuple(len(stratum) for stratum in (*self.first, *self.second))


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How an interval is drawn.

    Attributes:
        resamples: B, at least 1.
        seed: Seed of each series' own ``random.Random``.
        alpha: One minus the coverage, strictly between 0 and 1.
    """

    resamples: int = 2000
    seed: int = 42
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what no interval can come from.

        Raises:
            InputError: No resamples, a seed that is none, or an alpha outside (0, 1).
        """
        if self.resamples < 1:
            raise InputError(f"resamples {self.resamples!r} is not a whole number from 1 up; the published one is 2000")
        if self.seed < 0:
            raise InputError(f"seed {self.seed!r} is not a whole number from 0 up; the published one is 42")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha {self.alpha!r} is not between 0 and 1; give 0.05 for a 95 % interval")

    def mean(self, values: Floats) -> Interval:
        """Return the mean of a series and its interval; see `means`."""
        return self.means([values])[0]

    def means(self, series: Sequence[Floats]) -> list[Interval]:
        """Return the mean and its interval for each series.

        Args:
            series: Each of shape (n,), n at least 1, finite.

        Raises:
            InputError: An empty series, or a value that is not finite.
        """
        intervals: dict[int, Interval] = {}
        for size, places in _grouped([len(checked_series(values)) for values in series]).items():
            table = np.stack([np.asarray(series[place], dtype=np.float64) for place in places], axis=1)
            found = []
            for draws in choice_blocks(size, self.resamples, self.seed):
                totals = np.zeros((len(draws), len(places)))
                add_drawn(totals, table, draws)
                found.append(totals / size)
            means = np.concatenate(found)
            for k, place in enumerate(places):
                low, high = percentile_bounds(means[:, k], self.alpha)
                intervals[place] = Interval(ordered_mean(table[:, k]), low, high, size)
        return [intervals[place] for place in range(len(series))]

    def differences(self, pairs: Sequence[tuple[Floats, Floats]]) -> list[Interval]:
        """Return mean(first) - mean(second) and its interval for each pair of samples.

        One ``Random(seed)`` a pair; a resample draws from the first sample as many values as it has, then from the second.
        This is MHGB's two-sample bootstrap over depths, there with 5,000 resamples (mhgb 7).

        Raises:
            InputError: A sample without values, or a value that is not finite.
        """
        intervals: dict[int, Interval] = {}
        sizes_of = [(len(checked_series(first)), len(checked_series(second))) for first, second in pairs]
        for sizes, places in _grouped(sizes_of).items():
            tables = [np.stack([pairs[p][side] for p in places], axis=1) for side in (0, 1)]
            found = []
            for draws in interleaved_blocks(sizes, self.resamples, self.seed):
                totals = np.zeros((2, len(draws[0]), len(places)))
                for side in (0, 1):
                    add_drawn(totals[side], tables[side], draws[side])
                found.append(totals[0] / sizes[0] - totals[1] / sizes[1])
            means = np.concatenate(found)
            for k, place in enumerate(places):
                value = ordered_mean(tables[0][:, k]) - ordered_mean(tables[1][:, k])
                intervals[place] = Interval(value, *percentile_bounds(means[:, k], self.alpha), sum(sizes))
        return [intervals[place] for place in range(len(pairs))]

    def stratified_differences(self, pairs: Sequence[TwoSamples]) -> list[Interval]:
        """Return mean(first) - mean(second) and its interval for each pair of samples, whose strata keep their sizes.

        Ours. Each stratum has a generator of its own, ``Random("<seed>/<place>")``, its place counted over the strata of
        the first sample, then of the second; a resample draws from each as many values as it has. A sample's mean is over
        all its values, summed stratum after stratum.

        Raises:
            InputError: A sample or a stratum without values, or a value that is not finite.
        """
        for pair in pairs:
            if not pair.first or not pair.second:
                raise InputError("a stratified bootstrap needs at least one stratum on either side; one side has none")
            for stratum in (*pair.first, *pair.second):
                checked_series(stratum)
        intervals: dict[int, Interval] = {}
        kept: dict[tuple[int, int], list[Indices]] = {}
        # How many strata belong to the first sample is part of the group, since it says where the sums are cut.
        for key, places in _grouped([(len(pair.first), *pair.sizes) for pair in pairs]).items():
            cut, sizes = key[0], key[1:]
            totals = np.zeros((2, self.resamples, len(places)))
            for k, size in enumerate(sizes):
                table = np.stack([(*pairs[p].first, *pairs[p].second)[k] for p in places], axis=1)
                row = 0
                for draws in self._stratum(k, size, kept):
                    add_drawn(totals[int(k >= cut), row : row + len(draws)], table, draws)
                    row += len(draws)
            for k, place in enumerate(places):
                sides = (np.concatenate(pairs[place].first), np.concatenate(pairs[place].second))
                means = totals[0, :, k] / len(sides[0]) - totals[1, :, k] / len(sides[1])
                value = ordered_mean(sides[0]) - ordered_mean(sides[1])
                intervals[place] = Interval(value, *percentile_bounds(means, self.alpha), sum(sizes))
        return [intervals[place] for place in range(len(pairs))]

    def _stratum(self, place: int, size: int, kept: dict[tuple[int, int], list[Indices]]) -> Iterable[Indices]:
        """Return the draws of a stratum; small ones are kept, since other pairs of samples have the same strata."""
        blocks = choice_blocks(size, self.resamples, f"{self.seed}/{place}")
        if size * self.resamples > _KEPT_DRAWS:
            return blocks
        if (place, size) not in kept:
            kept[place, size] = list(blocks)
        return kept[place, size]


def checked_series(values: Floats) -> Floats:
    """Return a series that has values, all of them finite.

    Raises:
        InputError: It is empty, has another shape, or holds NaN or infinity.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) == 0:
        raise InputError(f"a series of shape {array.shape!r} has no mean; give at least one value in one dimension")
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"value {float(array[place])!r} at place {place} is not finite; leave unscored values out and count them"
        )
    return array


def percentile_bounds(means: Floats, alpha: float) -> tuple[float, float]:
    """Return the bounds at index floor(α/2 · B) and ceil((1 - α/2) · B) - 1 of the sorted means.

    Args:
        means: Shape (B,), at least one.
        alpha: One minus the coverage.
    """
    means = np.sort(means)
    count = len(means)
    low = min(math.floor(alpha / 2 * count), count - 1)
    high = max(math.ceil((1 - alpha / 2) * count) - 1, 0)
    return float(means[low]), float(means[high])


def _grouped(keys: Sequence[K]) -> dict[K, list[int]]:
    groups: dict[K, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        groups[key].append(place)
    return groups
