"""What the relation builder gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.domain import CITED_TYPE, Citation, Direction, OutsideCitation, Relation, RelationType

__all__ = ["RelationSet", "TypedCitation"]


@dataclass(frozen=True, slots=True)
class TypedCitation:
    """A citation with what the citing words make of it.

    Attributes:
        direction: Which of the two articles acts on the other; None for a plain reference.
        cue: The deciding words, ``text[cue_start:cue_end]``; None for a plain reference.
        confidence: 0 to 1: how often the rule was right on labelled texts, drawn to a prior (docs/relations.md).
        rule: Id of the deciding rule; None for a plain reference.
        also: What weaker cues gave, strongest first, each with its direction.
    """

    citation: Citation
    type: RelationType = CITED_TYPE
    direction: Direction | None = None
    cue: str | None = None
    cue_start: int | None = None
    cue_end: int | None = None
    confidence: float = 1.0
    rule: str | None = None
    also: tuple[tuple[RelationType, Direction], ...] = ()

    @property
    def reverse(self) -> bool:
        """Whether the cited article acts on the citing one."""
        return self.direction is Direction.TARGET_OVER_SOURCE


@dataclass(frozen=True, slots=True)
class RelationSet:
    """All relations of a corpus, and a count of everything that did not become one.

    Attributes:
        relations: By the citing act's order, then the article's, then type, then the other norm's place.
        outside: Citations of acts or articles that the corpus does not hold, in text order.
        invented: Citations of articles that do not exist although the act's coverage says they would be here.
        counts: Named counts: ``citations``, ``self``, ``unresolved``, ``outside``, ``invented``, ``relations`` and one
            for each relation type.
    """

    relations: tuple[Relation, ...]
    outside: tuple[OutsideCitation, ...]
    invented: tuple[OutsideCitation, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
