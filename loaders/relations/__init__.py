"""From citations to typed relations: cue rules as data, a phrase analyser, the relation builder."""

from loaders.relations._build import Reader, build_relations
from loaders.relations._explain import explain
from loaders.relations._review import Review, ReviewItem, draw_review, read_review, review_figures, write_review
from loaders.relations._types import RelationSet, TypedCitation
from loaders.relations._typing import type_citations

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
