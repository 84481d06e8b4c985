"""Typed relations between norms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.names import NormId

__all__ = [
    "CITED_TYPE",
    "RELATION_TYPES",
    "CitationPlace",
    "Direction",
    "Family",
    "OutsideCitation",
    "Relation",
    "RelationSource",
    "RelationType",
]


class Family(StrEnum):
    """The two families of relation types (mhgb.md 2)."""

    STRUCTURAL = "structural"
    DOCTRINAL = "doctrinal"


class RelationType(StrEnum):
    """What the first norm does to the second (mhgb.md 2)."""

    REFERS_TO = "REFERS_TO"
    APPLIES_TO = "APPLIES_TO"
    EXCLUDES = "EXCLUDES"
    SUPPLEMENTS = "SUPPLEMENTS"
    PREVAILS_OVER = "PREVAILS_OVER"

    @property
    def family(self) -> Family:
        """Structural for citing and applying, doctrinal for the rest."""
        structural = self in (RelationType.REFERS_TO, RelationType.APPLIES_TO)
        return Family.STRUCTURAL if structural else Family.DOCTRINAL

    @property
    def strength(self) -> int:
        """Precedence among several cues, 0 the weakest (mhgb.md 2)."""
        return _BY_STRENGTH.index(self)


RELATION_TYPES: tuple[RelationType, ...] = tuple(RelationType)
"""All types in the order of mhgb.md 2, which is the order of ordinals."""

CITED_TYPE = RelationType.REFERS_TO
"""The type of a citation that nothing else types."""

_BY_STRENGTH = (
    RelationType.REFERS_TO,
    RelationType.APPLIES_TO,
    RelationType.SUPPLEMENTS,
    RelationType.EXCLUDES,
    RelationType.PREVAILS_OVER,
)


class RelationSource(StrEnum):
    """What a relation's type rests on."""

    CITATION = "citation"
    CUE = "cue"
    MODEL = "model"
    IMPORT = "import"


class Direction(StrEnum):
    """Which way a typed relation runs, seen from the citing article."""

    SOURCE_OVER_TARGET = "source_over_target"
    TARGET_OVER_SOURCE = "target_over_source"


@dataclass(frozen=True, slots=True)
class CitationPlace:
    """Where and how an article cites another: the provenance of a relation.

    Attributes:
        start: Offset in the citing article's ``text``.
        end: Offset behind the citation.
        unit: The citing paragraph's own unit, such as ``п. 2``; None where it has none.
        part, point, subpoint, paragraph: Units cited below the article.
        in_target: The citation stands in the relation's target: the cited norm acts on the citing one.
    """

    raw: str
    start: int
    end: int
    unit: str | None = None
    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    paragraph: str | None = None
    flags: tuple[str, ...] = ()
    in_target: bool = False


@dataclass(frozen=True, slots=True)
class OutsideCitation:
    """A citation of an act, or of a part of an act, that the corpus does not hold.

    Attributes:
        source_id: The citing norm.
        act: The registry's key, or None for an act outside the registry.
        act_title: As the registry or the text names it; None where only a number is given.
        act_number: Such as ``127-ФЗ``; None where only a title is given.
        article: The cited article there, or None for the act as a whole.
    """

    source_id: NormId
    act: str | None
    act_title: str | None
    act_number: str | None
    article: str | None
    raw: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation of an ordered pair of norms.

    Attributes:
        source_id, target_id: Norm ids, with the edition where a corpus holds several (``Article.ref``).
        ordinal: Its place in an imported file; in our corpora by type, then by the other norm's place, from either end.
        confidence: 0 to 1; 1 for a plain citation.
        explanation: The relation in words, in the language of the law.
        cue: The words that decided the type; None for a plain citation.
        also: Other types that cues of the same pair and direction gave, strongest first.
        citations: Every citation that stands behind it, in text order.
    """

    source_id: NormId
    target_id: NormId
    type: RelationType
    source: RelationSource
    confidence: float
    explanation: str
    cue: str | None = None
    also: tuple[RelationType, ...] = ()
    citations: tuple[CitationPlace, ...] = ()
    ordinal: int = 0
