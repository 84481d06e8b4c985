"""What the full-text index holds of an article, and how a query asks it: the one place that writes Lucene's syntax.

An article stands in the index by two fields, ``search_title`` and ``search_text``, of lemmas between spaces. The text
opens with marks, words that begin with ``§`` as no lemma can: its corpus with the version, its act, its branch of law,
and whether it is repealed. A query requires marks and weighs lemmas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

from service.domain import Language
from service.text.derivation import nouns_of
from service.text.lemmas import lemmas_of, words
from service.text.vocabulary import meanings

if TYPE_CHECKING:
    from service.domain import Act, Article

__all__ = ["SEARCH_SCHEME", "Marks", "QueryWords", "lucene_query", "read_words", "search_fields"]

SEARCH_SCHEME = 2
"""Changes whenever an article's fields would come out otherwise; a version of another scheme is indexed anew."""

_SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=])')
_TERMS = 64
_OPENING = 30
_TITLE_BOOST = 1.5
_MEANING_BOOST = 0.8
_DERIVED_BOOST = 0.5
_PHRASE_BOOST = 0.7
_MEANING_PHRASE_BOOST = 0.3
_PHRASE_SLOP = 3


@dataclass(frozen=True, slots=True)
class Marks:
    """What every hit must be.

    Attributes:
        corpus_uid: ``key@version``.
        act: An act's key, with ``@edition`` where a certain one is meant; None for all.
        branch: A branch of law; None for all.
        repealed: Only repealed ones, or only others; None for both.
    """

    corpus_uid: str
    act: str | None = None
    branch: str | None = None
    repealed: bool | None = None

    def written(self) -> list[str]:
        """Return the marks as words of the index."""
        marks = [f"§{self.corpus_uid}"]
        if self.act is not None:
            marks.append(f"§act={self.act}")
        if self.branch is not None:
            marks.append(f"§branch={self.branch}")
        if self.repealed is not None:
            marks.append("§repealed" if self.repealed else "§living")
        return [_mark(mark) for mark in marks]


@dataclass(frozen=True, slots=True)
class QueryWords:
    """What a query asks for.

    Attributes:
        terms: The lemmas looked for, one tuple a word: a word's readings are alternatives.
        meanings: Lemmas looked for beside them: what words of every day mean in statutes, and the nouns of verbs.
        weights: How much each of ``meanings`` counts, where a word of the query with one reading counts 1.
        phrases: Two lemmas that the query or a meaning says one behind the other, and what an article gains that has
            them near each other («исковая давность»).
        left_out: How many words more there were than a query may have.
    """

    terms: tuple[tuple[str, ...], ...]
    meanings: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    phrases: tuple[tuple[str, str, float], ...] = ()
    left_out: int = 0

    @property
    def lemmas(self) -> frozenset[str]:
        """Every lemma, for highlights."""
        return frozenset(lemma for term in self.terms for lemma in term) | frozenset(self.meanings)


def search_fields(corpus_uid: str, article: Article, act: Act) -> dict[str, str]:
    """Return the properties by which an article is found; derived, so never part of an export."""
    marks = Marks(corpus_uid, act.key, act.branch, article.repealed).written()
    if act.edition:
        marks.append(_mark(f"§act={act.key}@{act.edition}"))
    language = act.language
    title = _lemmas([article.title], language)
    if not title and not article.repealed:
        # A constitution's articles have none, and would lose against every article that has one.
        title = _lemmas([article.text], language)[:_OPENING]
    text = _lemmas([*article.path, article.number, article.text], language)
    return {"search_title": " ".join(title), "search_text": " ".join([*marks, *text])}


def read_words(text: str, languages: Iterable[Language]) -> QueryWords:
    """Read a query: its words without stop words and repetitions, at most 64.

    Args:
        text: What somebody typed; any characters.
        languages: The corpus's; a word is looked for as each of them reads it.
    """
    terms: dict[tuple[str, ...], None] = {}
    added: dict[str, float] = {}
    phrases: dict[tuple[str, str], float] = {}
    for language in languages:
        said: set[str] = set()
        for word in words(text, language):
            lemmas = lemmas_of(word.form, language)
            said.update((word.form, *lemmas))
            if lemmas:
                terms[lemmas] = None
        for key, meant in _meanings(language):
            if key <= said:
                # What is said in many words must not outweigh what is said in one.
                _raise(added, meant, _MEANING_BOOST / sqrt(len(meant)))
                phrases.update(dict.fromkeys(pairwise(meant), _MEANING_PHRASE_BOOST))
        for term in tuple(terms)[:_TERMS]:
            _raise(added, nouns_of(term[0], language), _DERIVED_BOOST)
    kept = tuple(terms)[:_TERMS]
    phrases.update(dict.fromkeys(pairwise(term[0] for term in kept), _PHRASE_BOOST))
    own = {lemma for term in kept for lemma in term}
    meant_words = tuple(lemma for lemma in added if lemma not in own)[:_TERMS]
    weights = tuple(round(added[lemma], 3) for lemma in meant_words)
    written = tuple((one, next_one, weight) for (one, next_one), weight in phrases.items())[-2 * _TERMS :]
    return QueryWords(kept, meant_words, weights, written, max(0, len(terms) - _TERMS))


def _raise(weights: dict[str, float], lemmas: Iterable[str], weight: float) -> None:
    for lemma in lemmas:
        weights[lemma] = max(weight, weights.get(lemma, 0))


def lucene_query(marks: Marks, asked: QueryWords) -> str:
    """Write a query in Lucene's syntax; every character that means something there is escaped."""
    # A word's readings share its weight.
    weights = {one: round(1 / len(term), 3) for term in asked.terms for one in term}
    weights.update(zip(asked.meanings, asked.weights, strict=True))
    alternatives = " ".join(f"{_escaped(one)}^{weight}" for one, weight in weights.items())
    required = " ".join(f"+search_text:{_escaped(mark)}" for mark in marks.written())
    phrases = "".join(
        f' search_text:"{_escaped(one)} {_escaped(next_one)}"~{_PHRASE_SLOP}^{weight}'
        for one, next_one, weight in asked.phrases
    )
    return f"{required} +(search_title:({alternatives})^{_TITLE_BOOST} search_text:({alternatives})){phrases}"


@cache
def _meanings(language: Language) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """Return what words of every day mean, as lemmas; a word without a lemma stands as it is written."""
    return tuple(
        (
            frozenset((lemmas_of(word, language) or (word,))[0] for word in key),
            tuple(dict.fromkeys(_lemmas([meant], language))),
        )
        for key, meant in meanings(language).items()
    )


def _mark(said: str) -> str:
    # The analyzer cuts at spaces, so a mark must not hold any.
    return "_".join(said.split())


def _lemmas(texts: Iterable[str], language: Language) -> list[str]:
    return [lemma for text in texts for word in words(text, language) for lemma in lemmas_of(word.form, language)]


def _escaped(word: str) -> str:
    return _SPECIAL.sub(r"\\\1", word)
