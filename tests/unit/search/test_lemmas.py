"""Words and their lemmas: one way for index, query and highlights."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.domain import Language
from service.text.lemmas import lemmas_of, words


def forms(text: str, language: Language = Language.RU) -> list[str]:
    return [word.form for word in words(text, language)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ст. 10/1", ["ст", "10/1"]),
        ("№ 5-ФЗ", ["5-фз"]),
        ("статья 25.13-1.", ["статья", "25.13-1"]),
        ("жилищно-коммунальные услуги", ["жилищно-коммунальные", "услуги"]),
        ("Ребёнок", ["ребенок"]),
        ("", []),
        ('"+-&|!(){}[]^~*?:\\/', []),
    ],
)
def test_words_keep_the_marks_inside_numbers(text: str, wanted: list[str]) -> None:
    assert forms(text) == wanted


def test_places_are_of_the_text_as_given() -> None:
    text = "Ребё\u00adнок и ребе\u0308нка: 5\u2011ФЗ"
    found = {word.form: text[word.start : word.end] for word in words(text, Language.RU)}
    assert found == {"ребенок": "Ребё\u00adнок", "и": "и", "ребенка": "ребе\u0308нка", "5-фз": "5\u2011ФЗ"}


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (Language.RU, "работодателями", "работодателю"),
        (Language.RU, "детей", "ребёнок".replace("ё", "е")),
        (Language.UK, "працівників", "працівникові"),
        (Language.UK, "об'єкта", "об'єктами"),
        (Language.ZH, "股东", "股东"),
    ],
)
def test_forms_of_one_word_meet(language: Language, one: str, other: str) -> None:
    assert set(lemmas_of(one, language)) & set(lemmas_of(other, language))


def test_a_word_has_every_likely_reading() -> None:
    assert {"дух", "духи"} <= set(lemmas_of("духи", Language.RU))
    assert "заем" in lemmas_of("заем", Language.RU)
    assert lemmas_of("займа", Language.RU) == ("заем",)


@pytest.mark.parametrize("form", ["и", "в", "который", "какие", "можно", "они"])
def test_stop_words_have_no_lemma(form: str) -> None:
    assert lemmas_of(form, Language.RU) == ()


def test_an_old_number_is_looked_for_in_its_new_form_too() -> None:
    assert lemmas_of("10/1", Language.RU) == ("10/1", "10.1")


def test_chinese_is_cut_into_words_with_places() -> None:
    text = "股东会的决议"
    found = [(word.form, word.start, word.end) for word in words(text, Language.ZH)]
    assert all(text[start:end] == form for form, start, end in found)
    assert ("决议", 4, 6) in found


def test_threads_agree() -> None:
    texts = [f"работодатели и несовершеннолетние, {number} договоров" for number in range(200)]

    def read(text: str) -> list[tuple[str, ...]]:
        return [lemmas_of(word.form, Language.RU) for word in words(text, Language.RU)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, texts)) == [read(text) for text in texts]
