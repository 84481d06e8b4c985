"""Finds the three sections of an answer, in whatever shape a model writes their headings (mhgb.md 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Section", "Span", "find_sections"]


class Section(StrEnum):
    """The sections that the answer format asks for."""

    ARTICLES = "articles"
    REASONING = "reasoning"
    CONCLUSION = "conclusion"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an answer under one heading.

    Attributes:
        start: Offset behind the heading.
        end: Offset of the next heading, or the answer's end.
    """

    section: Section
    start: int
    end: int


_WORDS = {
    Section.ARTICLES: r"применимые\s+(?:статьи|нормы)(?:\s+(?:закона|права))?",
    Section.REASONING: r"цепочка\s+рассуждени[йяе]",
    Section.CONCLUSION: r"(?:итоговый\s+|окончательный\s+)?выводы?",
}
_NAMED = "|".join(f"(?P<{section.value}>{words})" for section, words in _WORDS.items())

# Between a line's start and the heading stand marks of any kind and perhaps a number of one or two digits (arabic or
# roman) with a dot or a bracket: «## 1. **», «II)», «> ». Letters there make the line no heading.
_MARK = r"(?:[^\w\n]|_)"
_BEFORE = rf"{_MARK}{{0,12}}(?:(?:\d{{1,2}}|[IVX]{{1,4}})[.)\]:]{{0,2}}{_MARK}{{0,8}})?"
# Behind it: closing marks, then a colon, a dash or a full stop and text, or the line's end.
_CLOSING = r"[*_»\"”#\]) \t]{0,8}"
_ENDS = r"[:：][*_]{0,3}|[—–](?=\s)|\.[*_]{0,3}(?=\s|$)|$"
_AFTER = rf"{_CLOSING}(?:{_ENDS})"
_LINE = re.compile(rf"^{_BEFORE}(?:{_NAMED}){_AFTER}", re.IGNORECASE | re.MULTILINE)

# A model that writes everything into one line marks its headings by capitals or bold alone.
_INLINE_NAMED = "|".join(
    f"(?P<{section.value}>{words})"
    for section, words in {
        Section.ARTICLES: r"ПРИМЕНИМЫЕ\s+(?:СТАТЬИ|НОРМЫ)",
        Section.REASONING: r"ЦЕПОЧКА\s+РАССУЖДЕНИ[ЙЯЕ]",
        Section.CONCLUSION: r"ВЫВОДЫ?",
    }.items()
)
_INLINE = re.compile(rf"(?<!\w)(?:\*\*|__)?(?:{_INLINE_NAMED})(?:\*\*|__)?[:：](?:\*\*|__)?")
_BOLD = re.compile(rf"(?:\*\*|__)(?:{_NAMED})(?:[:：](?:\*\*|__)|(?:\*\*|__)[:：])", re.IGNORECASE)


def find_sections(text: str) -> tuple[Span, ...]:
    """Return the sections of an answer without its think block, in text order; empty when there is no heading.

    A section may occur several times. A conclusion amid the reasoning, with another conclusion after it, belongs to
    the reasoning («Вывод: …» at the end of a step).
    """
    heads: list[tuple[int, int, Section]] = []
    for pattern in (_LINE, _INLINE, _BOLD):
        for match in pattern.finditer(text):
            section = Section(str(match.lastgroup))
            if not any(start < match.end() and match.start() < end for start, end, _ in heads):
                heads.append((match.start(), match.end(), section))
    heads.sort()
    heads = _without_inner_conclusions(heads)
    if not heads:
        return ()
    ends = [start for start, _, _ in heads[1:]] + [len(text)]
    return tuple(Span(section, end, until) for (_, end, section), until in zip(heads, ends, strict=True))


def _without_inner_conclusions(heads: list[tuple[int, int, Section]]) -> list[tuple[int, int, Section]]:
    last = max((place for place, head in enumerate(heads) if head[2] is Section.CONCLUSION), default=-1)
    kept: list[tuple[int, int, Section]] = []
    for place, head in enumerate(heads):
        inner = head[2] is Section.CONCLUSION and place < last and kept and kept[-1][2] is Section.REASONING
        if not inner:
            kept.append(head)
    return kept
