from __future__ import annotations

from pathlib import Path

import pytest

from loaders.statutes.own_words import read_sample, read_sample_header
from service.domain import DateBasis, Paragraph
from service.errors import SourceError

CORPUS = """
key: toy
official: false
title: Игрушка
notice: учебный пересказ, не текст закона
licence: Apache-2.0
acts: [act.yaml]
"""
ACT = """
key: ИК
title: Игрушечный кодекс
jurisdiction: ru
language: ru
branch: civil
numbered: point
coverage: ["1–1.1", "2-1"]
source: our own
articles:
  - number: "1"
    title: Первая
    path: ["Глава 1"]
    valid_from: 2003-05-01
    valid_from_basis: amendment
    amendments:
      - {part: пункт 2, law: 7-ФЗ, date: 2003-05-01}
      - {part: null, law: 3-ФЗ, date: 2001-02-03}
    text: |-
      1. Мяч круглый.
      2. Он бывает:
      1) красный;
      2) синий.
  - number: "1.1"
    title: Вставка
    path: ["Глава 1"]
    text: |-
      Без номера.
  - number: "2-1"
    title: Отменённая
    path: ["Глава 2"]
    repealed: true
    repealed_by: 9-ФЗ от 01.01.2010
"""


def write(folder: Path, act: str = ACT, corpus: str = CORPUS) -> Path:
    (folder / "corpus.yaml").write_text(corpus, encoding="utf-8")
    (folder / "act.yaml").write_text(act, encoding="utf-8")
    return folder


def test_articles_come_with_units_dates_and_repeal(tmp_path: Path) -> None:
    (act,) = read_sample(write(tmp_path))
    first, inserted, gone = act.articles
    assert act.act.coverage == ("1–1.1", "2-1")
    assert first.norm_id == "ИК_1"
    assert [(first.text[p.start : p.end], p.point, p.subpoint) for p in first.paragraphs] == [
        ("1. Мяч круглый.", "1", None),
        ("2. Он бывает:", "2", None),
        ("1) красный;", "2", "1"),
        ("2) синий.", "2", "2"),
    ]
    assert (first.valid_from, first.valid_from_basis, first.amended_on) == (
        "2003-05-01",
        DateBasis.AMENDMENT,
        "2003-05-01",
    )
    assert first.amendments[1].part is None
    assert inserted.paragraphs == (Paragraph(0, 11),)
    assert (inserted.valid_from, inserted.valid_from_basis) == (None, None)
    assert (gone.repealed, gone.repealed_by, gone.text, gone.paragraphs) == (True, "9-ФЗ от 01.01.2010", "", ())


def test_numbered_part_makes_parts_and_points(tmp_path: Path) -> None:
    (act,) = read_sample(write(tmp_path, ACT.replace("numbered: point", "numbered: part")))
    assert [(p.part, p.point) for p in act.articles[0].paragraphs] == [
        ("1", None),
        ("2", None),
        ("2", "1"),
        ("2", "2"),
    ]


def test_the_header_tells_that_it_is_not_the_law(tmp_path: Path) -> None:
    header = read_sample_header(write(tmp_path))
    assert (header.key, header.official, header.notice) == ("toy", False, "учебный пересказ, не текст закона")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('number: "1.1"', "number: 1.1", ["act.yaml", "1.1", "number", "quotes"]),
        ('number: "1.1"', 'number: "1,1"', ["act.yaml", "'1,1'", "number"]),
        ('number: "1.1"', 'number: "1"', ["act.yaml", "'1'", "twice"]),
        ('number: "1.1"', 'number: "3"', ["act.yaml", "'2-1'", "behind '3'"]),
        ("valid_from: 2003-05-01", "valid_from: 2003-05-41", ["act.yaml", "'1'", "valid_from", "2003-05-41"]),
        ("    valid_from_basis: amendment\n", "", ["act.yaml", "'1'", "belong together"]),
        ("valid_from_basis: amendment", "valid_from_basis: guess", ["act.yaml", "'1'", "guess", "stated"]),
        ("    repealed: true\n", "", ["act.yaml", "'2-1'", "repealed: true"]),
        ("    repealed: true\n", "    repealed: true\n    text: Есть.\n", ["act.yaml", "'2-1'", "no text"]),
        ("title: Вставка", "titel: Вставка", ["act.yaml", "'1.1'", "title"]),
        ("title: Вставка", "title: Вставка\n    title: Ещё", ["act.yaml", "line", "'title'", "twice"]),
        ("numbered: point", "numbered: page", ["act.yaml", "numbered", "'page'"]),
        ("jurisdiction: ru", "jurisdiction: Россия", ["act.yaml", "jurisdiction", "'Россия'"]),
        ('coverage: ["1–1.1", "2-1"]', 'coverage: ["1–1.1"]', ["act.yaml", "'2-1'", "coverage"]),
        ('coverage: ["1–1.1", "2-1"]', 'coverage: ["1–2-1", "5"]', ["act.yaml", "'5'", "not in the file"]),
        ("key: ИК", "key: [ИК", ["act.yaml", "line"]),
        ("articles:", "articles: []\nmore:", ["act.yaml", "articles"]),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_article(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    assert ACT.count(old) == 1
    with pytest.raises(SourceError) as caught:
        read_sample(write(tmp_path, ACT.replace(old, new)))
    for word in words:
        assert word in str(caught.value)


def test_articles_out_of_order_are_refused(tmp_path: Path) -> None:
    act = ACT.replace('number: "1"\n', 'number: "9"\n').replace("1–1.1", "1.1").replace('"2-1"]', '"2-1", "9"]')
    with pytest.raises(SourceError, match=r"'1\.1'.*behind '9'"):
        read_sample(write(tmp_path, act))


@pytest.mark.parametrize(
    ("corpus", "words"),
    [
        (CORPUS.replace("act.yaml", "gone.yaml"), ["gone.yaml", "missing"]),
        (CORPUS.replace("act.yaml", "../act.yaml"), ["corpus.yaml", "acts", "../act.yaml"]),
        (CORPUS.replace("official: false", "official: true"), ["corpus.yaml", "official"]),
        (CORPUS.replace("[act.yaml]", "[act.yaml, copy.yaml]"), ["act.yaml", "copy.yaml", "ИК"]),
        (CORPUS.replace("notice: учебный пересказ, не текст закона\n", ""), ["corpus.yaml", "notice"]),
    ],
)
def test_a_corpus_file_that_is_wrong_is_refused(tmp_path: Path, corpus: str, words: list[str]) -> None:
    (tmp_path / "copy.yaml").write_text(ACT, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        read_sample(write(tmp_path, corpus=corpus))
    for word in words:
        assert word in str(caught.value)


def test_a_folder_without_a_corpus_file_and_a_file_in_cp1251_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"corpus\.yaml.*missing"):
        read_sample(tmp_path)
    write(tmp_path)
    (tmp_path / "act.yaml").write_bytes(ACT.encode("cp1251", errors="replace"))
    with pytest.raises(SourceError, match=r"act\.yaml.*not UTF-8"):
        read_sample(tmp_path)
