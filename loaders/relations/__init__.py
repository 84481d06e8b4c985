"""From citations to typed relations: cue rules as data, a phrase analyser, the relation builder."""

from loaders.relations._types import OutsideCitation, RelationSet, TypedCitation
from loaders.relations._typing import type_citations

__all__ = ["OutsideCitation", "RelationSet", "TypedCitation", "type_citations"]
