"""A chunk of open-book context."""

from __future__ import annotations

from dataclasses import dataclass

from service.domain.articles import DateBasis
from service.domain.names import NormId

__all__ = ["Chunk"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One norm as context shows it (mhgb.md 6). Nothing in it may tell a seed from a neighbour.

    Attributes:
        relation_lines: Rendered lines about relations; empty under ``full_graph``.
    """

    norm_id: NormId
    title: str
    text: str
    valid_from: str | None
    valid_from_basis: DateBasis | None
    valid_to: str | None
    repealed: bool
    relation_lines: tuple[str, ...] = ()
