"""Words of a text as lemmas, with their places: one way for the index, the queries and the highlights.

Russian and Ukrainian words by pymorphy3, Chinese ones by jieba. Numbers keep their inner marks, so that ``10/1``,
``25.13-1`` and ``5-ФЗ`` are one word each. Everything here may be called by several threads at once.
"""

from __future__ import annotations

import logging
import re
import threading
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from service.domain import Language
from service.text.normalise import normalise
from service.text.vocabulary import stop_words

__all__ = ["Word", "known_nouns", "lemmas_of", "words"]

_FORMS = 65_536
_LIKELY = 0.1
_PART = 3
_WORD = re.compile(r"\d+(?:[./-]\d+)*(?:-?[^\W\d_]+)?|[^\W\d_]+(?:['-][^\W\d_]+)*")
_CYRILLIC = re.compile("[\u0400-\u04ff'-]+")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
_EMPTY_PARTS = frozenset(("PREP", "CONJ", "PRCL", "INTJ", "NPRO"))
_locks = {language: threading.Lock() for language in Language}
_analysers: dict[Language, Any] = {}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Attributes:
        form: As normalised, in lower case, ё written as е.
        start: Offset of its first character in the text as given.
        end: Offset behind its last character there.
    """

    form: str
    start: int
    end: int


def words(text: str, language: Language) -> Iterator[Word]:
    """Yield the words of a text in its order, stop words included."""
    normalised = normalise(text, language, fold_yo=True)
    lowered = normalised.text.lower()
    if len(lowered) != len(normalised.text):  # A few letters (İ) grow in lower case; offsets matter more.
        lowered = normalised.text
    for match in _WORD.finditer(lowered):
        if language is Language.ZH and _HAN.search(match.group()):
            for form, start, end in _cut(match.group()):
                yield Word(form, *normalised.span(match.start() + start, match.start() + end))
        else:
            yield Word(match.group(), *normalised.span(match.start(), match.end()))


@lru_cache(maxsize=_FORMS)
def lemmas_of(form: str, language: Language) -> tuple[str, ...]:
    """Return the lemmas of a word, the likeliest first: none for a stop word, several where it can be read so.

    Index and query take all of them: «заем» alone is as likely a verb, and its own «займа» is none. A compound's parts
    follow it.
    """
    if language is Language.ZH or form[0].isdigit():
        if form in stop_words(language):
            return ()
        # An old code writes 10/1 where a new one writes 10.1.
        return (form, form.replace("/", ".")) if "/" in form else (form,)
    whole = _readings(form, language)
    if not whole or "-" not in form:
        return whole
    parts = (lemma for part in form.split("-") if len(part) >= _PART for lemma in _readings(part, language))
    return tuple(dict.fromkeys((*whole, *parts)))


def known_nouns(forms: Iterable[str], language: Language) -> tuple[str, ...]:
    """Return those forms that the dictionary has as nouns in their first form."""
    if language is Language.ZH:
        return ()
    analyser = _analyser(language)
    return tuple(form for form in forms if analyser.word_is_known(form) and _is_noun(analyser.parse(form), form))


def _is_noun(parses: Iterable[Any], form: str) -> bool:
    return any(parse.tag.POS == "NOUN" and _plain(parse.normal_form) == form for parse in parses)


def _readings(form: str, language: Language) -> tuple[str, ...]:
    if not _CYRILLIC.fullmatch(form):
        return (form,)  # The dictionary has only such words, and its guesser breaks at letters without a name.
    parses = _analyser(language).parse(form)
    if not parses:
        return (form,)
    best = parses[0]
    lemma = _plain(best.normal_form)
    stop = stop_words(language)
    if best.tag.POS in _EMPTY_PARTS or lemma in stop or form in stop:
        return ()
    likely = (_plain(parse.normal_form) for parse in parses if parse.score >= _LIKELY)
    return tuple(dict.fromkeys((lemma, *likely)))


def _plain(lemma: str) -> str:
    return lemma.replace("ё", "е")


def _cut(text: str) -> list[tuple[str, int, int]]:
    return list(_analyser(Language.ZH).tokenize(text, mode="search"))


def _analyser(language: Language) -> Any:
    found = _analysers.get(language)
    if found is None:
        with _locks[language]:
            found = _analysers.get(language)
            if found is None:
                found = _analysers[language] = _make(language)
    return found


def _make(language: Language) -> Any:
    if language is Language.ZH:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Its own source has escapes that Python no longer likes.
            import jieba  # noqa: PLC0415 - takes some 100 MB, for Chinese alone

        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.initialize()
        return tokenizer
    import pymorphy3  # noqa: PLC0415 - reads a dictionary

    return pymorphy3.MorphAnalyzer(lang=language.value)
