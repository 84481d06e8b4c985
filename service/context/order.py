"""What a chunk costs and in which order chunks stand (mhgb.md 6)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["chunk_order", "chunk_tokens"]

_T = TypeVar("_T")


def chunk_tokens(text: str) -> int:
    """Return what a chunk costs: ``max(1, len(text) // 3)`` tokens, the text alone."""
    return max(1, len(text) // 3)


def chunk_order(chunks: Sequence[_T], order_key: str) -> list[_T]:
    """Return the chunks shuffled by a generator seeded with the key.

    The integer value of SHA-256(key) modulo 2^32 seeds Python's ``random.Random``, whose ``shuffle`` is applied to
    seeds, then neighbours.

    Args:
        chunks: Seeds in task order, then neighbours in the order of the walk.
        order_key: The open task's id, or the norm ids as given, joined by commas.
    """
    seed = int.from_bytes(hashlib.sha256(order_key.encode()).digest()) % 2**32
    shuffled = list(chunks)
    random.Random(seed).shuffle(shuffled)
    return shuffled
