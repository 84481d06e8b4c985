"""How whole paragraphs are typed, citation reader included, held against our own relation labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loaders.relations import type_citations
from service.citations import Surrounding, read_citations
from service.domain import CITED_TYPE, Jurisdiction, Language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loaders.relations import TypedCitation
    from service.citations import ArticleIndex
    from tests.labels.relations import RelationLabel, RelationText

__all__ = ["TextTally", "score_texts"]


@dataclass
class TextTally:
    """Counts by type, once a raw; ``cues`` counts right types whose cue overlaps the labelled one."""

    given: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    cues: Counter[bool] = field(default_factory=Counter)
    raws: Counter[bool] = field(default_factory=Counter)
    """Every labelled raw, plain references too: typed rightly or not."""
    differences: list[str] = field(default_factory=list)


def score_texts(texts: Iterable[RelationText], articles: ArticleIndex | None = None) -> TextTally:
    """Read and type each paragraph as a batch row would be, and compare."""
    tally = TextTally()
    for text in texts:
        surrounding = Surrounding(jurisdiction=Jurisdiction.RU, act=text.act, article=text.article)
        citations = read_citations(text.text, Language.RU, surrounding=surrounding, articles=articles)
        spans: dict[tuple[int, int], TypedCitation] = {}
        for typed in type_citations(text.text, citations, Language.RU):
            if not typed.citation.is_self:
                spans.setdefault((typed.citation.start, typed.citation.end), typed)
        for label in text.relations:
            _count(tally, text, label, _nearest(spans, label))
        # What the reader found and nobody labelled can only be wrong where it is typed.
        for typed in spans.values():
            if typed.type is not CITED_TYPE:
                tally.given[typed.type.value] += 1
                tally.differences.append(
                    f"{text.id}: {typed.citation.raw!r} has no label, typed {typed.type} {typed.rule}"
                )
    return tally


def _nearest(spans: dict[tuple[int, int], TypedCitation], label: RelationLabel) -> TypedCitation | None:
    """Take out the reader's raw that shares most with the label."""
    best = max(spans, key=lambda span: _shared(span, (label.start, label.end)), default=None)
    if best is None or _shared(best, (label.start, label.end)) <= 0:
        return None
    return spans.pop(best)


def _shared(one: tuple[int, int], other: tuple[int, int]) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


def _count(tally: TextTally, text: RelationText, label: RelationLabel, typed: TypedCitation | None) -> None:
    if label.optional:
        return
    same = typed is not None and typed.type is label.type and typed.direction is label.direction
    right = same or (typed is not None and typed.type in label.also)
    tally.raws[right] += 1
    if typed is not None and typed.type is not CITED_TYPE:
        tally.given[typed.type.value] += 1
        tally.right[typed.type.value] += right
    if label.type is not CITED_TYPE:
        tally.labelled[label.type.value] += 1
        tally.found[label.type.value] += right
        if same and typed is not None and label.cue and typed.cue_start is not None and typed.cue_end is not None:
            tally.cues[_shared(label.cue, (typed.cue_start, typed.cue_end)) > 0] += 1
    if not right:
        got = "not read" if typed is None else f"typed {typed.type} {typed.direction} by {typed.rule}"
        raw = text.text[label.start : label.end]
        tally.differences.append(f"{text.id}: {raw!r} is {label.type} {label.direction}, {got}")
