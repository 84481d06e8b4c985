"""The scripted participants of mhgb.md 6 on chunks as ``/v1/context`` shows them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from service.benchmarks.mhgb import scripted

__all__ = ["everything", "hub", "marker", "norm_coverage"]

Chunks = Sequence[Mapping[str, Any]]


def _of(participant: Callable[[Sequence[scripted.ShownChunk]], frozenset[str]], chunks: Chunks) -> set[str]:
    return set(participant([scripted.ShownChunk(one["norm_id"], tuple(one["relation_lines"])) for one in chunks]))


def everything(chunks: Chunks) -> set[str]:
    """Name every chunk."""
    return _of(scripted.everything, chunks)


def marker(chunks: Chunks) -> set[str]:
    """Name the norms that lines name but that carry none of their own."""
    return _of(scripted.marker, chunks)


def hub(chunks: Chunks) -> set[str]:
    """Name the chunks with the most lines about them."""
    return _of(scripted.hub, chunks)


def norm_coverage(named: Collection[str], gold: Collection[str]) -> float:
    """F1 of the norms named against the gold ones; 0 without either (mhgb.md 5, level 1)."""
    right = len(set(named) & set(gold))
    return 2 * right / (len(set(named)) + len(set(gold))) if right else 0.0
