"""The bars of issue 4 on the labelled texts; the figures themselves are printed by tests.benchmarks.citations."""

from pathlib import Path

import pytest

from service.citations import ArticleIndex, known_jurisdictions
from service.domain import Language
from tests.benchmarks._citation_labels import Labelled, article_index, label_sets
from tests.benchmarks.citations import Score, add, kazakhstan, read

pytestmark = pytest.mark.data
CYRILLIC = (Language.RU, Language.UK)


@pytest.fixture(scope="module")
def articles(data: Path) -> ArticleIndex:
    return article_index(data)


@pytest.fixture(scope="module")
def labelled(data: Path) -> list[Labelled]:
    return [text for text in label_sets(data) if text.language in CYRILLIC]


def test_every_short_case_is_right(labelled: list[Labelled], articles: ArticleIndex) -> None:
    wrong = {
        text.id: difference
        for text in labelled
        if text.set == "cases" and (difference := add(Score(), text, read(text, articles)))
    }
    assert wrong == {}


@pytest.mark.parametrize("language", CYRILLIC)
def test_precision_and_recall_reach_their_bars(
    labelled: list[Labelled], articles: ArticleIndex, language: Language
) -> None:
    score = Score()
    texts = [text for text in labelled if text.language is language]
    assert len(texts) > 150
    for text in texts:
        add(score, text, read(text, articles))
    for tally, bar in ((score.article, 0.99), (score.part, 0.97)):
        figures = tally.figures()
        assert figures["precision"] >= bar, figures
        assert figures["recall"] >= bar, figures


def test_raw_is_the_labelled_stretch(labelled: list[Labelled], articles: ArticleIndex) -> None:
    score = Score()
    for text in labelled:
        add(score, text, read(text, articles))
    assert score.spans.figures()["recall"] >= 0.99


def test_kazakhstans_front_matter_agrees(data: Path, articles: ArticleIndex) -> None:
    assert known_jurisdictions()
    assert not kazakhstan(data, articles)
