"""Small tables of pairs for the tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.analysis import Column, GapTable

Row = tuple[str, str, str, str, float, float]
"""(model, task, type, depth, closed, open)"""


def pairs(rows: Sequence[Row]) -> GapTable:
    """A table of these pairs; the gap is rounded as in MHGB's files, the components' gaps are shares of it."""
    closed, opened = (np.array([row[k] for row in rows], dtype=np.float64) for k in (4, 5))
    gap = np.round(opened - closed, 4)
    return GapTable(
        *(Column.of([str(row[k]) for row in rows]) for k in range(4)),
        branch=Column.of(["unknown"] * len(rows)),
        closed=closed,
        open=opened,
        gap=gap,
        component_gaps=np.stack([gap, gap / 2, gap / 4], axis=1),
    )
