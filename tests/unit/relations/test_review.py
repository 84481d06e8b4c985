"""The blind package: the same sample for a seed, nothing of the key in the sheet, figures of filled-in sheets."""

from __future__ import annotations

import json

import pytest
from openpyxl import load_workbook

from loaders.relations import build_relations, draw_review, read_review, write_review
from service.cli import main
from service.domain import Family, Language
from service.errors import InputError, SourceError


@pytest.fixture
def norms(corpus):
    texts = {str(n): f"К найму применяются правила [статьи {n + 1}|ГК_{n + 1}]." for n in range(1, 20)}
    texts |= {str(n): f"Срок год, если иное не предусмотрено [статьей {n + 1}|ГК_{n + 1}]." for n in range(20, 40)}
    acts = [corpus.act("ГК", texts | {"40": "Вещь."})]
    relations = build_relations(acts, read=corpus.read).relations
    return relations, {article.ref: article for article in acts[0].articles}


@pytest.fixture
def package(norms, tmp_path):
    items = draw_review(*norms, doctrinal=6, structural=4, seed=42)
    return items, *write_review(items, norms[1], tmp_path, language=Language.RU)


def fill(sheet, path, answers):
    book = load_workbook(sheet)
    for row, answer in enumerate(answers, 2):
        book["review"].cell(row, 7).value = answer
    book.save(path)
    return path


def test_a_seed_draws_the_same_sample_whatever_the_order(norms):
    relations, articles = norms
    drawn = draw_review(relations, articles, doctrinal=6, structural=4, seed=42)
    assert drawn == draw_review(relations[::-1], articles, doctrinal=6, structural=4, seed=42)
    assert drawn != draw_review(relations, articles, doctrinal=6, structural=4, seed=43)
    assert sum(item.family is Family.DOCTRINAL for item in drawn) == 6
    assert {item.label.split()[1] for item in drawn} == {"A_TO_B", "B_TO_A"}


def test_the_sheet_says_nothing_of_the_key(package):
    items, sheet, _ = package
    rows = list(load_workbook(sheet)["review"].iter_rows(min_row=2, values_only=True))
    assert len(rows) == len(items) == 10
    for row in rows:
        said = " ".join(str(cell) for cell in row if cell is not None)
        assert row[6] is None
        assert not any(word in said for word in ("PREVAILS", "APPLIES_TO", "REFERS_TO", "приоритет"))


def test_figures_of_two_annotators(package, tmp_path):
    items, sheet, key = package
    right = [item.label for item in items]
    wrong = ["NONE", *right[1:]]
    sheets = [fill(sheet, tmp_path / f"{n}.xlsx", answers) for n, answers in enumerate((right, wrong))]
    review = read_review(key, sheets)
    assert (review.items, review.annotators, review.undecided) == (10, 2, 1)
    assert review.precision["all"].value == pytest.approx(0.9)
    assert review.precision["all"].n == 10
    assert review.agreement is not None
    assert review.agreement.raw == pytest.approx(0.9)
    assert [difference["item"] for difference in review.differences] == [1]


def test_the_command_prints_one_object(package, tmp_path, capsys):
    items, sheet, key = package
    filled = fill(sheet, tmp_path / "a.xlsx", [item.label for item in items])
    with pytest.raises(SystemExit) as ended:
        main(["relations", "import-review", str(filled), "--key", str(key), "--json"])
    assert ended.value.code == 0
    said = json.loads(capsys.readouterr().out)
    assert said["precision"]["doctrinal"]["value"] == 1
    assert said["agreement"] is None


def test_what_cannot_be_read_is_named(package, tmp_path):
    items, sheet, key = package
    right = [item.label for item in items]
    with pytest.raises(SourceError, match="row 3: the relation is 'MAYBE'"):
        read_review(key, [fill(sheet, tmp_path / "a.xlsx", [right[0], "MAYBE", *right[2:]])])
    with pytest.raises(SourceError, match="row 2: the relation is ''"):
        read_review(key, [sheet])
    with pytest.raises(SourceError, match=r"no\.xlsx"):
        read_review(key, [tmp_path / "no.xlsx"])
    with pytest.raises(SourceError, match="no key of a review"):
        read_review(sheet, [sheet])
    changed = tmp_path / "changed.json"
    changed.write_text(key.read_text(encoding="utf-8").replace('"item": 1,', '"item": 77,', 1), encoding="utf-8")
    with pytest.raises(SourceError, match="was changed"):
        read_review(changed, [sheet])
    with pytest.raises(InputError, match="no filled-in review"):
        read_review(key, [])


@pytest.mark.parametrize(("doctrinal", "structural"), [(0, 0), (-1, 5), (900, 0)])
def test_a_sample_that_cannot_be_drawn_says_why(norms, doctrinal, structural):
    with pytest.raises(InputError, match="ask for"):
        draw_review(*norms, doctrinal=doctrinal, structural=structural, seed=1)
