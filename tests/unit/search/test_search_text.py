"""What the index holds and how a query is written: the one place that knows Lucene's syntax."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain import Act, Article, Jurisdiction, Language
from service.graph.highlights import highlights
from service.graph.search_text import Marks, lucene_query, read_words, search_fields
from service.text.vocabulary import meanings

RU = (Language.RU,)
MARKS = Marks("ru@0123456789ab")
# What Lucene's classic parser reads as syntax when it stands bare.
PHRASE = re.compile(r' search_text:"(?:\\.|[^"\\ ])+ (?:\\.|[^"\\ ])+"~\d\^[\d.]+')
BARE = re.compile(r'(?<!\\)(?:\\\\)*[!{}\[\]"~*?/&|<>=]')


def article(**more: object) -> Article:
    values = {
        "act": "ГК",
        "number": "10.1",
        "title": "Споры соседей",
        "path": (),
        "text": "Сосед не шумит.",
        "paragraphs": (),
    }
    return Article(**values | more)  # type: ignore[arg-type]


ACT = Act("ГК", "Кодекс", Jurisdiction.RU, Language.RU, "civil law", ("complete",))


def test_fields_hold_marks_and_lemmas() -> None:
    fields = search_fields("ru@0123456789ab", article(), ACT)
    assert fields["search_title"].split() == ["спор", "сосед"]
    marks, lemmas = fields["search_text"].split()[:4], fields["search_text"].split()[4:]
    assert marks == ["§ru@0123456789ab", "§act=ГК", "§branch=civil_law", "§living"]
    assert lemmas == ["10.1", "сосед", "шуметь"]


def test_an_article_without_a_title_has_its_opening_for_one() -> None:
    fields = search_fields("ru@0", article(title="", text="Сосед не шумит. " + "Ночь тиха. " * 30), ACT)
    title = fields["search_title"].split()
    assert title[:4] == ["сосед", "шуметь", "ночь", "тихий"]
    assert len(title) == 30


def test_a_repealed_article_without_a_title_stays_without_one() -> None:
    assert search_fields("ru@0", article(title="", text="Утратила силу.", repealed=True), ACT)["search_title"] == ""


def test_an_edition_has_a_mark_of_its_own() -> None:
    act = Act("ГК", "Кодекс", Jurisdiction.RU, Language.RU, None, (), edition="2018")
    fields = search_fields("ru@0", article(edition="2018", repealed=True), act)
    assert {"§act=ГК", "§act=ГК@2018", "§repealed"} <= set(fields["search_text"].split())


def test_no_text_can_pass_for_a_mark() -> None:
    fields = search_fields("ru@0", article(text="§ua@1 §act=УК ru@2"), ACT)
    assert [word for word in fields["search_text"].split() if "§" in word] == [
        "§ru@0",
        "§act=ГК",
        "§branch=civil_law",
        "§living",
    ]


@settings(deadline=None)  # the first call reads dictionary and vocabulary
@given(st.text(max_size=300))
def test_nothing_that_somebody_types_is_syntax(text: str) -> None:
    asked = read_words(text, RU)
    if asked.terms:
        written, phrases = PHRASE.subn("", lucene_query(MARKS, asked))
        assert phrases == len(asked.phrases)
        assert not BARE.search(written), written
        inner = re.sub(r"\\.", "", written)
        assert inner.count("(") == inner.count(")") == 3
        assert not {"AND", "OR", "NOT", "TO"} & set(inner.split())


@pytest.mark.parametrize(("text", "lemma"), [("ст. 10/1", r"10\/1"), ("№ 5-ФЗ", r"5\-фз")])
def test_hyphens_and_slashes_are_escaped(text: str, lemma: str) -> None:
    assert lemma in lucene_query(MARKS, read_words(text, RU))


@pytest.mark.parametrize("text", ["", "   ", "и", "какой же", "*:*", '"', "&& ||"])
def test_a_query_that_says_nothing_has_no_terms(text: str) -> None:
    assert read_words(text, RU).terms == ()


def test_a_long_query_is_cut_and_says_so() -> None:
    asked = read_words(" ".join(f"{number}" for number in range(1000)), RU)
    assert (len(asked.terms), asked.left_out) == (64, 936)


def test_words_of_every_day_bring_those_of_statutes() -> None:
    asked = read_words("меня уволили", RU)
    assert "расторжение" in asked.meanings
    assert "расторжение" not in {lemma for term in asked.terms for lemma in term}


def test_a_verb_brings_its_noun_which_counts_less() -> None:
    asked = read_words("усыновить", RU)
    assert asked.terms == (("усыновить",),)
    weights = dict(zip(asked.meanings, asked.weights, strict=True))
    assert 0 < weights["усыновление"] < 1


def test_a_meaning_of_many_words_weighs_each_of_them_less() -> None:
    asked = read_words("прогул", RU)
    weights = dict(zip(asked.meanings, asked.weights, strict=True))
    assert len(weights) > 3
    assert max(weights.values()) <= 0.4


def test_words_that_stand_together_are_asked_for_as_a_phrase_too() -> None:
    asked = read_words("красные линии", RU)
    assert asked.phrases == (("красный", "линия", 0.7),)
    assert 'search_text:"красный линия"~3^0.7' in lucene_query(MARKS, asked)


def test_a_long_query_stays_within_what_lucene_takes() -> None:
    # Forms of several readings, and every key of the vocabulary at once: Lucene refuses more than 1,024 clauses.
    text = " ".join(["стали заем мыла пошли вели знал простой"] + [" ".join(key) for key in meanings(Language.RU)])
    written = lucene_query(MARKS, read_words(text, RU))
    assert written.count("^") + written.count("search_text:+") + 2 * written.count("~") < 1024


@pytest.mark.parametrize("key", meanings(Language.RU), ids=" ".join)
def test_every_key_of_the_vocabulary_finds_its_meaning(key: tuple[str, ...]) -> None:
    asked = read_words(" ".join(key), RU)
    meant = {lemma for term in read_words(meanings(Language.RU)[key], RU).terms for lemma in term[:1]}
    assert meant <= asked.lemmas


def test_highlights_stand_where_they_say() -> None:
    text = "Начало без всего.\n" + "слово " * 100 + "Соседи спорят о заборе.\nКонец."
    found = highlights("Споры соседей", text, frozenset(("сосед", "забор")), Language.RU)
    title, stretch = found
    assert (title.field, title.marks) == ("title", ((6, 13),))
    assert text[stretch.start : stretch.end] == stretch.text
    assert [text[start:end] for start, end in stretch.marks] == ["Соседи", "заборе"]
    assert stretch.start <= stretch.marks[0][0]
    assert stretch.marks[-1][1] <= stretch.end
    assert "Конец" not in stretch.text


def test_stretches_do_not_overlap_and_are_three_at_most() -> None:
    text = " ".join(["сосед " + "слово " * 60] * 9)
    found = highlights("", text, frozenset(("сосед",)), Language.RU)
    assert len(found) == 3
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(one.marks for one in found)
