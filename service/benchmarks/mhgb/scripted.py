"""Scripted participants that read no law: what they reach tells what an open context gives away (mhgb.md 6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.benchmarks._protocol import TestParticipants
from service.benchmarks.mhgb.scoring import coverage_f1
from service.domain import Chunk, NormId

__all__ = ["TEST_PARTICIPANTS", "ShownChunk", "everything", "hub", "marker"]

_NAMED: Final = re.compile(r"\[([^\]]+)\]")


class ShownChunk(NamedTuple):
    """What these participants look at of a chunk."""

    norm_id: NormId
    relation_lines: tuple[str, ...]


def everything(chunks: Sequence[ShownChunk]) -> frozenset[NormId]:
    """Name every chunk: what knowing nothing at all is worth."""
    return frozenset(chunk.norm_id for chunk in chunks)


def marker(chunks: Sequence[ShownChunk]) -> frozenset[NormId]:
    """Name the norms that lines name but that carry none of their own; every chunk where there are none of these."""
    named = {norm for chunk in chunks for line in chunk.relation_lines for norm in _NAMED.findall(line)}
    carrying = {chunk.norm_id for chunk in chunks if chunk.relation_lines}
    return frozenset(named - carrying) or everything(chunks)


def hub(chunks: Sequence[ShownChunk]) -> frozenset[NormId]:
    """Name the chunks with the most lines about them; every chunk where there are no lines."""
    lines = Counter(norm for chunk in chunks for line in chunk.relation_lines for norm in _NAMED.findall(line))
    most = max(lines.values(), default=0)
    return frozenset(norm for norm, count in lines.items() if count == most) or everything(chunks)


class _Scripted(TestParticipants):
    """`marker` and `hub`, and naming every chunk, which neither may exceed where nothing is given away."""

    component = "norm_coverage"

    def reach(self, record: Mapping[str, Any], chunks: Sequence[Chunk]) -> Mapping[str, float]:
        """Return each participant's norm coverage on an open task."""
        shown = [ShownChunk(chunk.norm_id, chunk.relation_lines) for chunk in chunks]
        seeds = record["norm_ids"]
        return {
            participant.__name__: coverage_f1(participant(shown), seeds) for participant in (marker, hub, everything)
        }


TEST_PARTICIPANTS: Final = _Scripted()
