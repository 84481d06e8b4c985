"""Scripted participants that read no law (mhgb.md 6): what they reach tells what a context gives away.

Each takes the chunks of a context as ``/v1/context`` shows them and returns the norms that it would name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = ["everything", "hub", "marker", "norm_coverage"]

_NAMED = re.compile(r"\[([^\]]+)\]")
Chunks = Sequence[Mapping[str, Any]]


def everything(chunks: Chunks) -> set[str]:
    """Name every chunk."""
    return {chunk["norm_id"] for chunk in chunks}


def marker(chunks: Chunks) -> set[str]:
    """Name the norms that lines name but that carry none of their own; every chunk where there are no lines."""
    named = {norm for chunk in chunks for line in chunk["relation_lines"] for norm in _NAMED.findall(line)}
    carrying = {chunk["norm_id"] for chunk in chunks if chunk["relation_lines"]}
    return named - carrying or everything(chunks)


def hub(chunks: Chunks) -> set[str]:
    """Name the chunks with the most lines about them; every chunk where there are no lines."""
    lines = Counter(norm for chunk in chunks for line in chunk["relation_lines"] for norm in _NAMED.findall(line))
    most = max(lines.values(), default=0)
    return {norm for norm, count in lines.items() if count == most} or everything(chunks)


def norm_coverage(named: Collection[str], gold: Collection[str]) -> float:
    """F1 of the norms named against the gold ones; 0 without either (mhgb.md 5, level 1)."""
    right = len(set(named) & set(gold))
    return 2 * right / (len(set(named)) + len(set(gold))) if right else 0.0
