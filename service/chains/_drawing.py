"""Draws distinct chains of one stratum and length, uniformly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from service.chains._graph import ChainGraph
from service.chains._targets import Cell
from service.chains._walks import Walks

__all__ = ["Pool"]

_TRIES: Final = 20_000
"""Walks drawn in vain before a stratum is taken to hold no further chain; fewer walks than these are all looked at."""

Places = tuple[int, ...]


class Pool:
    """An endless-as-possible, seeded sequence of distinct chains of one cell.

    Args:
        graph: The graph.
        walks: Its walks, with the template's need of dates.
        cell: Stratum (the act of the second norm does not matter here) and length.
        seed: Text that decides the sequence.
    """

    def __init__(self, graph: ChainGraph, walks: Walks, cell: Cell, seed: str) -> None:
        stratum, length = cell
        if length == 1:
            norms: list[Places] = [
                (place,)
                for place, norm in enumerate(graph.norms)
                if norm.act == stratum.act
                and graph.wide[place] == stratum.wide
                and (not walks.dated or norm.valid_from is not None)
            ]
            self._more = _shuffled(norms, random.Random(seed))
        else:
            relations = [
                number
                for number, one in enumerate(graph.strata)
                if (one.act, one.wide, one.relation) == (stratum.act, stratum.wide, stratum.relation)
            ]
            self._more = _drawn(walks, relations, length, random.Random(seed))
        self._found: list[Places] = []

    def take(self, count: int, used: set[Places]) -> list[Places]:
        """Return ``count`` chains, or all there are; such as are in ``used`` only when nothing else is left."""
        chosen: list[Places] = []
        spare: list[Places] = []
        for chain in self._all():
            if len(chosen) == count:
                break
            (spare if chain in used else chosen).append(chain)
        return chosen + spare[: count - len(chosen)]

    def _all(self) -> Iterator[Places]:
        yield from list(self._found)
        for chain in self._more:
            self._found.append(chain)
            yield chain


def _shuffled(chains: list[Places], generator: random.Random) -> Iterator[Places]:
    generator.shuffle(chains)
    yield from chains


def _drawn(walks: Walks, relations: list[int], length: int, generator: random.Random) -> Iterator[Places]:
    space = walks.space(relations, length)
    if space.size <= _TRIES:
        yield from _shuffled(list(space.chains()), generator)
        return
    seen: set[Places] = set()
    tries = 0
    while tries < _TRIES:
        tries += 1
        chain = space.draw(generator)
        if chain is not None and chain not in seen:
            seen.add(chain)
            tries = 0
            yield chain
