"""The rules against the labelled paragraphs: the bars of issue 5, and confidences that rest on the labels."""

from __future__ import annotations

import pytest

from loaders.relations._rules import load_rules
from service.domain import Language
from tests.benchmarks._relation_labels import read_labels, score
from tests.benchmarks._relation_texts import score_texts
from tests.benchmarks.relations import BARS, confidences
from tests.labels import OWN
from tests.labels.relations import RELATION_SETS, read_relation_labels

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def rows(data):
    return read_labels(data / "citations")


def test_types_and_directions_reach_the_bars(rows):
    tally = score(rows, load_rules(Language.RU))
    assert tally.labelled.total() == 94
    assert tally.precision >= BARS["precision"], tally.differences
    assert tally.recall >= BARS["recall"], tally.differences


@pytest.mark.parametrize("name", RELATION_SETS)
@pytest.mark.parametrize("folder", ["", "heldout"])
def test_whole_paragraphs_reach_the_bars_citations_read_and_cues_shown(data, name, folder):
    tally = score_texts(read_relation_labels(name, data, OWN / folder))
    given, labelled = tally.given.total(), tally.labelled.total()
    assert labelled > 20
    assert tally.right.total() >= BARS["precision"] * given, tally.differences
    assert tally.found.total() >= BARS["recall"] * labelled, tally.differences
    assert tally.cues[True] >= 0.95 * tally.cues.total()


def test_confidences_are_what_the_labels_say(rows):
    book = load_rules(Language.RU)
    expected = confidences(score(rows, book), book)
    assert {rule.id: rule.confidence for rule in book.rules} == expected
