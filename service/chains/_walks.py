"""Walks of the graph: counted by dynamic programming, numbered, and drawn uniformly by their number.

A walk may meet a norm twice; one that does not is a chain. Whole numbers of Python are used throughout, so that counts
are exact however large, and draws are the same on every machine.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from service.chains._graph import ChainGraph

__all__ = ["WalkSpace", "Walks"]


class Walks:
    """How many walks there are from each norm.

    Args:
        graph: The graph.
        longest: Most norms of a walk.
        dated: Least number of steps at norms with a known date.
    """

    def __init__(self, graph: ChainGraph, longest: int, dated: int = 0) -> None:
        self.graph = graph
        self.dated = dated
        self._has_date: list[int] = graph.dated.tolist()
        self._first: list[int] = graph.first.tolist()
        self._target: list[int] = graph.target.tolist()
        self._source: list[int] = graph.source.tolist()
        self._counts = self._count(longest)
        self._sums: dict[tuple[int, int, int], list[int]] = {}

    def _count(self, longest: int) -> list[list[list[int]]]:
        # [norms left][dates still needed][norm]
        first, target, has_date = self._first, self._target, self._has_date
        norms = range(len(has_date))
        counts = [
            [[0] * len(has_date)],
            [[int(need <= has_date[at]) for at in norms] for need in range(self.dated + 1)],
        ]
        for _ in range(longest - 1):
            before = counts[-1]
            counts.append(
                [
                    [
                        sum(map(before[max(0, need - has_date[at])].__getitem__, target[first[at] : first[at + 1]]))
                        for at in norms
                    ]
                    for need in range(self.dated + 1)
                ]
            )
        return counts

    def beginning_with(self, relation: int, length: int) -> int:
        """Return how many walks of a length begin with a relation."""
        need = max(0, self.dated - self._has_date[self._source[relation]])
        return self._counts[length - 1][need][self._target[relation]]

    def space(self, relations: Sequence[int], length: int) -> WalkSpace:
        """Return the numbered walks of a length that begin with one of some relations."""
        return WalkSpace(self, relations, length)

    def _from(self, left: int, need: int, at: int) -> list[int]:
        key = (left, need, at)
        sums = self._sums.get(key)
        if sums is None:
            counts = self._counts[left][need]
            ends = self._target[self._first[at] : self._first[at + 1]]
            sums = self._sums[key] = list(accumulate(counts[end] for end in ends))
        return sums

    def chain(self, number: int, sums: list[int], relations: Sequence[int], length: int) -> tuple[int, ...] | None:
        """Return a numbered walk as places of norms, or None when it meets a norm twice."""
        choice = bisect_right(sums, number)
        number -= sums[choice - 1] if choice else 0
        relation = relations[choice]
        at = self._target[relation]
        walk = [self._source[relation], at]
        need = max(0, self.dated - self._has_date[walk[0]])
        for left in range(length - 2, 0, -1):
            need = max(0, need - self._has_date[at])
            onward = self._from(left, need, at)
            choice = bisect_right(onward, number)
            number -= onward[choice - 1] if choice else 0
            at = self._target[self._first[at] + choice]
            if at in walk:
                return None
            walk.append(at)
        return tuple(walk)


class WalkSpace:
    """The walks of one length that begin with one of some relations, numbered from 0.

    Attributes:
        size: How many there are.
    """

    def __init__(self, walks: Walks, relations: Sequence[int], length: int) -> None:
        self._walks = walks
        self._relations = relations
        self._length = length
        self._sums = list(accumulate(walks.beginning_with(relation, length) for relation in relations))
        self.size = self._sums[-1] if self._sums else 0

    def draw(self, generator: random.Random) -> tuple[int, ...] | None:
        """Draw a walk uniformly; None when it is no chain. What remains is a uniform sample of chains."""
        return self._at(generator.randrange(self.size))

    def chains(self) -> Iterator[tuple[int, ...]]:
        """Yield every chain, in the order of the walks."""
        for number in range(self.size):
            chain = self._at(number)
            if chain is not None:
                yield chain

    def _at(self, number: int) -> tuple[int, ...] | None:
        return self._walks.chain(number, self._sums, self._relations, self._length)
