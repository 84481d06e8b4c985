"""The sample as a graph: what our reader and our cue rules make of its wordings."""

from __future__ import annotations

from collections import Counter

import pytest

from loaders.relations import RelationSet, build_relations
from loaders.statutes.own_words import read_sample
from service.domain import RelationType, split_norm_id
from service.resources import resource

Pair = tuple[str, str]

# One of each wording that the conventions know, by hand: (citing side's wording, source, target, type).
BY_HAND = [
    ("применяются правила статьи", "ГК_10", "ГК_15", RelationType.APPLIES_TO),
    ("применяются статьи 26 и 28 того же Кодекса", "СК_60", "ГК_28", RelationType.APPLIES_TO),
    ("применяются правила статей 166–181", "СК_44", "ГК_173.1", RelationType.APPLIES_TO),
    ("руководствуется статьями", "СК_9", "ГК_200", RelationType.APPLIES_TO),
    ("если иное не предусмотрено", "ГК_1083", "ГК_15", RelationType.PREVAILS_OVER),
    ("если иное не вытекает", "СК_42", "СК_34", RelationType.PREVAILS_OVER),
    ("если иное не установлено", "ТК_236", "ГК_395", RelationType.PREVAILS_OVER),
    ("если это не противоречит", "ГК_782", "ГК_783", RelationType.PREVAILS_OVER),
    ("при отсутствии признаков", "УК_158.1", "КоАП_7.27", RelationType.PREVAILS_OVER),
    ("если она не содержит признаков", "НК_129.3", "НК_122", RelationType.PREVAILS_OVER),
    ("независимо от срока, установленного", "ТК_392", "ГК_196", RelationType.PREVAILS_OVER),
    ("за исключением случаев", "ГК_1068", "ГК_1064", RelationType.EXCLUDES),
    ("кроме нарушений, предусмотренных", "НК_122", "НК_113", RelationType.EXCLUDES),
    ("не применяется", "ЖК_155", "ГК_395", RelationType.EXCLUDES),
    ("без применения", "ГК_1100", "ГК_1064", RelationType.EXCLUDES),
    ("настоящей статьи не распространяются на", "КоАП_19.5", "КоАП_4.1.1", RelationType.EXCLUDES),
    ("положения статьи 26 не применяются", "ГК_27", "ГК_26", RelationType.EXCLUDES),
    ("наряду с", "ТК_142", "ТК_236", RelationType.SUPPLEMENTS),
    ("помимо", "ТК_312.1", "ТК_57", RelationType.SUPPLEMENTS),
    ("в дополнение к", "ТК_269", "ТК_81", RelationType.SUPPLEMENTS),
    ("кроме обстоятельств, учитывает", "УК_89", "УК_60", RelationType.SUPPLEMENTS),
    ("с учётом особенностей", "СК_39", "ГК_256", RelationType.SUPPLEMENTS),
    ("особенности определяются", "ЖК_46", "ЖК_44", RelationType.SUPPLEMENTS),
    ("по правилам", "ГК_28", "ГК_1073", RelationType.REFERS_TO),
    ("в скобках", "НК_119", "НК_80", RelationType.REFERS_TO),
    ("за исключением: and the citation stays", "ГК_1064", "ГК_1068", RelationType.REFERS_TO),
]


@pytest.fixture(scope="module")
def relations() -> RelationSet:
    return build_relations(read_sample(resource("data/sample")))


@pytest.fixture(scope="module")
def types(relations: RelationSet) -> dict[Pair, RelationType]:
    return {(relation.source_id, relation.target_id): relation.type for relation in relations.relations}


def test_all_five_types_in_number_and_across_codes(types: dict[Pair, RelationType]) -> None:
    by_type = Counter(types.values())
    assert len(types) >= 220
    assert by_type[RelationType.REFERS_TO] >= 100
    assert by_type[RelationType.APPLIES_TO] >= 55
    assert min(by_type[kind] for kind in (RelationType.EXCLUDES, RelationType.SUPPLEMENTS)) >= 25
    assert by_type[RelationType.PREVAILS_OVER] >= 25
    assert sum(split_norm_id(source)[0] != split_norm_id(target)[0] for source, target in types) >= 80


@pytest.mark.parametrize(("wording", "source", "target", "kind"), BY_HAND, ids=[row[0] for row in BY_HAND])
def test_each_wording_of_the_conventions_gives_its_relation(
    types: dict[Pair, RelationType], wording: str, source: str, target: str, kind: RelationType
) -> None:
    assert types[source, target] is kind


def test_every_citation_is_resolved_and_none_is_invented(relations: RelationSet) -> None:
    assert relations.counts["unresolved"] == 0
    assert relations.counts["invented"] == 0
    outside = {(cited.act_number or cited.act, cited.article) for cited in relations.outside}
    assert {("127-ФЗ", "61.2"), ("ГК", "304"), ("НК", "23"), ("НК", "120")} <= outside


def test_every_article_in_force_is_related_and_no_repealed_one(types: dict[Pair, RelationType]) -> None:
    related = {norm for pair in types for norm in pair}
    alone = [
        article.norm_id
        for act in read_sample(resource("data/sample"))
        for article in act.articles
        if (article.norm_id in related) is article.repealed
    ]
    assert alone == []


@pytest.mark.parametrize("length", range(2, 11))
@pytest.mark.parametrize(
    "first",
    [
        set(RelationType),
        set(RelationType) - {RelationType.REFERS_TO},
        {RelationType.EXCLUDES, RelationType.PREVAILS_OVER},
    ],
    ids=["any", "semantic", "conflict"],
)
def test_chains_of_every_length_exist_for_every_template(
    types: dict[Pair, RelationType], first: set[RelationType], length: int
) -> None:
    onward: dict[str, list[str]] = {}
    for source, target in types:
        onward.setdefault(source, []).append(target)
    wanted = 25
    found = 0
    for (source, target), kind in types.items():
        open_chains = [(source, target)] if kind in first else []
        while open_chains and found < wanted:
            chain = open_chains.pop()
            if len(chain) == length:
                found += 1
                continue
            open_chains += [(*chain, norm) for norm in onward.get(chain[-1], []) if norm not in chain]
    assert found == wanted
