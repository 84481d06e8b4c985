"""The relations of the ten real codes."""

from __future__ import annotations

from collections import Counter

import pytest

from loaders.relations import build_relations
from loaders.statutes import load_statutes
from service.domain import RELATION_TYPES, split_norm_id

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def acts(data):
    return load_statutes(data / "ru-statutes", "ru")


@pytest.fixture(scope="module")
def built(acts):
    return build_relations(acts)


def test_all_types_and_relations_across_codes(built):
    counts = Counter(relation.type for relation in built.relations)
    assert set(counts) == set(RELATION_TYPES)
    assert min(counts.values()) >= 40
    across = [r for r in built.relations if split_norm_id(r.source_id)[0] != split_norm_id(r.target_id)[0]]
    assert len(across) >= 80


def test_no_relation_leads_out_of_the_corpus_or_to_itself(acts, built):
    known = {article.ref for text in acts for article in text.articles}
    pairs = [(relation.source_id, relation.target_id) for relation in built.relations]
    assert len(pairs) == len(set(pairs))
    assert all(source in known and target in known and source != target for source, target in pairs)


def test_every_citation_is_cut_out_of_its_article(acts, built):
    texts = {article.ref: article.text for text in acts for article in text.articles}
    for relation in built.relations:
        assert relation.citations
        for place in relation.citations:
            citing = relation.target_id if place.in_target else relation.source_id
            assert texts[citing][place.start : place.end] == place.raw


def test_the_same_acts_give_the_same_relations(acts, built):
    assert build_relations(acts) == built
