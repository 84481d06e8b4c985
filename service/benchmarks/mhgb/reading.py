"""Reads an answer: its sections, the norms it names, and which of them do not exist (mhgb.md 4)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.benchmarks._protocol import Law
from service.benchmarks.mhgb.layout import cited, with_plain_ids
from service.benchmarks.mhgb.sections import Section, Span, find_sections
from service.benchmarks.mhgb.shapes import said
from service.citations import check_citations
from service.domain import CitationFlag, NormId, split_norm_id

if TYPE_CHECKING:
    from service.domain import Citation

__all__ = ["AnswerReading", "norm_of", "read_answer", "seed_of"]


def norm_of(law: Law, act: str, number: str) -> NormId | None:
    """Return the norm that an act and a number mean under the corpus's folding rule; None when it has none."""
    if law.fold_inserted and "-" in number:
        return law.ref(act, number.partition("-")[0]) or law.ref(act, number)
    return law.ref(act, number)


def seed_of(law: Law, norm_id: NormId) -> NormId:
    """Return a seed norm under the same rule; one that the corpus does not hold keeps its own name."""
    act, number = split_norm_id(norm_id)
    return norm_of(law, act, number) or norm_id


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """An answer as read. Norms stand once each, in text order.

    Attributes:
        text: What the answer says, without its think blocks and its wrapping, ids as the corpus writes them.
        thinking: The think block, kept apart; None without one.
        sections: Stretches of ``text``; none when it has no headings.
        unstructured: Neither the articles nor the reasoning has a heading: norms were read from the whole text.
        listed: Existing norms under the articles' heading.
        reasoned: Existing norms under the reasoning's heading.
        named: Those that count: the union of both, or all where unstructured.
        invented: Named as law although the corpus covers that place and has no such article.
        outside: Named, but outside what the corpus covers; held against nobody. A law without an id is told as written.
        unresolved: Articles without an act that anybody could tell, as written; they count for nothing.
        consistency: Jaccard index of ``listed`` and ``reasoned``, 1 when both are empty; None where unstructured.
    """

    text: str
    thinking: str | None
    sections: tuple[Span, ...]
    unstructured: bool
    listed: tuple[NormId, ...]
    reasoned: tuple[NormId, ...]
    named: tuple[NormId, ...]
    invented: tuple[str, ...]
    outside: tuple[str, ...]
    unresolved: tuple[str, ...]
    consistency: float | None

    @property
    def blank(self) -> bool:
        """Whether nothing was said beside the thinking."""
        return not self.text.strip()

    def section(self, section: Section) -> str | None:
        """Return the text under a heading; several stretches are joined, None without the heading."""
        parts = [self.text[span.start : span.end].strip() for span in self.sections if span.section is section]
        return "\n".join(parts) if parts else None

    def as_json(self) -> dict[str, Any]:
        """Return what is kept and shown; it holds nothing of the task."""
        return {
            "sections": [section.value for section in dict.fromkeys(span.section for span in self.sections)],
            "unstructured": self.unstructured,
            "thinking": self.thinking is not None,
            "listed": list(self.listed),
            "reasoned": list(self.reasoned),
            "named": list(self.named),
            "invented": list(self.invented),
            "outside": list(self.outside),
            "unresolved": list(self.unresolved),
            "consistency": self.consistency,
        }


@dataclass(slots=True)
class _Found:
    existing: dict[Section | None, list[NormId]] = field(default_factory=dict)
    invented: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)


def read_answer(answer: str, law: Law) -> AnswerReading:
    """Read an answer as a model wrote it.

    A norm in a conclusion, or ahead of the first heading, does not count where there are headings for articles or
    reasoning; whether it exists is checked there too.
    """
    text, thinking = said(answer)
    text = with_plain_ids(text, law)
    spans = find_sections(text)
    unstructured = not any(span.section in (Section.ARTICLES, Section.REASONING) for span in spans)
    found = _norms(text, spans, law)
    every = _once(norm for norms in found.existing.values() for norm in norms)
    listed = _once(found.existing.get(Section.ARTICLES, ()))
    reasoned = _once(found.existing.get(Section.REASONING, ()))
    return AnswerReading(
        text=text,
        thinking=thinking,
        sections=spans,
        unstructured=unstructured,
        listed=listed,
        reasoned=reasoned,
        named=every if unstructured else _once((*listed, *reasoned)),
        invented=_once(found.invented),
        outside=_once(found.outside),
        unresolved=_once(found.unresolved),
        consistency=None if unstructured else _jaccard(listed, reasoned),
    )


def _norms(text: str, spans: tuple[Span, ...], law: Law) -> _Found:
    found = _Found()
    starts = [span.start for span in spans]
    checked: Iterable[Citation] = check_citations(cited(text, law), law.coverage)
    for citation in checked:
        if CitationFlag.UNRESOLVED in citation.flags:
            if citation.article is not None:
                found.unresolved.append(" ".join(citation.raw.split()))
            continue
        if citation.act is None or citation.article is None:
            if citation.article is not None:
                found.outside.append(" ".join(citation.raw.split()))
            continue
        norm = norm_of(law, citation.act, citation.article) if _at_home(citation, law) else None
        if norm is not None:
            found.existing.setdefault(_place(spans, starts, citation.start), []).append(norm)
        elif CitationFlag.INVENTED in citation.flags:
            found.invented.append(str(citation.norm_id))
        else:
            found.outside.append(str(citation.norm_id))
    return found


def _at_home(citation: Citation, law: Law) -> bool:
    return law.jurisdiction is None or citation.jurisdiction == law.jurisdiction


def _place(spans: tuple[Span, ...], starts: list[int], offset: int) -> Section | None:
    span = spans[place - 1] if (place := bisect_right(starts, offset)) else None
    return span.section if span is not None and offset < span.end else None


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _jaccard(first: Iterable[str], second: Iterable[str]) -> float:
    a, b = set(first), set(second)
    return len(a & b) / len(a | b) if a | b else 1.0
