"""What a model's verdicts make of a corpus."""

from __future__ import annotations

import pytest

from loaders.relations._refinement import Questions, Verdict, apply_verdicts, contract_for, pairs_to_ask
from service.domain import (
    Act,
    Article,
    CitationPlace,
    Jurisdiction,
    Language,
    Relation,
    RelationSource,
    RelationType,
)
from service.graph.content import CorpusContent, CorpusInfo, corpus_content

INFO = CorpusInfo("t", False, "l", "s")
ACT = Act("ГК", "Кодекс", Jurisdiction.RU, Language.RU, None, ("complete",))
PLACE = CitationPlace("статьёй 2", 10, 19)
T = RelationType


def article(number: str) -> Article:
    return Article("ГК", number, f"О предмете {number}", (), f"Текст статьи {number} о {{предмете}}.", ())


def relation(
    source: str, target: str, kind: T = T.REFERS_TO, *, behind: bool = False, cue: str | None = None
) -> Relation:
    place = CitationPlace("статьёй", 0, 7, in_target=behind)
    origin = RelationSource.CITATION if kind is T.REFERS_TO else RelationSource.CUE
    return Relation(f"ГК_{source}", f"ГК_{target}", kind, origin, 1.0, "said", cue=cue, citations=(place,))


def corpus(*relations: Relation) -> CorpusContent:
    return corpus_content(INFO, [ACT], [article(str(number)) for number in range(1, 6)], relations)


def found(content: CorpusContent) -> dict[tuple[str, str], tuple]:
    return {
        (one.source_id[3:], one.target_id[3:]): (one.type.value, one.source.value, tuple(t.value for t in one.also))
        for one in content.relations
    }


def said(kind: T | None, *, reverse: bool = False) -> Verdict:
    return Verdict(kind, reverse, "потому что сказано")


BASE = (
    relation("1", "2"),
    relation("1", "3", T.EXCLUDES, cue="не применяется"),
    # «кроме случаев статьи 5» in article 4: the citation stays, and 5 acts on 4.
    relation("4", "5"),
    relation("5", "4", T.EXCLUDES, behind=True, cue="кроме"),
)


def test_asked_are_candidates_that_no_cue_typed() -> None:
    content = corpus(*BASE)
    assert pairs_to_ask(content, every=False) == [("ГК_1", "ГК_2")]
    assert pairs_to_ask(content, every=True) == [("ГК_1", "ГК_2"), ("ГК_4", "ГК_5"), ("ГК_1", "ГК_3")]


def test_a_type_in_the_citations_direction_replaces_the_reference_and_keeps_its_citations() -> None:
    content = apply_verdicts(corpus(*BASE), {("ГК_1", "ГК_2"): said(T.SUPPLEMENTS)})
    assert found(content)["1", "2"] == ("SUPPLEMENTS", "model", ())
    (made,) = [one for one in content.relations if one.source is RelationSource.MODEL]
    assert made.citations == BASE[0].citations
    assert (made.explanation, made.confidence) == ("потому что сказано", 0.70)
    assert len(content.relations) == 4


def test_a_type_in_the_other_direction_adds_a_relation_and_the_citation_stays() -> None:
    content = apply_verdicts(corpus(*BASE), {("ГК_1", "ГК_2"): said(T.APPLIES_TO, reverse=True)})
    assert found(content)["1", "2"] == ("REFERS_TO", "citation", ())
    assert found(content)["2", "1"] == ("APPLIES_TO", "model", ())
    (made,) = [one for one in content.relations if one.source is RelationSource.MODEL]
    assert [place.in_target for place in made.citations] == [True]
    assert made.confidence == 0.85


@pytest.mark.parametrize("verdict", [said(None), said(None, reverse=True), said(T.REFERS_TO)])
def test_no_relation_and_a_plain_reference_change_nothing(verdict: Verdict) -> None:
    before = corpus(*BASE)
    assert apply_verdicts(before, {("ГК_1", "ГК_2"): verdict}).version == before.version


def test_a_cues_type_stays_and_the_models_goes_beside_it() -> None:
    content = apply_verdicts(
        corpus(*BASE),
        {("ГК_1", "ГК_3"): said(T.PREVAILS_OVER), ("ГК_4", "ГК_5"): said(T.SUPPLEMENTS, reverse=True)},
    )
    assert found(content)["1", "3"] == ("EXCLUDES", "cue", ("PREVAILS_OVER",))
    assert found(content)["5", "4"] == ("EXCLUDES", "cue", ("SUPPLEMENTS",))
    same = apply_verdicts(corpus(*BASE), {("ГК_1", "ГК_3"): said(T.EXCLUDES)})
    assert same.version == corpus(*BASE).version


def test_of_two_verdicts_on_one_pair_the_stronger_wins_in_any_order() -> None:
    content = corpus(relation("1", "2"), relation("2", "1"))
    one, two = (("ГК_1", "ГК_2"), said(T.SUPPLEMENTS)), (("ГК_2", "ГК_1"), said(T.EXCLUDES, reverse=True))
    results = [apply_verdicts(content, dict(order)) for order in ([one, two], [two, one])]
    assert results[0].version == results[1].version
    assert found(results[0]) == {
        ("1", "2"): ("EXCLUDES", "model", ("SUPPLEMENTS",)),
        ("2", "1"): ("REFERS_TO", "citation", ()),
    }


@pytest.mark.parametrize("language", list(Language))
def test_every_language_has_a_prompt_with_both_articles_whole_and_the_requirement(language: Language) -> None:
    act = Act("ГК", "К", Jurisdiction.RU, language, None, ("complete",))
    content = corpus_content(INFO, [act], [article("1"), article("2")], [relation("1", "2")])
    messages, contract = Questions(content).about(("ГК_1", "ГК_2"))
    user = messages[-1].content
    for part in ("Текст статьи 1 о {предмете}.", "Текст статьи 2 о {предмете}.", "ГК_1", "ГК_2", contract.requirement):
        assert part in user
    assert contract == contract_for(language)
    values = contract.read('{"explanation": "x", "relation": "NONE", "direction": "A_TO_B"}').values
    assert values is not None
    assert Verdict.of_values(values) == Verdict(None, False, "x")
    for kind in T:
        assert kind.value in user
