from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from service.domain import (
    Act,
    Amendment,
    Article,
    CitationPlace,
    Jurisdiction,
    Language,
    OutsideCitation,
    Paragraph,
    Relation,
    RelationSource,
    RelationType,
)
from service.errors import InputError, SourceError
from service.graph.archive import read_archive, write_archive
from service.graph.catalog import check_corpus_key
from service.graph.content import CorpusContent, CorpusInfo, corpus_content

INFO = CorpusInfo(title="Проба", official=False, licence="Apache-2.0", source="tests")
ACT = Act("ГК", "Гражданский кодекс", Jurisdiction.RU, Language.RU, None, ("complete",))


def article(number: str, text: str = "Текст статьи.") -> Article:
    return Article(
        "ГК", number, "", (), text, (Paragraph(0, len(text), point="1"),), amendments=(Amendment(None, "1-ФЗ", None),)
    )


def relation(source: str, target: str, kind: RelationType = RelationType.REFERS_TO) -> Relation:
    return Relation(
        f"ГК_{source}", f"ГК_{target}", kind, RelationSource.CITATION, 1.0, "ст. 1 ссылается на ст. 2",
        citations=(CitationPlace("ст. 2", 0, 5),),
    )  # fmt: skip


def content() -> CorpusContent:
    return corpus_content(
        INFO,
        [ACT],
        [article("10"), article("2"), article("2.1")],
        [relation("2.1", "10", RelationType.EXCLUDES), relation("10", "2.1"), relation("2", "10"), relation("10", "2")],
        [OutsideCitation("ГК_10", None, None, "127-ФЗ", "3", "ст. 3", 0, 5)],
    )


@pytest.mark.parametrize("name", ["corpus.ndjson", "corpus.ndjson.gz"])
def test_an_export_reads_back_to_the_same_version(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_archive(path, "ru", content())
    archive = read_archive(path)
    assert archive.corpus == "ru"
    assert archive.content == content()
    assert archive.content.version == content().version


def test_the_same_content_gives_the_same_packed_bytes(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        write_archive(tmp_path / name, "ru", content())
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_order_of_the_input_does_not_change_the_version() -> None:
    first = content()
    again = corpus_content(INFO, first.acts[::-1], first.articles[::-1], first.relations[::-1], first.outside[::-1])
    assert again.version == first.version


def test_any_change_changes_the_version() -> None:
    first = content()
    changed = [replace(first.articles[0], text="Другой текст."), *first.articles[1:]]
    assert corpus_content(INFO, first.acts, changed, first.relations, first.outside).version != first.version


def test_ordinals_go_by_type_then_by_the_other_norms_place_from_either_end() -> None:
    ordered = [(r.source_id, r.target_id, r.ordinal) for r in content().relations]
    assert ordered == [
        ("ГК_10", "ГК_2", 0),
        ("ГК_10", "ГК_2.1", 1),
        ("ГК_2", "ГК_10", 2),
        ("ГК_2.1", "ГК_10", 3),
    ]


@pytest.mark.parametrize(
    ("articles", "relations", "said"),
    [
        ([article("2"), article("2")], [], "'ГК_2' stands twice"),
        ([article("2")], [relation("2", "3")], "no norm 'ГК_3'"),
        ([article("2")], [relation("2", "2")], "joins a norm with itself"),
        ([article("2"), article("3")], [relation("2", "3"), relation("2", "3", RelationType.EXCLUDES)], "stands twice"),
    ],
)
def test_what_does_not_hold_together_is_refused_by_name(
    articles: list[Article], relations: list[Relation], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        corpus_content(INFO, [ACT], articles, relations)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data.replace("Текст".encode(), "Такст".encode(), 1), "it was changed or cut"),
        (lambda data: data[:-40], "cannot be read"),
        (lambda data: b"", "is empty"),
        (lambda data: b'{"format": "other"}\n' + data, "does not begin with a header"),
        (lambda data: data + b'{"kind": "wonder"}\n', "unknown kind 'wonder'"),
    ],
)
def test_a_damaged_export_is_refused(tmp_path: Path, damage, said: str) -> None:
    path = tmp_path / "corpus.ndjson"
    write_archive(path, "ru", content())
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SourceError, match=said):
        read_archive(path)


def test_a_device_or_a_folder_is_never_replaced_by_an_export(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = corpus_content(INFO, [ACT], [article("1")], [], [])
    for target, kind in ((pipe, "a device or a pipe"), (tmp_path, "a folder")):
        with pytest.raises(SourceError, match=f"it is {kind}; name a file"):
            write_archive(target, "ru", content)
    assert pipe.is_fifo()
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("key", ["ru", "ру", "ru-2026.1", "法_1", "1"])
def test_keys_of_corpora(key: str) -> None:
    assert check_corpus_key(key) == key


@pytest.mark.parametrize("key", ["", " ", "r/u", "a@b", "x y", "..", "-ru", "_ru", "ru\n", "r" * 65])
def test_keys_that_would_be_taken_apart_are_refused(key: str) -> None:
    with pytest.raises(InputError, match=r"corpus key .* cannot be used; write 1 to 64 letters"):
        check_corpus_key(key)
