"""From citations to typed relations: cue rules as data, a phrase analyser, the relation builder.

The expert review is looked up when first used: it needs spreadsheets and statistics, which take seconds to import, and
a load needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from loaders.relations._build import Reader, build_relations
from loaders.relations._explain import explain
from loaders.relations._types import RelationSet, TypedCitation
from loaders.relations._typing import type_citations

if TYPE_CHECKING:
    from loaders.relations._review import Review, ReviewItem, draw_review, read_review, review_figures, write_review

__all__ = [
    "Reader",
    "RelationSet",
    "Review",
    "ReviewItem",
    "TypedCitation",
    "build_relations",
    "draw_review",
    "explain",
    "read_review",
    "review_figures",
    "type_citations",
    "write_review",
]

_REVIEW = ("Review", "ReviewItem", "draw_review", "read_review", "review_figures", "write_review")


def __getattr__(name: str) -> Any:
    if name not in _REVIEW:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("loaders.relations._review"), name)
