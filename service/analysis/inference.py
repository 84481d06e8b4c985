"""Intervals for slices, with p values corrected for how many slices were looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.analysis.bootstrap import Bootstrap, Interval
from service.analysis.records import Column, GapTable
from service.analysis.significance import holm, paired_test
from service.analysis.slices import slices_by

__all__ = ["SliceInterval", "slice_intervals"]


@dataclass(frozen=True, slots=True)
class SliceInterval:
    """The GAP of a slice with its interval and a p value corrected for the number of slices.

    Attributes:
        names: What the slice shares.
        interval: None for a slice without any pair.
        p_value: Two-sided, Student's t against no gap; None where it has fewer than two pairs or they do not vary.
        p_holm: The same after Holm's correction over all slices that have one.
        reason: Why there is no interval or no p value; empty when there is.
    """

    names: tuple[str, ...]
    interval: Interval | None
    p_value: float | None
    p_holm: float | None
    reason: str


def slice_intervals(
    table: GapTable, columns: Sequence[Column], bootstrap: Bootstrap | None = None
) -> list[SliceInterval]:
    """Return the GAP of each slice with its interval, its p value and Holm's correction over all of them.

    Beyond the paper: it prints slices without intervals. The unrounded difference is used.
    """
    bootstrap = bootstrap or Bootstrap()
    scored, difference = table.scored, table.difference
    parts = slices_by(columns)
    series = [difference[part.rows[scored[part.rows]]] for part in parts]
    filled = [place for place, values in enumerate(series) if len(values)]
    drawn = dict(zip(filled, bootstrap.means([series[place] for place in filled]), strict=True)) if filled else {}
    tests = [paired_test(values) for values in series]
    corrected = iter(holm([test.p_value for test in tests if test.p_value is not None]))
    return [
        SliceInterval(
            part.names,
            drawn.get(place),
            test.p_value,
            None if test.p_value is None else next(corrected),
            test.reason,
        )
        for place, (part, test) in enumerate(zip(parts, tests, strict=True))
    ]
