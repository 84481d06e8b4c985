"""Finding cues: bounded patterns of words over the tokens of a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaders.relations._tokens import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loaders.relations._rules import Cue, Element, RuleBook
    from loaders.relations._tokens import Token

__all__ = ["Hit", "find_cues"]

_BREAKS = frozenset({":", "(", ")"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A cue found: tokens ``begin`` to ``end`` (behind), what is shown of it, and its widest gap."""

    rule: int
    begin: int
    end: int
    shown: tuple[int, int]
    gap: tuple[int, int]
    cases: frozenset[str]


def find_cues(tokens: Sequence[Token], book: RuleBook) -> Iterator[Hit]:
    """Yield every cue of the sentence, in text order, then in the order of the rules; a rule hits once a place."""
    for begin, token in enumerate(tokens):
        if token.kind != Kind.WORD:
            continue
        done: set[int] = set()
        for rule, cue in book.by_word.get(token.text, ()):
            if rule in done:
                continue
            places = _match(tokens, begin, cue)
            if places is None:
                continue
            done.add(rule)
            yield _hit(rule, begin, places, cue.cases)


def _hit(rule: int, begin: int, places: list[tuple[Element, int, int]], cases: frozenset[str]) -> Hit:
    end = places[-1][2]
    marked = [(lo, hi) for element, lo, hi in places if element.marked and hi > lo]
    gaps = [(lo, hi) for element, lo, hi in places if element.gap]
    gap = max(gaps, key=lambda span: span[1] - span[0], default=(end, end))
    shown = (marked[0][0], marked[-1][1]) if marked else (begin, end)
    return Hit(rule, begin, end, shown, gap, cases)


def _match(tokens: Sequence[Token], begin: int, cue: Cue) -> list[tuple[Element, int, int]] | None:
    """Match leftmost-shortest. A gap never looks back: at most the sum of the gaps is scanned."""
    places: list[tuple[Element, int, int]] = []
    at = begin
    elements = cue.elements
    for index, element in enumerate(elements):
        if element.gap:
            following = elements[index + 1]
            stop = _gap_end(tokens, at, element, following)
            if stop is None:
                return None
            places.append((element, at, stop))
            at = stop
        elif at < len(tokens) and tokens[at].text in element.forms:
            places.append((element, at, at + 1))
            at += 1
        elif element.optional:
            places.append((element, at, at))
        else:
            return None
    return places


def _gap_end(tokens: Sequence[Token], at: int, element: Element, following: Element) -> int | None:
    """The first place within the gap where the next element stands, or None."""
    bracket = False
    for place in range(at, min(len(tokens), at + element.gap + 1)):
        token = tokens[place]
        if token.text in following.forms and not bracket:
            return place
        if element.wide and (bracket or _cites_in_bracket(tokens, place)):
            # «если законом (статья 5) не установлено иное»: citations in brackets do not break a wide gap.
            bracket = token.text != ")"
            continue
        if token.grammar.verbal or token.text in _BREAKS:
            return None
        if not element.wide and (token.text == "," or token.kind == Kind.CITE):
            return None
    return None


def _cites_in_bracket(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].text == "(" and place + 1 < len(tokens) and tokens[place + 1].kind == Kind.CITE
