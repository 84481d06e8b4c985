"""Means, deviations and quadrants of slices, as MHGB publishes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.analysis.records import Column, GapTable, Quadrant, quadrants
from service.analysis.stream import Floats, ordered_mean, ordered_std

__all__ = ["GapSummary", "Moments", "Slice", "gap_summaries", "moments", "slices_by"]


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and sample standard deviation of the values that are there.

    Attributes:
        mean: None without any value.
        std: None with fewer than two values.
        scored: Values that are there.
        total: Values that there should be.
    """

    mean: float | None
    std: float | None
    scored: int
    total: int


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows that share some names.

    Attributes:
        names: One name for each column that the table is sliced by.
        rows: Their places, in order.
    """

    names: tuple[str, ...]
    rows: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class GapSummary:
    """One row of a published ``gap_*.csv``.

    Attributes:
        names: What the slice shares.
        n_pairs: Pairs with both scores.
        components: Moments of the gap of NC, SC and AC.
        final: Moments of the final score's gap.
        quadrants: Pairs in each of `Quadrant`.
    """

    names: tuple[str, ...]
    n_pairs: int
    components: tuple[Moments, Moments, Moments]
    final: Moments
    quadrants: tuple[int, int, int, int]


def moments(values: Floats) -> Moments:
    """Return the moments of a series in which NaN stands for unavailable."""
    there = values[~np.isnan(values)]
    return Moments(
        ordered_mean(there) if len(there) else None,
        ordered_std(there) if len(there) > 1 else None,
        len(there),
        len(values),
    )


def slices_by(columns: Sequence[Column]) -> list[Slice]:
    """Return the slices that occur, sorted by their names, rows in order."""
    rows = len(columns[0].codes)
    key = np.zeros(rows, dtype=np.int64)
    for column in columns:
        places = {name: place for place, name in enumerate(sorted(column.names))}
        ranks = np.array([places[name] for name in column.names], dtype=np.int64)
        key = key * max(1, len(column.names)) + (ranks[column.codes] if rows else 0)
    order = np.argsort(key, kind="stable")
    _, firsts = np.unique(key[order], return_index=True)
    found = []
    for group in np.split(order, firsts[1:]) if rows else []:
        found.append(Slice(tuple(column.names[column.codes[group[0]]] for column in columns), group))
    return found


def gap_summaries(table: GapTable, columns: Sequence[Column]) -> list[GapSummary]:
    """Return the published summary of each slice, sorted by name; pairs without both scores are left out and not counted.

    Args:
        table: The pairs.
        columns: Columns of the same table, such as ``(table.model, table.depth)``.
    """
    places = quadrants(table.closed, table.open)
    scored = table.scored
    found = []
    for part in slices_by(columns):
        rows = part.rows[scored[part.rows]]
        counts = (
            np.bincount(places[rows], minlength=len(Quadrant)) if len(rows) else np.zeros(len(Quadrant), dtype=np.intp)
        )
        gaps = table.component_gaps[rows]
        found.append(
            GapSummary(
                part.names,
                len(rows),
                (moments(gaps[:, 0]), moments(gaps[:, 1]), moments(gaps[:, 2])),
                moments(table.gap[rows]),
                (int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3])),
            )
        )
    return found
