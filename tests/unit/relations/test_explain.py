"""A relation in words, in three languages, with directions right."""

from __future__ import annotations

import pytest

from loaders.relations import explain
from loaders.relations._explain import norm_in_words, quote, unit_in_words
from service.domain import Language, RelationType


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (RelationType.REFERS_TO, "ст. 5 ГК ссылается на ст. 7 СК"),
        (RelationType.APPLIES_TO, "ст. 5 ГК определяет, к чему применяется ст. 7 СК"),
        (RelationType.EXCLUDES, "ст. 5 ГК вытесняет ст. 7 СК"),
        (RelationType.SUPPLEMENTS, "ст. 5 ГК дополняет или уточняет ст. 7 СК"),
        (RelationType.PREVAILS_OVER, "ст. 5 ГК имеет приоритет перед ст. 7 СК"),
    ],
)
def test_the_source_acts_on_the_target(kind, said):
    told = explain(
        kind, "ГК_5", "СК_7", Language.RU, citing="СК_7", unit="п. 2", words="если иное не установлено ст. 5"
    )
    assert told.startswith(said)
    assert told.endswith(", потому что в п. 2 ст. 7 СК сказано: «если иное не установлено ст. 5»")
    assert explain(kind, "ГК_5", "СК_7", Language.RU, citing="СК_7").startswith(said)


def test_every_type_is_told_in_every_language():
    for language in Language:
        told = {explain(kind, "ЦК_5", "СК_7", language, citing="ЦК_5", words="w") for kind in RelationType}
        assert len(told) == len(RelationType)


def test_ukrainian_and_chinese():
    applies = explain(RelationType.APPLIES_TO, "ЦК_5", "СК_7", Language.UK, citing="ЦК_5", unit="ч. 1", words="слова")
    assert applies == "ст. 5 ЦК визначає, до чого застосовується ст. 7 СК, тому що в ч. 1 ст. 5 ЦК сказано: «слова»"
    excludes = explain(
        RelationType.EXCLUDES,
        "刑法_120-1",
        "刑法_5",
        Language.ZH,
        citing="刑法_5",
        unit="第2款",
        words="除第120条之一外",
    )
    assert excludes == "《刑法》第120条之1排除《刑法》第5条的适用,因为《刑法》第5条第2款规定:“除第120条之一外”"


def test_acts_that_are_no_abbreviation_go_by_title_and_editions_are_named():
    titles = {"127-ФЗ": "О банкротстве", "ГК": "Гражданский кодекс"}
    assert norm_in_words("127-ФЗ_5", Language.RU, titles) == "ст. 5 (О банкротстве)"
    assert norm_in_words("ГК_5", Language.RU, titles) == "ст. 5 ГК"
    assert norm_in_words("公司法@2018_5", Language.ZH) == "《公司法(2018)》第5条"


def test_units_and_quotes():
    assert unit_in_words(Language.RU, "1", "2", "а") == "подп. а п. 2 ч. 1"
    assert unit_in_words(Language.ZH, "1", "2", None) == "第1款第2项"
    assert unit_in_words(Language.RU, None, None, None) is None
    assert quote("а\nб  в", 0, 6) == "а б в"
    long = quote("слово " * 200, 0, 1200)
    assert len(long) <= 240
    assert " … " in long
