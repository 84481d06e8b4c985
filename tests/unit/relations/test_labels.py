"""The rules against the labelled paragraphs: the bars of issue 5, and confidences that rest on the labels."""

from __future__ import annotations

import pytest

from loaders.relations._rules import load_rules
from service.domain import Language
from tests.benchmarks._relation_labels import read_labels, score
from tests.benchmarks.relations import BARS, confidences

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def rows(data):
    return read_labels(data / "citations")


def test_types_and_directions_reach_the_bars(rows):
    tally = score(rows, load_rules(Language.RU))
    assert tally.labelled.total() == 94
    assert tally.precision >= BARS["precision"], tally.differences
    assert tally.recall >= BARS["recall"], tally.differences


def test_confidences_are_what_the_labels_say(rows):
    book = load_rules(Language.RU)
    expected = confidences(score(rows, book), book)
    assert {rule.id: rule.confidence for rule in book.rules} == expected
