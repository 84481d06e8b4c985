"""Sentences as tokens: words with their grammar, citations as one token each, quotations as one token each."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pymorphy3

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.domain import Citation, Language

__all__ = ["ALL_CASES", "Grammar", "Kind", "Token", "sentences"]

ALL_CASES = frozenset({"nomn", "gent", "datv", "accs", "ablt", "loct"})
_RARE = 0.02
"""Readings of a form that the dictionary gives less weight than this are not taken (ru; uk has no weights)."""

_VERBAL = frozenset({"VERB", "INFN", "GRND", "PRTS"})
_CASE_OF = {"gen1": "gent", "gen2": "gent", "acc2": "accs", "loc1": "loct", "loc2": "loct"}
_LEXEME = re.compile(
    r"(?P<quote>[«“„\"][^«»“”„\"\n]{1,400}[»”\"])|(?P<both>(?:и|і|й|та)\s\((?:или|або)\)|в\s+том\s+числе\b|у\s+тому\s+числі\b)|(?P<word>[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*)|(?P<number>\d[\d.]*)"
    r"|(?P<end>[;!?\n]|(?:(?<=[^\W\d_]{3})|(?<=[)»\x22\d]))\.(?=\s|$))|(?P<mark>[,():–—-])"
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the dictionary says of a form.

    Attributes:
        cases: Cases in which it can stand as a noun, adjective, participle, pronoun or numeral.
        forms: The same with gender, or ``plur``: what a participle must share with its noun.
        verbal: Mostly a finite verb, infinitive, gerund or predicative participle.
    """

    cases: frozenset[str] = frozenset()
    forms: frozenset[tuple[str, str]] = frozenset()
    noun: bool = False
    adjective: bool = False
    participle: bool = False
    verbal: bool = False
    preposition: bool = False
    lemmas: frozenset[str] = frozenset()


class Kind:
    """Kinds of tokens."""

    WORD = "word"
    NUMBER = "number"
    CITE = "cite"
    QUOTE = "quote"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; ``cite`` is the index of the citation's group, or -1."""

    kind: str
    text: str
    start: int
    end: int
    grammar: Grammar
    cite: int = -1


@lru_cache(maxsize=2)
def _analyzer(language: str) -> Any:
    return pymorphy3.MorphAnalyzer(lang=language)


@lru_cache(maxsize=200_000)
def grammar(word: str, language: Language) -> Grammar:
    """Return the dictionary's reading of a folded word form."""
    parses = _analyzer(language.value).parse(word)
    common = [parse for parse in parses if parse.score >= _RARE] or parses[:1]
    nominal = [p for p in common if p.tag.POS in ("NOUN", "ADJF", "PRTF", "NPRO", "NUMR")]
    best = common[0].tag
    preposition = any(p.tag.POS == "PREP" for p in common)
    forms = frozenset(form for parse in nominal for form in _forms(parse.tag))
    return Grammar(
        cases=frozenset(case for case, _ in forms),
        forms=forms,
        noun=any(p.tag.POS in ("NOUN", "NPRO") for p in nominal),
        adjective=any(p.tag.POS == "ADJF" for p in nominal),
        participle=any(p.tag.POS == "PRTF" or "pssv" in p.tag or "actv" in p.tag for p in nominal),
        verbal=not preposition and (best.POS in _VERBAL or (not nominal and any(p.tag.POS in _VERBAL for p in common))),
        preposition=preposition,
        lemmas=frozenset(p.normal_form for p in common),
    )


def _forms(tag: Any) -> Iterator[tuple[str, str]]:
    if tag.case is None:
        return
    case = _CASE_OF.get(str(tag.case), str(tag.case))
    if tag.number == "plur" or tag.gender is None:
        yield case, "plur"
    if tag.number != "plur":
        # Forms without a gender (pronouns, numerals, common nouns) may be of any.
        for gender in (str(tag.gender),) if tag.gender in ("masc", "femn", "neut") else ("masc", "femn", "neut"):
            yield case, gender


_BOTH = "и"
_NONE = Grammar()
_ANY = Grammar(cases=ALL_CASES)


def sentences(
    text: str, groups: Sequence[tuple[int, int]], citations: Sequence[Citation], language: Language
) -> Iterator[list[Token]]:
    """Yield the sentences that hold a citation, as tokens.

    ``groups`` are disjoint spans of citations in text order; ``citations`` has the first citation of each, for the
    case of its first word.
    """
    starts = [start for start, _ in groups]
    current: list[Token] = []
    held = False
    position = 0
    while position < len(text):
        index = bisect_right(starts, position)
        limit = starts[index] if index < len(starts) else len(text)
        if index and groups[index - 1][1] > position:
            start, end = groups[index - 1]
            current.append(
                Token(Kind.CITE, text[start:end], start, end, _cite_grammar(citations[index - 1], language), index - 1)
            )
            held = True
            position = end
            continue
        for match in _LEXEME.finditer(text, position, limit):
            if match.lastgroup == "end":
                if held:
                    yield current
                current, held = [], False
            else:
                current.append(_token(match, language))
        position = limit
    if held:
        yield current


def _token(match: re.Match[str], language: Language) -> Token:
    kind = match.lastgroup or Kind.MARK
    text = match.group()
    if kind == "both":
        # «и (или)» is one coordinator and no bracket, «в том числе» one and no preposition.
        return Token(Kind.WORD, _BOTH, match.start(), match.end(), _NONE)
    if kind == Kind.WORD:
        text = text.lower().replace("ё", "е")
        return Token(kind, text, match.start(), match.end(), grammar(text, language))
    return Token(kind, text, match.start(), match.end(), _NONE)


def _cite_grammar(citation: Citation, language: Language) -> Grammar:
    """The case of a citation is the case of its first word; an abbreviation may stand in any."""
    match = re.match(r"[^\W\d_]+", citation.raw)
    if match is None or citation.raw[match.end() : match.end() + 1] == ".":
        return _ANY
    read = grammar(match.group().lower().replace("ё", "е"), language)
    return Grammar(cases=read.cases or ALL_CASES)
