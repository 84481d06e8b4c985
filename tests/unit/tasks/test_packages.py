"""Blind packages: what is in them, what comes back, what the figures say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook

from loaders.corpus import build_sample
from service.domain import Mode
from service.errors import SourceError
from service.tasks import CHECKS, fabula_of, sample_fabulas
from service.tasks.packages import read_package, review_figures, write_package
from tests.unit.tasks.test_checks import SET

ARTICLES = {article.ref: {"text": article.text} for article in build_sample().content.articles}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    path = tmp_path / "review.xlsx"
    write_package(path, SET, sample_fabulas(), ARTICLES)
    return path


def fill(path: Path, cell: Callable[[int, int], str | None]) -> None:
    book = load_workbook(path)
    sheet = book["review"]
    for row in range(2, sheet.max_row + 1):
        for column in range(7, 14):
            sheet.cell(row, column).value = cell(row, column)
    book.save(path)


def test_a_package_is_blind_and_shuffled(package: Path, tmp_path: Path) -> None:
    rows = list(load_workbook(package)["review"].iter_rows(min_row=2, values_only=True))
    text = str(rows)
    fabulas = sample_fabulas()
    assert len(rows) == 24
    assert not any(fabula.id in text for fabula in fabulas)
    assert "pending" not in text
    assert "generator" not in text
    facts = [fabula.task(Mode.CLOSED).fabula for fabula in fabulas]
    assert sorted(str(row[1]) for row in rows) == sorted(facts)
    assert [row[1] for row in rows] != facts
    again = tmp_path / "again.xlsx"
    write_package(again, SET, fabulas[::-1], ARTICLES)
    assert list(load_workbook(again)["review"].iter_rows(min_row=2, values_only=True)) == rows


def test_words_come_back_and_open_rows_are_counted(package: Path) -> None:
    def cell(row: int, column: int) -> str | None:
        if row > 21:
            return None
        if column == 12:
            return "Approve" if row % 2 else "reject"
        if column == 13:
            return "weil"
        return "yes" if column != 8 else "no"

    fill(package, cell)
    filled = read_package(package, SET, sample_fabulas())
    assert (len(filled.words), filled.empty) == (20, 4)
    assert sum(word.approve for word in filled.words) == 10
    assert filled.words[0].checks == dict.fromkeys(CHECKS, True) | {"solvable": False}
    assert filled.words[0].comment == "weil"
    assert {word.fabula_id for word in filled.words} < {fabula.id for fabula in sample_fabulas()}


@pytest.mark.parametrize(
    ("column", "value", "said"), [(12, "maybe", "row 2: verdict 'maybe'"), (7, "x", "norms_match is 'x'")]
)
def test_another_value_than_offered(package: Path, column: int, value: str, said: str) -> None:
    fill(package, lambda _row, at: value if at == column else ("approve" if at == 12 else None))
    with pytest.raises(SourceError, match=said):
        read_package(package, SET, sample_fabulas())


def test_a_package_of_another_set(package: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is of no fabula of s@1"):
        read_package(package, SET, sample_fabulas()[:3])
    (tmp_path / "x.xlsx").write_text("x", encoding="utf-8")
    with pytest.raises(SourceError, match="no filled-in review"):
        read_package(tmp_path / "x.xlsx", SET, [])


def test_a_text_that_looks_like_a_formula_stays_text(tmp_path: Path) -> None:
    fabula = fabula_of(sample_fabulas()[0].record(Mode.CLOSED) | {"id": "f", "fabula": '=HYPERLINK("http://x")'})
    write_package(tmp_path / "f.xlsx", SET, [fabula], ARTICLES)
    (row,) = load_workbook(tmp_path / "f.xlsx")["review"].iter_rows(min_row=2, max_col=2)
    assert (row[1].data_type, row[1].value) == ("s", '\'=HYPERLINK("http://x")')


def test_figures_by_hand() -> None:
    words = {
        "a": {"anna": True, "boris": True},
        "b": {"anna": True, "boris": True},
        "c": {"anna": False, "boris": False},
        "d": {"anna": True, "boris": False},
        "e": {"anna": True},
    }
    figures = review_figures(words, {"a": True, "b": False, "c": True, "e": True})
    assert (figures.fabulas, figures.ties) == (5, 1)
    assert figures.approved is not None
    assert (figures.approved.value, figures.approved.n) == (0.75, 4)
    assert figures.agreement is not None
    assert (figures.agreement.items, figures.agreement.raw) == (4, 0.75)
    assert figures.model_precision is not None
    assert (figures.model_precision.value, figures.model_precision.n) == (2 / 3, 3)
    # Observed agreement 2/4, by chance (3/4·3/4 + 1/4·1/4) = 5/8: κ = (1/2 − 5/8) / (3/8).
    assert figures.model_kappa is not None
    assert figures.model_kappa.value == pytest.approx(-1 / 3)
    nothing = review_figures({})
    assert (nothing.approved, nothing.agreement, nothing.model_kappa) == (None, None, None)
