"""A signal of contamination: is a model better on what was published than on what was held back?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from service.analysis.bootstrap import Bootstrap, Interval, TwoSamples
from service.analysis.records import GapTable
from service.analysis.slices import slices_by

__all__ = ["Contamination", "contamination_signals"]


@dataclass(frozen=True, slots=True)
class Contamination:
    """Closed score on the public fabulas minus the one on those held back.

    Attributes:
        model: Who answered.
        public: Public fabulas with a closed score.
        held_back: The others with one.
        difference: With an interval stratified by cell (type and depth); None where a side is empty.
        reason: Why there is none; empty when there is.
    """

    model: str
    public: int
    held_back: int
    difference: Interval | None
    reason: str = ""


def contamination_signals(
    table: GapTable, public: Collection[str], bootstrap: Bootstrap | None = None
) -> list[Contamination]:
    """Return the signal of each model, models by first appearance (mhgb 7).

    A resample draws as many fabulas as each cell has, public and held back apart, so that the mix of types and depths never
    changes. The difference is that of the two plain means.

    Args:
        table: The pairs; the closed score alone is used.
        public: Ids of the public fabulas.
        bootstrap: How the interval is drawn.
    """
    bootstrap = bootstrap or Bootstrap()
    is_public = np.array([name in public for name in table.task.names], dtype=np.bool_)
    found: list[Contamination] = []
    samples: list[TwoSamples] = []
    for model, rows in zip(table.model.names, table.model.rows(), strict=True):
        there = rows[~np.isnan(table.closed[rows])]
        known = is_public[table.task.codes[there]]
        parts = []
        for side in (there[known], there[~known]):
            cells = slices_by((table.task_type[side], table.depth[side]))
            parts.append(tuple(table.closed[side[cell.rows]] for cell in cells))
        counts = (int(known.sum()), int((~known).sum()))
        if not all(counts):
            side_name = "public" if not counts[0] else "held-back"
            found.append(
                Contamination(model, *counts, None, f"not applicable: no {side_name} fabula has a closed score")
            )
            continue
        samples.append(TwoSamples(*parts))
        found.append(Contamination(model, *counts, None))
    drawn = iter(bootstrap.stratified_differences(samples))
    return [
        item if item.reason else Contamination(item.model, item.public, item.held_back, next(drawn)) for item in found
    ]
