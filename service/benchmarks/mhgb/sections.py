"""Finds the three sections of an answer, in whatever shape a model writes their headings (mhgb.md 4)."""

from __future__ import annotations

import re
from bisect import bisect_right
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


_Head = tuple[int, int, Section]
_GAP = r"[\s_]{1,4}"
_WORDS = {
    Section.ARTICLES: (
        rf"(?:(?:перечень|список){_GAP})?примен(?:имы|яемы)[ех]{_GAP}(?:стать(?:и|ей)|норм[ыа]?|законы|положения)"
        rf"|примен(?:има|яема)я{_GAP}(?:статья|норма)"
    ),
    Section.REASONING: rf"цепочка{_GAP}(?:[^\W\d_]{{4,20}}{_GAP})?рассуждени[йяе]",
    Section.CONCLUSION: rf"(?:(?:итоговый|окончательный){_GAP})?выводы?",
}
_NAMED = "|".join(f"(?P<{section.value}>{words})" for section, words in _WORDS.items())

# Between a line's start and the heading stand marks and tags of any kind and perhaps a number of one or two digits
# (arabic or roman) with a dot or a bracket: «## 1. **», «II)», «> », «<h2>», «Раздел 1.». Other letters there make the
# line no heading.
_MARK = r"(?:[^\w\n]|_)"
_TAG = r"</?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[^<>\n]{0,100})?/?>"
_COUNTED = r"(?:(?:раздел|часть|пункт|шаг|этап|блок)\s{1,3})?(?:\d{1,2}|[IVX]{1,4})"
_BEFORE = rf"(?:{_TAG}|{_MARK}){{0,12}}(?:{_COUNTED}[.)\]:]{{0,2}}{_MARK}{{0,8}})?"
# Behind it: what explains it («(Applicable articles)»), closing marks, then a colon, a dash or a full stop and text, or
# the line's end. The articles' heading may say more («… Гражданского кодекса РФ:»); lost, it would take its list along.
_GLOSS = r"(?:\s{0,3}\([^()\n]{1,60}\))?"
_MORE = r"(?(articles)(?:[ \t]{1,3}(?:[^\W\d_]|-){1,30}){0,6}?)"
_CLOSING = rf"(?:{_TAG}|[*_»\"”#\]) \t]){{0,8}}"
_ENDS = r"[:：][*_]{0,3}|[—–](?=\s)|\.[*_]{0,3}(?=\s|$)|$"
_AFTER = rf"{_MORE}{_GLOSS}{_CLOSING}{_GLOSS}(?:{_ENDS})"
_LINE = re.compile(rf"^{_BEFORE}(?:{_NAMED}){_AFTER}", re.IGNORECASE | re.MULTILINE)
# A row of a table that has a section a row; tags around a heading, or named by one, amid a line.
_ROW = re.compile(
    rf"^[ \t]{{0,8}}\|[ \t*_]{{0,8}}(?:{_NAMED}){_GLOSS}[:： \t*_]{{0,8}}\|", re.IGNORECASE | re.MULTILINE
)
_BETWEEN = re.compile(rf">\s{{0,4}}(?:{_NAMED}){_GLOSS}[:：]?\s{{0,4}}(?=</)", re.IGNORECASE)
_ELEMENT = re.compile(rf"<(?:{_NAMED})\s{{0,2}}>", re.IGNORECASE)

# A model that writes everything into one line marks its headings by capitals, bold or quotes (JSON cut off) alone.
_INLINE_NAMED = "|".join(
    f"(?P<{section.value}>{words})"
    for section, words in {
        Section.ARTICLES: r"ПРИМЕНИМЫЕ\s+(?:СТАТЬИ|НОРМЫ)|ПРИМЕНИМАЯ\s+(?:СТАТЬЯ|НОРМА)",
        Section.REASONING: r"ЦЕПОЧКА\s+РАССУЖДЕНИ[ЙЯЕ]",
        Section.CONCLUSION: r"ВЫВОДЫ?",
    }.items()
)
_INLINE = re.compile(rf"(?<!\w)(?:\*\*|__)?(?:{_INLINE_NAMED}){_GLOSS}(?:\*\*|__)?[:：](?:\*\*|__)?")
_BOLD = re.compile(rf"(?:\*\*|__)(?:{_NAMED}){_GLOSS}(?:[:：](?:\*\*|__)|(?:\*\*|__)[:：])", re.IGNORECASE)
_QUOTED = re.compile(rf"(?<=[{{,\s])\"(?:{_NAMED})\"\s{{0,4}}:", re.IGNORECASE)
# In a line that begins with a heading, a sentence that begins with another one and a colon is the next section.
_SENTENCE = re.compile(rf"(?<=[.;!?…])[ \t]{{1,4}}(?:{_NAMED}){_GLOSS}[:：]", re.IGNORECASE)


def find_sections(text: str) -> tuple[Span, ...]:
    """Return the sections of an answer without its think block, in text order; empty when there is no heading.

    A section may occur several times. A conclusion amid the reasoning, with another conclusion after it, belongs to
    the reasoning («Вывод: …» at the end of a step).
    """
    heads: list[_Head] = []
    for pattern in (_LINE, _ROW, _BETWEEN, _ELEMENT, _INLINE, _BOLD, _QUOTED):
        more = [(match.start(), match.end(), Section(str(match.lastgroup))) for match in pattern.finditer(text)]
        heads = sorted((*heads, *(head for head in more if _is_apart(head, heads))))
    heads = _with_sentences(text, heads)
    heads = _without_inner_conclusions(heads)
    if not heads:
        return ()
    ends = [start for start, _, _ in heads[1:]] + [len(text)]
    return tuple(Span(section, end, until) for (_, end, section), until in zip(heads, ends, strict=True))


def _without_inner_conclusions(heads: list[_Head]) -> list[_Head]:
    last = max((place for place, head in enumerate(heads) if head[2] is Section.CONCLUSION), default=-1)
    kept: list[_Head] = []
    for place, head in enumerate(heads):
        inner = head[2] is Section.CONCLUSION and place < last and kept and kept[-1][2] is Section.REASONING
        if not inner:
            kept.append(head)
    return kept


def _is_apart(head: _Head, heads: list[_Head]) -> bool:
    """Tell whether a heading overlaps none of those that are known, in text order."""
    place = bisect_right(heads, head)
    before, behind = heads[place - 1 : place], heads[place : place + 1]
    return all(end <= head[0] for _, end, _ in before) and all(start >= head[1] for start, _, _ in behind)


def _with_sentences(text: str, heads: list[_Head]) -> list[_Head]:
    """Add the headings of an answer that is one line («Применимые статьи: … . Цепочка рассуждений: …»)."""
    found = list(heads)
    concluded = any(section is Section.CONCLUSION for _, _, section in heads)
    for match in _SENTENCE.finditer(text):
        section = Section(str(match.lastgroup))
        place = bisect_right(found, (match.start(), len(text), section))
        if not place or (section is Section.CONCLUSION and concluded):
            continue
        behind = found[place - 1][1]
        if behind <= match.start() and text.find("\n", behind, match.start()) < 0:
            found.insert(place, (match.start(), match.end(), section))
    return found
