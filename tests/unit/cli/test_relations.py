"""``lexhop relations read``: typed relations of single paragraphs, rows that fail."""

from __future__ import annotations

import json

import pytest

from service.cli import main

TEXT = (
    "Вещь отдают сразу, если иное не предусмотрено статьей 12 настоящего Кодекса. К найму применяются правила статьи 7 "
    "настоящего Кодекса, а срок считают по статье 3 настоящего Кодекса и статье 20 Федерального закона от 8 мая 2001 "
    "года № 15-ФЗ."
)


@pytest.fixture
def run(tmp_path, capsys):
    def run(lines, *options):
        batch, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
        batch.write_bytes(
            b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        )
        with pytest.raises(SystemExit) as ended:
            main(["relations", "read", "--batch", str(batch), "--out", str(out), *options])
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        return ended.value.code, rows, capsys.readouterr().err

    return run


def test_one_relation_a_citation_without_the_reference_beside_a_reverse_type(run):
    code, rows, _ = run([{"id": "a", "lang": "ru", "text": TEXT, "act": "ГК", "article": "5"}])
    assert code == 0
    (row,) = rows
    found = [(r["type"], r["from"]["article"], r["to"]["article"], r["to"]["act"]) for r in row["relations"]]
    assert found == [
        ("PREVAILS_OVER", "12", "5", "ГК"),
        ("APPLIES_TO", "5", "7", "ГК"),
        ("REFERS_TO", "5", "3", "ГК"),
        ("REFERS_TO", "5", "20", None),
    ]
    assert row["relations"][3]["to"]["act_number"] == "15-ФЗ"
    for relation in row["relations"]:
        assert TEXT[relation["start"] : relation["end"]] == relation["raw"]
        if relation["type"] == "REFERS_TO":
            assert relation["cue"] is None
        else:
            assert TEXT[relation["cue_start"] : relation["cue_end"]] == relation["cue"]
    assert set(row["relations"][0]) == {
        "from", "to", "raw", "start", "end", "type", "cue", "cue_start", "cue_end", "confidence", "also"
    }  # fmt: skip
    assert set(row["relations"][0]["from"]) == {"jurisdiction", "act", "act_title", "act_number", "article"}


def test_a_citation_of_the_citing_article_is_no_relation(run):
    _, rows, _ = run([{"id": "a", "lang": "ru", "text": "См. пункт 2 настоящей статьи.", "act": "ГК", "article": "5"}])
    assert rows == [{"id": "a", "relations": []}]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "x", "lang": "ru", "text": "\xff"}\n', "not UTF-8"),
        (b"{\n", "not JSON"),
        (b"[1]\n", "one object a line"),
        ({"id": "x", "lang": "ru"}, "'text'"),
        ({"id": "x", "lang": "ru", "text": 5}, "'text'"),
        ({"id": "x", "lang": "la", "text": "a"}, "'la'"),
        ({"id": "x", "lang": "ru", "text": "a", "jurisdiction": "fr"}, "'fr'"),
        ({"id": "x", "lang": "ru", "text": "a", "act": "ЪЪ"}, "'ЪЪ'"),
        ({"id": "x", "lang": "ru", "text": "a", "act": 7}, "'act'"),
    ],
)
def test_a_bad_row_is_named_by_its_line_and_the_rest_goes_on(run, line, said):
    good = {"id": "g", "lang": "ru", "text": "Применяются правила статьи 7.", "act": "ГК", "article": "5"}
    code, rows, errors = run([good, line, good])
    assert code == 1
    assert [row["id"] for row in rows if "relations" in row] == ["g", "g"]
    (bad,) = [row for row in rows if "error" in row]
    assert bad["line"] == 2
    assert said in bad["error"]
    assert "in.jsonl, line 2" in errors.replace("\n", "")


def test_the_count_can_be_had_as_json(tmp_path, capsys):
    batch, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": "a", "lang": "ru", "text": "См. статью 7 ГК РФ."}, {"id": "b", "lang": "la", "text": "a"}]
    batch.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["relations", "read", "--batch", str(batch), "--out", str(out), "--json"])
    assert ended.value.code == 1
    assert json.loads(capsys.readouterr().out) == {"file": str(out), "rows": 2, "failed": 1}


def test_a_missing_file_is_one_clear_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["relations", "read", "--batch", str(tmp_path / "no.jsonl"), "--out", str(tmp_path / "out.jsonl")])
    assert ended.value.code == 1
    assert "no.jsonl" in capsys.readouterr().err


def test_a_batch_is_not_written_over(tmp_path, capsys):
    batch = tmp_path / "in.jsonl"
    batch.write_text('{"id": "a", "lang": "ru", "text": "ст. 5 ГК РФ"}\n', encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["relations", "read", "--batch", str(batch), "--out", str(tmp_path / "." / "in.jsonl")])
    assert ended.value.code == 1
    assert "would be lost" in capsys.readouterr().err
    assert "ст. 5" in batch.read_text(encoding="utf-8")


def test_an_article_that_speaks_of_itself_is_no_relation_also_where_nobody_said_which_it_is(run):
    text = "Правила настоящей статьи не применяются в случаях, предусмотренных статьей 9 Федерального закона № 15-ФЗ."
    _, (row,), _ = run([{"id": "a", "lang": "ru", "text": text}])
    assert [(r["type"], r["from"]["article"], r["to"]["article"]) for r in row["relations"]] == [
        ("EXCLUDES", "9", None)
    ]


def test_a_range_takes_the_articles_of_the_index(run, tmp_path):
    index = tmp_path / "articles.json"
    index.write_text(json.dumps({"ru": {"ГК": ["1", "2", "2.1", "3"]}}), encoding="utf-8")
    row = {"id": "a", "lang": "ru", "text": "Применяются правила статей 1 - 3 настоящего Кодекса.", "act": "ГК"}
    _, rows, _ = run([row], "--articles", str(index))
    assert [(r["type"], r["to"]["article"]) for r in rows[0]["relations"]] == [
        ("APPLIES_TO", number) for number in ("1", "2", "2.1", "3")
    ]
