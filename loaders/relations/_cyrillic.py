"""Typing citations of Russian and Ukrainian texts by cue rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaders.relations._cues import find_cues
from loaders.relations._phrases import governed
from loaders.relations._tokens import Kind, sentences
from service.domain import RelationType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loaders.relations._cues import Hit
    from loaders.relations._rules import Rule, RuleBook, Words
    from loaders.relations._tokens import Token
    from service.domain import Citation

__all__ = ["Claim", "claims"]

_SUBJECT_REACH = 60
_SENTENCE_REACH = 300
_NO_HEAD = frozenset({""})


@dataclass(frozen=True, slots=True)
class Claim:
    """A rule's claim on a group of citations, with the span of text shown as its cue."""

    group: int
    rule: int
    start: int
    end: int


def claims(
    text: str, groups: Sequence[tuple[int, int]], citations: Sequence[Citation], book: RuleBook
) -> Iterator[Claim]:
    """Yield every claim of every rule, in text order.

    ``groups`` are disjoint spans of citations in text order, ``citations`` the first citation of each.
    """
    for tokens in sentences(text, groups, citations, book.language):
        hits = list(find_cues(tokens, book))
        begins = frozenset(hit.begin for hit in hits if book.rules[hit.rule].governs == "right")
        applied: list[int] = []
        made: list[Claim] = []
        for hit in sorted(hits, key=lambda hit: book.rules[hit.rule].governs == "applied"):
            rule = book.rules[hit.rule]
            if not _fits(tokens, hit, rule, book) or (rule.main_clause and _in_condition(tokens, hit.begin, book)):
                continue
            shown = tokens[hit.shown[0]].start, tokens[hit.shown[1] - 1].end
            found = _reach(tokens, hit, rule, book, begins)
            if rule.governs == "applied":
                if rule.own and not any(citations[group].is_self for group in found):
                    continue
                found = [group for group in applied if groups[group][1] <= shown[0]]
            elif rule.type is RelationType.APPLIES_TO:
                applied += found
            made += [Claim(group, hit.rule, *shown) for group in found]
        yield from _standing(made, book)


def _standing(made: list[Claim], book: RuleBook) -> Iterator[Claim]:
    """Drop the claims that another rule says it stands instead of, on the same citations."""
    gone = {(claim.group, other) for claim in made for other in book.rules[claim.rule].instead_of}
    return (claim for claim in made if (claim.group, book.rules[claim.rule].id) not in gone)


def _fits(tokens: Sequence[Token], hit: Hit, rule: Rule, book: RuleBook) -> bool:
    """Whether the surroundings that the rule asks for are there."""
    if rule.left and _left(tokens, hit.begin) not in rule.left:
        return False
    if any(token.text in rule.not_after for token in tokens[max(0, hit.begin - 2) : hit.begin]):
        return False
    if rule.needs or rule.lacks:
        behind = _words_behind(tokens[hit.end : hit.end + _SENTENCE_REACH], book.words)
        return (not rule.needs or not behind.isdisjoint(rule.needs)) and behind.isdisjoint(rule.lacks)
    return True


def _words_behind(tokens: Sequence[Token], words: Words) -> set[str]:
    """The words without those behind an adversative: «а также» only joins."""
    return {
        token.text for place, token in enumerate(tokens) if not (place and tokens[place - 1].text in words.adversative)
    }


def _in_condition(tokens: Sequence[Token], begin: int, book: RuleBook) -> bool:
    """Whether the cue's clause opens with a condition, or with a relative pronoun as its subject («лицо, которое …»)."""
    for place in range(begin - 1, max(-1, begin - _SUBJECT_REACH), -1):
        token = tokens[place]
        if token.text in book.words.conditions:
            return True
        if token.text in (",", ":", "("):
            opener = tokens[place + 1]
            return opener.text in book.words.relative and "nomn" in opener.grammar.cases
    return False


def _left(tokens: Sequence[Token], begin: int) -> str:
    place = begin - 1
    while place >= max(0, begin - 4) and (tokens[place].kind == Kind.NUMBER or tokens[place].text in ("-", "–", "—")):
        place -= 1
    if place < 0 or (tokens[place].text == ")" and place <= 1):
        return "start"
    return {",": "comma", "(": "bracket"}.get(tokens[place].text, "word")


def _reach(tokens: Sequence[Token], hit: Hit, rule: Rule, book: RuleBook, begins: frozenset[int]) -> list[int]:
    cases = hit.cases or frozenset(rule.cases)
    if rule.governs == "subject":
        return _subject(tokens, hit, rule, book, cases)
    begin, stop = hit.gap if rule.governs == "inside" else (hit.end, len(tokens))
    if rule.governs == "inside" and begin < stop and tokens[begin].text in book.words.stated_in:
        begin += 1  # «если в статье 5 не предусмотрено иное»
    if rule.bare is not None and rule.bare != (begin < stop and tokens[begin].kind == Kind.CITE):
        return []
    found, head, _ = governed(tokens, begin, stop, cases, book.words, other_cues=begins, grounds=rule.grounds)
    if (rule.heads and (head or _NO_HEAD).isdisjoint(rule.heads)) or not head.isdisjoint(rule.heads_not):
        return []
    return found


def _subject(tokens: Sequence[Token], hit: Hit, rule: Rule, book: RuleBook, cases: frozenset[str]) -> list[int]:
    """Find the subject before a predicate: back to the clause's beginning, then forward from each possible head."""
    first = hit.begin
    while first > 0 and hit.begin - first < _SUBJECT_REACH and not _clause_ends(tokens[first - 1], book):
        first -= 1
    found: list[int] = []
    place = first
    while place < hit.begin:
        if _heads(tokens, place, first, rule, cases=cases, stated=book.words.stated):
            groups, head, end = governed(tokens, place, hit.begin, cases, book.words)
            if not (tokens[place].text in book.words.stated and head.isdisjoint(rule.heads)):
                found += [group for group in groups if group not in found]
            place = max(end, place + 1)
        else:
            place += 1
    return found


def _clause_ends(token: Token, book: RuleBook) -> bool:
    return token.grammar.verbal or token.text == ":" or token.text in book.words.clause_openers


def _heads(
    tokens: Sequence[Token], place: int, first: int, rule: Rule, *, cases: frozenset[str], stated: frozenset[str]
) -> bool:
    token = tokens[place]
    if not token.grammar.cases & cases:
        return False
    previous = tokens[place - 1] if place > first else None
    if previous is not None and previous.grammar.preposition:
        return False
    if token.kind == Kind.CITE:
        # Not in a bracket: there it glosses what stands before it. «правил статьи 5» may be a genitive, «в этом случае
        # статья 5» is none.
        if previous is None or not previous.grammar.cases:
            return previous is None or previous.text != "("
        return "gent" not in token.grammar.cases and not previous.grammar.participle
    if token.text in stated:
        # «предусмотренные статьёй 5 меры применяются»; behind a comma it belongs to the noun before, if that agrees.
        if previous is None or previous.kind == Kind.WORD:
            return True
        return previous.text == "," and place - 2 >= first and not tokens[place - 2].grammar.cases & cases
    return token.grammar.noun and not token.grammar.lemmas.isdisjoint(rule.heads)
