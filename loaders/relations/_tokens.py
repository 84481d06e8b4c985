"""Sentences as tokens: words with their grammar, citations as one token each, quotations as one token each."""

from __future__ import annotations

import re
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
_QUOTE = r"(?P<quote>[«“„\"][^«»“”„\"\n]{1,400}[»”\"])"
_END = re.compile(_QUOTE + r"|(?P<end>[;!?\n]|(?:(?<=[^\W\d_]{3})|(?<=[)»\x22\d]))\.(?=\s|$))")
_LEXEME = re.compile(
    _QUOTE + r"|(?P<both>(?:и|і|й|та)\s\((?:или|або)\)|в\s+том\s+числе\b|в\s+частности\b|у\s+тому\s+числі\b"
    r"|а\s+в\s+соответствующих\s+случаях\b)"
    r"|(?P<word>[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*)|(?P<number>\d[\d.]*)|(?P<mark>[,():–—-])"
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
    # The Ukrainian dictionary has no weights: a form that can be a noun is not taken for a verb.
    weighed = len(parses) < 2 or parses[0].score != parses[-1].score
    verbal = common[0].tag.POS in _VERBAL and (weighed or not nominal)
    preposition = any(p.tag.POS == "PREP" for p in common)
    forms = frozenset(form for parse in nominal for form in _forms(parse.tag))
    return Grammar(
        cases=frozenset(case for case, _ in forms),
        forms=forms,
        noun=any(p.tag.POS in ("NOUN", "NPRO") for p in nominal),
        adjective=any(p.tag.POS == "ADJF" for p in nominal),
        participle=any(p.tag.POS == "PRTF" or "pssv" in p.tag or "actv" in p.tag for p in nominal),
        verbal=not preposition and (verbal or (not nominal and any(p.tag.POS in _VERBAL for p in common))),
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
    begin = 0
    first = 0
    for end in _ends(text, groups):
        last = first
        while last < len(groups) and groups[last][0] < end:
            last += 1
        if last > first:
            cites = [_cite(text, groups, citations, index, language) for index in range(first, last)]
            yield _tokens(text, begin, end, cites, language)
        begin, first = end, last


def _ends(text: str, groups: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield where sentences end; what stands within a quotation or a citation ends none."""
    at = 0
    for match in _END.finditer(text):
        if match.lastgroup != "end":
            continue
        while at < len(groups) and groups[at][1] <= match.start():
            at += 1
        if at == len(groups) or groups[at][0] > match.start():
            yield match.end()
    yield len(text)


def _tokens(text: str, begin: int, end: int, cites: Sequence[Token], language: Language) -> list[Token]:
    tokens: list[Token] = []
    for cite in cites:
        tokens += [_token(match, language) for match in _LEXEME.finditer(text, begin, cite.start)]
        tokens.append(cite)
        begin = cite.end
    return tokens + [_token(match, language) for match in _LEXEME.finditer(text, begin, end)]


def _token(match: re.Match[str], language: Language) -> Token:
    kind = match.lastgroup or Kind.MARK
    text = match.group()
    if kind == "both":
        # «и (или)» is one coordinator and no bracket; «в том числе», «а в соответствующих случаях» are one and no clause.
        return Token(Kind.WORD, _BOTH, match.start(), match.end(), _NONE)
    if kind == Kind.WORD:
        text = text.lower().replace("ё", "е")
        return Token(kind, text, match.start(), match.end(), grammar(text, language))
    return Token(kind, text, match.start(), match.end(), _NONE)


def _cite(
    text: str, groups: Sequence[tuple[int, int]], citations: Sequence[Citation], index: int, language: Language
) -> Token:
    start, end = groups[index]
    return Token(Kind.CITE, text[start:end], start, end, _cite_grammar(citations[index], language), index)


def _cite_grammar(citation: Citation, language: Language) -> Grammar:
    """The case of a citation is the case of its first word; an abbreviation may stand in any."""
    match = re.match(r"[^\W\d_]+", citation.raw)
    if match is None or citation.raw[match.end() : match.end() + 1] == ".":
        return _ANY
    read = grammar(match.group().lower().replace("ё", "е"), language)
    return Grammar(cases=read.cases or ALL_CASES)
