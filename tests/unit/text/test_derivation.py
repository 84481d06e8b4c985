"""From verbs to nouns."""

from __future__ import annotations

import pytest

from service.domain import Language
from service.text.derivation import nouns_of


@pytest.mark.parametrize(
    ("verb", "noun"),
    [
        ("усыновить", "усыновление"),
        ("отсрочить", "отсрочка"),
        ("возместить", "возмещение"),
        ("взломать", "взлом"),
        ("арендовать", "аренда"),
        ("изъять", "изъятие"),
        ("закрыть", "закрытие"),
        ("отказаться", "отказ"),
    ],
)
def test_a_verb_has_the_nouns_that_the_dictionary_knows(verb, noun):
    assert noun in nouns_of(verb, Language.RU)


@pytest.mark.parametrize("word", ["закон", "абвгдить", "10.1", "ить", ""])
def test_what_is_no_verb_or_makes_no_known_noun_has_none(word):
    assert nouns_of(word, Language.RU) == ()


@pytest.mark.parametrize(("verb", "language"), [("усиновити", Language.UK), ("收养", Language.ZH)])
def test_a_language_without_rules_has_none(verb, language):
    assert nouns_of(verb, language) == ()
