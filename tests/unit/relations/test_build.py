"""The builder: one relation a pair, both directions, what is left out, order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaders.relations import build_relations
from service.domain import RelationSource, RelationType


def found(result):
    return {(r.source_id, r.target_id): r for r in result.relations}


def test_a_typed_relation_in_the_citations_direction_replaces_the_reference(corpus):
    acts = [corpus.act("ГК", {"1": "К найму применяются правила [статьи 2|ГК_2].\nСм. [статью 2|ГК_2].", "2": "Вещь."})]
    result = build_relations(acts, read=corpus.read)
    (relation,) = result.relations
    assert (relation.source_id, relation.target_id) == ("ГК_1", "ГК_2")
    assert relation.type is RelationType.APPLIES_TO
    assert relation.source is RelationSource.CUE
    assert relation.cue == "применяются"
    assert [(place.raw, place.unit) for place in relation.citations] == [("статьи 2", "п. 1"), ("статью 2", "п. 2")]
    text = acts[0].articles[0].text
    assert all(text[place.start : place.end] == place.raw for place in relation.citations)
    assert relation.explanation == (
        "ст. 1 ГК определяет, к чему применяется ст. 2 ГК, "
        "потому что в п. 1 ст. 1 ГК сказано: «применяются правила статьи 2»"
    )


def test_a_typed_relation_against_the_citation_is_added_beside_it(corpus):
    acts = [corpus.act("ГК", {"1": "Срок год, если иное не предусмотрено [статьей 2|ГК_2].", "2": "Вещь."})]
    relations = found(build_relations(acts, read=corpus.read))
    assert {pair: relation.type for pair, relation in relations.items()} == {
        ("ГК_1", "ГК_2"): RelationType.REFERS_TO,
        ("ГК_2", "ГК_1"): RelationType.PREVAILS_OVER,
    }
    prevails = relations["ГК_2", "ГК_1"]
    assert [place.in_target for place in prevails.citations] == [True]
    assert prevails.explanation.startswith("ст. 2 ГК имеет приоритет перед ст. 1 ГК")
    assert "в п. 1 ст. 1 ГК сказано" in prevails.explanation
    assert relations["ГК_1", "ГК_2"].source is RelationSource.CITATION
    assert relations["ГК_1", "ГК_2"].confidence == 1


def test_a_reverse_claim_types_the_cited_articles_own_reference(corpus):
    acts = [
        corpus.act(
            "ГК",
            {
                "1": "Вход открыт, за исключением случаев, предусмотренных [статьей 2|ГК_2].",
                "2": "Вход закрыт в порядке [статьи 1|ГК_1].",
            },
        )
    ]
    relations = found(build_relations(acts, read=corpus.read))
    assert relations["ГК_1", "ГК_2"].type is RelationType.REFERS_TO
    excludes = relations["ГК_2", "ГК_1"]
    assert excludes.type is RelationType.EXCLUDES
    assert [(place.raw, place.in_target) for place in excludes.citations] == [("статьи 1", False), ("статьей 2", True)]


def test_of_several_cues_the_strongest_is_the_type_and_the_others_are_kept(corpus):
    text = "К найму применяются правила [статьи 2|ГК_2].\nК дарению не применяются правила [статьи 2|ГК_2]."
    relations = found(build_relations([corpus.act("ГК", {"1": text, "2": "Вещь."})], read=corpus.read))
    relation = relations["ГК_1", "ГК_2"]
    assert relation.type is RelationType.EXCLUDES
    assert relation.also == (RelationType.APPLIES_TO,)
    assert len(relation.citations) == 2


def test_what_is_no_relation_is_kept_apart_and_counted(corpus):
    acts = [
        corpus.act(
            "ГК",
            {
                "1": "См. [статью 1|ГК_1], [статью 9|ГК_9], [статью 3 закона|?_3], [статью 4|УК_4], [статью 2|ГК_2].",
                "2": "Вещь.",
            },
        )
    ]
    result = build_relations(acts, read=corpus.read)
    assert [(o.source_id, o.act, o.article) for o in result.outside] == [("ГК_1", None, "3"), ("ГК_1", "УК", "4")]
    assert [(o.source_id, o.act, o.article) for o in result.invented] == [("ГК_1", "ГК", "9")]
    assert result.counts == {
        "citations": 5,
        "self": 1,
        "unresolved": 0,
        "outside": 2,
        "invented": 1,
        "relations": 1,
        "REFERS_TO": 1,
        "APPLIES_TO": 0,
        "EXCLUDES": 0,
        "SUPPLEMENTS": 0,
        "PREVAILS_OVER": 0,
    }


@pytest.mark.parametrize("coverage", [("1–5",), ("unknown",)])
def test_a_missing_article_outside_the_coverage_is_not_invented(corpus, coverage):
    result = build_relations([corpus.act("ГК", {"1": "См. [статью 9|ГК_9]."}, coverage)], read=corpus.read)
    assert [o.article for o in result.outside] == ["9"]
    assert not result.invented


def test_relations_go_by_type_then_by_the_neighbours_place(corpus):
    text = (
        "См. [статьи 10|ГК_10] и [2|ГК_2]. К найму применяются правила [статьи 3.1|ГК_3.1] и [статьи 3|ГК_3]. "
        "К дарению не применяется [статья 4|ГК_4]."
    )
    acts = [corpus.act("ГК", {"1": text} | dict.fromkeys(("2", "3", "3.1", "4", "10"), "Вещь."))]
    result = build_relations(acts, read=corpus.read)
    assert [(r.type.value, r.target_id) for r in result.relations] == [
        ("REFERS_TO", "ГК_2"),
        ("REFERS_TO", "ГК_10"),
        ("APPLIES_TO", "ГК_3"),
        ("APPLIES_TO", "ГК_3.1"),
        ("EXCLUDES", "ГК_4"),
    ]


def test_the_same_acts_give_the_same_relations(corpus):
    acts = [
        corpus.act("ГК", {"1": "См. [статью 2|ГК_2] и [статью 4|УК_4].", "2": "См. [статью 1|ГК_1]."}),
        corpus.act("УК", {"4": "См. [статью 1|ГК_1]."}),
    ]
    assert build_relations(acts, read=corpus.read) == build_relations(acts, read=corpus.read)


def test_an_edition_cites_itself_and_others_cite_the_newest(corpus):
    old = corpus.act("ГК", {"1": "Старая: см. [статью 2|ГК_2].", "2": "Старая вещь."})
    new = corpus.act("ГК", {"1": "Новая: см. [статью 2|ГК_2].", "2": "Новая вещь."})
    other = corpus.act("УК", {"4": "Кроме случаев, указанных в [статье 2|ГК_2], вход закрыт."})
    acts = [of_edition(old, "1994"), of_edition(new, "2020"), other]
    relations = found(build_relations(acts, read=corpus.read))
    assert {pair: relation.type.value for pair, relation in relations.items()} == {
        ("ГК@1994_1", "ГК@1994_2"): "REFERS_TO",
        ("ГК@2020_1", "ГК@2020_2"): "REFERS_TO",
        ("УК_4", "ГК@2020_2"): "REFERS_TO",
        ("ГК@2020_2", "УК_4"): "EXCLUDES",
    }


def of_edition(text, edition):
    articles = tuple(replace(article, edition=edition) for article in text.articles)
    return replace(text, act=replace(text.act, edition=edition), articles=articles)
