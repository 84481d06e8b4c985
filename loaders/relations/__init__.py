"""From citations to typed relations: cue rules as data, a phrase analyser, the relation builder."""

from loaders.relations._build import Reader, build_relations
from loaders.relations._explain import explain
from loaders.relations._types import RelationSet, TypedCitation
from loaders.relations._typing import type_citations

__all__ = [
    "Reader",
    "RelationSet",
    "TypedCitation",
    "build_relations",
    "explain",
    "type_citations",
]
