"""Paths between two norms: simple, shortest first, every one up to a length that the answer states.

The graph is read from both ends, level by level, the smaller frontier first, until the two depths reach the length
wanted: every path of n hops then lies among the relations read. Cost depends on the levels around the two ends alone, not
on how much else the graph holds. Paths of one length are walked in order of their norms' places in the corpus; a step
is taken only where the rest can still be walked, so that nothing is searched in vain.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.domain import RELATION_TYPES, NormId, RelationType
from service.errors import InputError
from service.graph.content import ref_sort_key
from service.graph.levels import LevelReader, OverBudgetError

if TYPE_CHECKING:
    from service.graph.store import GraphStore

__all__ = ["MOST_HOPS", "FoundPaths", "PathRequest", "find_paths"]

MOST_HOPS = 6


@dataclass(frozen=True, slots=True)
class PathRequest:
    """Which paths are wanted.

    Attributes:
        corpus_uid: ``key@version``.
        start, end: Refs of two different norms.
        max_hops: Longest path, 1 to 6 relations.
        types: Relations that a path may take.
        directed: Along the relations' direction only; else either way.
        as_of: ISO date: norms not in force then are not passed; the ends may be such.
        limit: Paths at most.
        relations: Relations read at most.
        steps: Steps walked at most.
    """

    corpus_uid: str
    start: NormId
    end: NormId
    max_hops: int = 4
    types: Sequence[RelationType] = RELATION_TYPES
    directed: bool = True
    as_of: str | None = None
    limit: int = 20
    relations: int = 50_000
    steps: int = 200_000


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """Paths as sequences of distinct norms, shortest first, those of one length by their norms' places.

    Attributes:
        complete_to: Every path of up to so many hops is among them.
        truncated: What ended the search before ``max_hops``: the limit of paths, the budget of relations read or that
            of steps walked; None when nothing did.
        relations_read: How many relations were read.
    """

    paths: tuple[tuple[NormId, ...], ...]
    complete_to: int
    truncated: Literal["limit", "relations", "steps"] | None
    relations_read: int


async def find_paths(store: GraphStore, asked: PathRequest) -> FoundPaths:
    """Find the simple paths from one norm to another.

    Raises:
        InputError: The ends are the same norm, or more hops are asked for than 6.
    """
    _check(asked)
    reader = LevelReader(
        store,
        asked.corpus_uid,
        asked.types,
        directed=asked.directed,
        as_of=asked.as_of,
        keep=(asked.start, asked.end),
        budget=asked.relations,
    )
    near = _Side(asked.start)
    far = _Side(asked.end)
    steps: defaultdict[NormId, set[NormId]] = defaultdict(set)
    walker = _Walker(asked)
    for hops in range(1, asked.max_hops + 1):
        try:
            while near.depth + far.depth < hops and near.frontier and far.frontier:
                # The smaller frontier costs less; the near one on a tie.
                if len(near.frontier) <= len(far.frontier):
                    for ref, others in (await reader.read(near.advance())).items():
                        steps[ref] |= others
                        near.reach(others)
                else:
                    for ref, others in (await reader.read(far.advance(), incoming=True)).items():
                        for other in others:
                            steps[other].add(ref)
                        far.reach(others)
        except OverBudgetError:
            return walker.result(hops - 1, "relations", reader.spent)
        ended = await asyncio.to_thread(walker.walk, steps, hops)
        if ended:
            return walker.result(hops - 1, ended, reader.spent)
    return walker.result(asked.max_hops, None, reader.spent)


def _check(asked: PathRequest) -> None:
    if asked.start == asked.end:
        raise InputError(f"both ends are {asked.start!r}; name two different norms")
    if not 1 <= asked.max_hops <= MOST_HOPS:
        raise InputError(f"max_hops {asked.max_hops} is not between 1 and {MOST_HOPS}; ask for {MOST_HOPS} at most")


class _Side:
    """How far the graph is read from one end."""

    def __init__(self, end: NormId) -> None:
        self.depth = 0
        self.frontier: set[NormId] = {end}
        self._seen: set[NormId] = {end}

    def advance(self) -> set[NormId]:
        """Return the norms to read next and begin a new level."""
        level, self.frontier = self.frontier, set()
        self.depth += 1
        return level

    def reach(self, others: frozenset[NormId]) -> None:
        """Note norms one step behind the level that was read."""
        new = others - self._seen
        self._seen |= new
        self.frontier |= new


class _Walker:
    """Walks paths of one length after the other and counts."""

    def __init__(self, asked: PathRequest) -> None:
        self._asked = asked
        self._left = asked.steps
        self._found: list[tuple[NormId, ...]] = []

    def walk(self, steps: Mapping[NormId, set[NormId]], hops: int) -> Literal["limit", "steps"] | None:
        """Take up all paths of so many hops, or say what ended that."""
        try:
            for path in self._paths(steps, hops):
                if len(self._found) == self._asked.limit:
                    return "limit"
                self._found.append(path)
        except OverBudgetError:
            return "steps"
        return None

    def result(
        self, complete_to: int, truncated: Literal["limit", "relations", "steps"] | None, relations_read: int
    ) -> FoundPaths:
        return FoundPaths(tuple(self._found), complete_to, truncated, relations_read)

    def _paths(self, steps: Mapping[NormId, set[NormId]], hops: int) -> Iterator[tuple[NormId, ...]]:
        start = self._asked.start
        ways = self._ways(steps, hops)
        if start not in ways[hops]:
            return
        path = [start]
        branches = [self._next(steps, ways, path, hops)]
        while branches:
            step = next(branches[-1], None)
            if step is None:
                branches.pop()
                path.pop()
                continue
            self._left -= 1
            if self._left < 0:
                raise OverBudgetError
            path.append(step)
            if len(path) == hops + 1:
                yield tuple(path)
                path.pop()
            else:
                branches.append(self._next(steps, ways, path, hops))

    def _ways(self, steps: Mapping[NormId, set[NormId]], hops: int) -> list[set[NormId]]:
        """Return for each number of hops the norms from which a walk of just so many ends at the target."""
        before: defaultdict[NormId, set[NormId]] = defaultdict(set)
        for ref, others in steps.items():
            for other in others:
                before[other].add(ref)
        asked = self._asked
        ways = [{asked.end}]
        for left in range(1, hops + 1):
            reached = {ref for other in ways[-1] for ref in before[other]} - {asked.end}
            # The start is left once: it stands at the very beginning and nowhere else.
            ways.append(reached if left == hops else reached - {asked.start})
        return ways

    @staticmethod
    def _next(
        steps: Mapping[NormId, set[NormId]], ways: Sequence[set[NormId]], path: list[NormId], hops: int
    ) -> Iterator[NormId]:
        there = ways[hops - len(path)]
        candidates = (other for other in steps.get(path[-1], ()) if other in there and other not in path)
        return iter(sorted(candidates, key=ref_sort_key))
