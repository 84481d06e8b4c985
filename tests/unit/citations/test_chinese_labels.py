"""The Chinese reader on the labelled texts, and its growth on hostile ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.citations import load_registry, read_citations
from service.citations._chinese._numbers import CIRCLED
from service.citations._chinese._units import read_group
from service.domain import Jurisdiction, Language
from tests.benchmarks.citations_chinese import HOSTILE, report
from tests.labels.chinese import load_own

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.data
def test_labels_for_tuning_and_short_cases(data: Path) -> None:
    figures = list(report(data, speed=False))
    for figure in figures:
        if figure["of"] == "short cases":
            assert figure["right"] == figure["reference"] == 19
        elif figure["kind"] == "all":
            least = 0.97 if figure["of"] == "units" else 0.99
            assert figure["precision"] >= least, figure
            assert figure["recall"] >= least, figure


def test_own_sentences_are_read_as_labelled() -> None:
    for row in load_own():
        found = read_citations(row["text"], Language.ZH)
        spans = [(label["start"], label["end"], label["article"], label.get("edition")) for label in row["citations"]]
        assert [(it.start, it.end, it.article, it.edition) for it in found] == spans, row["text"]
        acts = [label["act"] or label["act_title"] for label in row["citations"]]
        assert [it.act or it.act_title for it in found] == acts, row["text"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_failed_group_is_not_looked_at_twice(name: str) -> None:
    """Where a group fails the walk goes on behind it, so the characters looked at grow as the text does."""

    def looked_at(text: str) -> int:
        at = steps = 0
        while (at := text.find("第", at)) >= 0:
            end = read_group(text, at).end
            steps += end - at + 1
            at = end
        return steps

    assert looked_at(HOSTILE[name](20_000)) <= 2 * 20_000 + 100


def test_every_act_of_the_registry_is_found_by_its_title() -> None:
    registry = load_registry(Jurisdiction.CN)
    from service.citations._chinese._lexicon import lexicon_of

    lexicon = lexicon_of(registry)
    assert len(registry.acts) > 500
    for act in registry.acts:
        assert lexicon.titled(act.title.replace("（", "(").replace("）", ")")) is act, act.title
        assert act.key is not None
    assert not any(char in act.key for act in registry.acts for char in CIRCLED if act.key)
