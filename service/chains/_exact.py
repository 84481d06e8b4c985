"""Counts chains one by one, many at a time, in bounded memory: exact, for short chains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.chains._graph import ChainGraph

__all__ = ["chains_from", "count_by_first_relation"]

_ROWS: Final = 1 << 18
"""Most chains that one step of the expansion holds at once, so that hubs cost time and not memory."""


def count_by_first_relation(graph: ChainGraph, longest: int, dated: int = 0) -> dict[int, NDArray[np.int64]]:
    """Return, for each length from 2 to ``longest``, how many chains begin with each relation.

    Args:
        graph: The graph.
        longest: Most norms of a chain.
        dated: Count only chains in which at least so many norms have a known date.
    """
    relations = len(graph.types)
    counts = {length: np.zeros(relations, dtype=np.int64) for length in range(2, longest + 1)}
    if not relations or longest < 2:
        return counts
    pairs = np.stack([graph.source, graph.target], axis=1)
    for chains, begun in _expanded(graph, pairs, np.arange(relations, dtype=np.int32), longest):
        length = chains.shape[1]
        kept = begun if not dated else begun[graph.dated[chains].sum(axis=1) >= dated]
        counts[length] += np.bincount(kept, minlength=relations)
    return counts


def chains_from(graph: ChainGraph, relations: list[int], length: int, dated: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield the chains of a length that begin with one of some relations, as places of norms, by first relation."""
    begun = np.array(relations, dtype=np.int32)
    pairs = np.stack([graph.source[begun], graph.target[begun]], axis=1)
    for chains, _ in _expanded(graph, pairs, begun, length):
        if chains.shape[1] != length:
            continue
        kept = chains[graph.dated[chains].sum(axis=1) >= dated] if dated else chains
        yield from map(tuple, kept.tolist())


def _expanded(
    graph: ChainGraph, pairs: NDArray[np.int32], begun: NDArray[np.int32], longest: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield blocks of chains with the relation that each began with, each length's as it is reached."""
    yield pairs, begun
    if pairs.shape[1] >= longest:
        return
    degree = np.diff(graph.first)
    for piece in _pieces(degree[pairs[:, -1]]):
        # One block a length is held at once: memory grows with the length, not with the number of chains.
        longer, first = _step(graph, degree, pairs[piece], begun[piece])
        if len(longer):
            yield from _expanded(graph, longer, first, longest)


def _pieces(degrees: NDArray[np.int32]) -> list[slice]:
    """Cut a block so that no piece grows beyond the most rows."""
    ends = np.cumsum(degrees, dtype=np.int64)
    pieces, begin, done = [], 0, 0
    while begin < len(degrees):
        end = max(begin + 1, int(np.searchsorted(ends, done + _ROWS, side="right")))
        pieces.append(slice(begin, end))
        done = int(ends[end - 1])
        begin = end
    return pieces


def _step(
    graph: ChainGraph, degree: NDArray[np.int32], chains: NDArray[np.int32], first: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    last = chains[:, -1]
    grown = degree[last]
    row = np.repeat(np.arange(len(chains)), grown)
    within = np.arange(len(row)) - np.repeat(np.cumsum(grown) - grown, grown)
    following = graph.target[graph.first[last][row] + within]
    before = chains[row]
    new = ~(before == following[:, None]).any(axis=1)
    return np.concatenate([before[new], following[new, None]], axis=1), first[row[new]]
