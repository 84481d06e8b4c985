"""Joins the verdicts of one profile on one question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from service.errors import InputError
from service.judging._profile import Aggregation

__all__ = ["Aggregated", "aggregate"]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One value out of several verdicts.

    Attributes:
        value: None where fewer than ``min_valid`` verdicts could be read.
        valid: Verdicts that could be read.
        asked: Verdicts that were asked for.
    """

    value: float | None
    valid: int
    asked: int


def aggregate(values: Sequence[float | None], how: Aggregation, *, min_valid: int) -> Aggregated:
    """Return the mean, the median or the most frequent of the values that are there.

    The most frequent of several equally frequent values is the smallest: a tie must not favour a participant.

    Args:
        values: One a repeat; None where there is no verdict.
        how: How to join them.
        min_valid: How many must be there, at least 1.
    """
    if min_valid < 1:
        raise InputError(f"min_valid {min_valid!r} is less than 1; a value cannot come out of nothing")
    there = [value for value in values if value is not None]
    if len(there) < min_valid:
        return Aggregated(None, len(there), len(values))
    if how is Aggregation.MEAN:
        value = sum(there) / len(there)
    elif how is Aggregation.MEDIAN:
        value = median(there)
    else:
        counts = Counter(there)
        most = max(counts.values())
        value = min(one for one, count in counts.items() if count == most)
    return Aggregated(value, len(there), len(values))
