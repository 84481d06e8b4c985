"""How many chains each stratum gets: apportioned by weight, as far as there are chains."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from service.chains._graph import Stratum

__all__ = ["Cell", "Targets", "apportion", "spread"]

_K = TypeVar("_K", bound=Hashable)

Cell = tuple[Stratum, int]
"""A stratum and a length."""


def apportion(weights: Mapping[_K, float], available: Mapping[_K, int], wanted: int) -> dict[_K, int]:
    """Share ``wanted`` out by weight, largest remainders first, nobody more than is available.

    What a stratum cannot fill goes to the others by their weights; ties go to the one named first. The sum is
    ``wanted``, or all that is available when that is less.
    """
    shares = dict.fromkeys(weights, 0)
    open_ones = [key for key in weights if available.get(key, 0) > 0 and weights[key] > 0]
    left = wanted
    while open_ones and left > 0:
        total = sum(weights[key] for key in open_ones)
        exact = {key: left * weights[key] / total for key in open_ones}
        dry = [key for key in open_ones if exact[key] > available[key]]
        if not dry:
            for key in open_ones:
                shares[key] = int(exact[key])
            by_remainder = sorted(open_ones, key=lambda key: shares[key] - exact[key])
            for key in by_remainder[: left - sum(shares[key] for key in open_ones)]:
                shares[key] += 1
            break
        for key in dry:
            shares[key] = available[key]
            left -= available[key]
        open_ones = [key for key in open_ones if key not in dry]
    return shares


class Targets:
    """What is aimed at, the first before the second where they clash.

    Attributes:
        acts: By act of the first norm.
        wide: Chains whose start spans two branches; None where that is no stratum.
        relations: By type of the first relation.
        lengths: By number of norms.
    """

    def __init__(
        self, acts: Mapping[str, int], wide: int | None, relations: Mapping[str, int], lengths: Mapping[int, int]
    ) -> None:
        self.acts = acts
        self.wide = wide
        self.relations = relations
        self.lengths = lengths

    def margins(self, cell: Cell) -> tuple[tuple[int, object], ...]:
        """Return the margins that a cell counts in, by precedence."""
        stratum, length = cell
        return (0, stratum.act), (1, stratum.wide), (2, stratum.relation), (3, length)

    def aim(self, margin: tuple[int, object]) -> int | None:
        """Return the target of a margin; None when it has none."""
        level, key = margin
        if level == 1:
            if self.wide is None:
                return None
            return self.wide if key is True else sum(self.acts.values()) - self.wide
        table: Mapping[object, int] = (self.acts, {}, self.relations, self.lengths)[level]  # type: ignore[assignment]
        return table.get(key, 0)


def spread(available: Mapping[Cell, int], targets: Targets, wanted: int) -> dict[Cell, int]:
    """Return how many chains to draw from each cell, as near to the targets as chains allow.

    Greedy by the largest deficits, then improved by moving single chains, and pairs of them, while that brings the
    targets nearer in their order of precedence.
    """
    cells = sorted((cell for cell, count in available.items() if count > 0), key=_order)
    state = _State(cells, available, targets)
    for _ in range(wanted):
        candidates = [cell for cell in cells if state.taken[cell] < available[cell]]
        if not candidates:
            break
        state.add(max(candidates, key=state.need), 1)
    while state.improve_once():
        pass
    return {cell: count for cell, count in state.taken.items() if count}


class _State:
    def __init__(self, cells: list[Cell], available: Mapping[Cell, int], targets: Targets) -> None:
        self.cells = cells
        self.available = available
        self.taken = dict.fromkeys(cells, 0)
        self._targets = targets
        self._margins = {cell: targets.margins(cell) for cell in cells}
        self._counts: dict[tuple[int, object], int] = {}

    def add(self, cell: Cell, change: int) -> None:
        self.taken[cell] += change
        for margin in self._margins[cell]:
            self._counts[margin] = self._counts.get(margin, 0) + change

    def need(self, cell: Cell) -> tuple[int, ...]:
        """Return what a cell's margins lack, by precedence."""
        lacks = []
        for margin in self._margins[cell]:
            aim = self._targets.aim(margin)
            lacks.append(0 if aim is None else aim - self._counts.get(margin, 0))
        return tuple(lacks)

    def _cost(self, changes: Mapping[tuple[int, object], int]) -> tuple[int, ...]:
        cost = [0, 0, 0, 0]
        for margin, change in changes.items():
            aim = self._targets.aim(margin)
            if aim is not None and change:
                now = self._counts.get(margin, 0)
                cost[margin[0]] += abs(now + change - aim) - abs(now - aim)
        return tuple(cost)

    def _changes(self, *moves: tuple[Cell, Cell]) -> dict[tuple[int, object], int]:
        changes: dict[tuple[int, object], int] = {}
        for source, target in moves:
            for margin in self._margins[source]:
                changes[margin] = changes.get(margin, 0) - 1
            for margin in self._margins[target]:
                changes[margin] = changes.get(margin, 0) + 1
        return changes

    def improve_once(self) -> bool:
        """Make the best move there is; False when none brings the targets nearer."""
        best: tuple[int, ...] = (0, 0, 0, 0)
        chosen: tuple[tuple[Cell, Cell], ...] = ()
        full = [cell for cell in self.cells if self.taken[cell]]
        free = [cell for cell in self.cells if self.taken[cell] < self.available[cell]]
        neutral: list[tuple[Cell, Cell]] = []
        for source in full:
            for target in free:
                if source == target:
                    continue
                cost = self._cost(self._changes((source, target)))
                if cost < best:
                    best, chosen = cost, ((source, target),)
                elif source[0].act == target[0].act and cost[:2] == (0, 0) and cost[2] <= 0 and len(neutral) < _PAIRS:
                    neutral.append((source, target))
        if not chosen:
            for one in neutral:
                for other in neutral:
                    if one[0] != other[0] and one[1] != other[1]:
                        cost = self._cost(self._changes(one, other))
                        if cost < best:
                            best, chosen = cost, (one, other)
        if not chosen:
            return False
        for source, target in chosen:
            self.add(source, -1)
            self.add(target, 1)
        return True


_PAIRS = 400


def _order(cell: Cell) -> tuple[str, bool, str, str, int]:
    stratum, length = cell
    return stratum.act, stratum.wide, stratum.to_act or "", stratum.relation or "", length
