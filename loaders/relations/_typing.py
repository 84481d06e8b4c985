"""From citations to typed citations: every claim of every rule, and which of several wins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loaders.relations._chinese import chinese_claims, load_chinese_rules
from loaders.relations._cyrillic import claims
from loaders.relations._rules import load_rules
from loaders.relations._types import TypedCitation
from service.domain import Direction, Language, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from loaders.relations._rules import RuleBook
    from service.domain import Citation

__all__ = ["type_citations", "type_with"]


@dataclass(frozen=True, slots=True)
class _Verdict:
    type: RelationType
    direction: Direction
    start: int
    end: int
    confidence: float
    rule: str


def type_citations(text: str, citations: Sequence[Citation], language: Language) -> list[TypedCitation]:
    """Say of each citation what the words around it make of the two articles.

    Members of a list or range that share one ``raw`` share its type. A citation of the citing article itself is
    returned as a plain reference. The conventions are those of mhgb.md 2 and of the labelled paragraphs
    (docs/relations.md): of several cues the strongest type wins, the others are kept in ``also``.

    Args:
        text: The text in which the citations stand: a paragraph, or an article.
        citations: As the citation reader gives them, offsets into ``text``.
        language: The language of the text.

    Returns:
        One for each citation, in the order given.
    """
    if language is not Language.ZH:
        return type_with(text, citations, load_rules(language))
    groups, members = _groups(citations)
    verdicts: dict[int, list[_Verdict]] = {}
    for found in chinese_claims(text, groups, load_chinese_rules()):
        rule = found.rule
        verdict = _Verdict(rule.type, rule.direction, found.start, found.end, rule.confidence, rule.id)
        verdicts.setdefault(found.group, []).append(verdict)
    return _typed(text, citations, members, verdicts)


def type_with(text: str, citations: Sequence[Citation], book: RuleBook) -> list[TypedCitation]:
    """Do the same with the given rules."""
    citations = [_itself(citation, book) for citation in citations]
    groups, members = _groups(citations)
    firsts = [citations[indexes[0]] for indexes in members]
    verdicts: dict[int, list[_Verdict]] = {}
    for claim in claims(text, groups, firsts, book):
        rule = book.rules[claim.rule]
        verdict = _Verdict(rule.type, rule.direction, claim.start, claim.end, rule.confidence, rule.id)
        verdicts.setdefault(claim.group, []).append(verdict)
    return _typed(text, citations, members, verdicts)


def _itself(citation: Citation, book: RuleBook) -> Citation:
    """«настоящей статьи» is the citing article also where nobody said which article that is."""
    if citation.is_self or citation.article is not None:
        return citation
    if book.words.itself.isdisjoint(word.lower() for word in citation.raw.split()):
        return citation
    return replace(citation, is_self=True)


def _typed(
    text: str, citations: Sequence[Citation], members: list[list[int]], verdicts: dict[int, list[_Verdict]]
) -> list[TypedCitation]:
    typed: list[TypedCitation] = [TypedCitation(citation) for citation in citations]
    for group, found in verdicts.items():
        for index in members[group]:
            if not citations[index].is_self:
                typed[index] = _decide(text, citations[index], found)
    return typed


def _groups(citations: Sequence[Citation]) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Gather citations whose spans are the same or overlap; spans come out disjoint and in text order."""
    groups: list[tuple[int, int]] = []
    members: list[list[int]] = []
    for index in sorted(range(len(citations)), key=lambda i: (citations[i].start, citations[i].end, i)):
        start, end = citations[index].start, citations[index].end
        if groups and start < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(end, groups[-1][1]))
            members[-1].append(index)
        else:
            groups.append((start, end))
            members.append([index])
    return groups, members


def _decide(text: str, citation: Citation, verdicts: Iterable[_Verdict]) -> TypedCitation:
    """The strongest type wins; among claims of one type the surest, then the nearest to the citation."""
    ranked = sorted(
        verdicts, key=lambda v: (-v.type.strength, -v.confidence, abs(citation.start - v.end), v.start, v.rule)
    )
    best = ranked[0]
    also: list[tuple[RelationType, Direction]] = []
    for other in ranked[1:]:
        pair = (other.type, other.direction)
        if pair != (best.type, best.direction) and pair not in also:
            also.append(pair)
    return TypedCitation(
        citation,
        best.type,
        best.direction,
        text[best.start : best.end],
        best.start,
        best.end,
        best.confidence,
        best.rule,
        tuple(also),
    )
