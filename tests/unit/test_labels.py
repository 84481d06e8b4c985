"""The labelled citations resolve to the texts they were made on, and cut out something that looks like a citation."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.labels import SETS, LabelledText, LabelTextError, read_labels

_UNIT = re.compile(r"(?i)\b(?:[сc]т\b|стат|стор|ч\b|част|п\b|пп\b|пункт|під|подп|абз)")
_LABELS = Path(__file__).resolve().parents[1] / "labels"


def _check(record: LabelledText, acts: set[str]) -> None:
    assert record.text.strip(), record.id
    assert list(record.citations) == sorted(record.citations, key=lambda label: label.start), record.id
    for label in record.citations:
        where = f"{record.id}: {label.raw!r}"
        assert 0 <= label.start < label.end <= len(record.text), where
        assert _UNIT.search(label.raw), f"{where} names no unit"
        assert label.raw == label.raw.strip(), where
        assert not record.text[label.end : label.end + 1].isdigit(), f"{where} ends inside a number"
        assert not (label.start and record.text[label.start - 1].isalnum()), f"{where} starts inside a word"
        named = label.act in acts if label.act else label.act_title or label.act_number or label.unresolved
        assert named, f"{where} has act {label.act!r}"
        if label.article and not (label.from_range or label.self or label.anaphor or label.ambiguous):
            head = re.split(r"[.-]", label.article)[0]
            assert head in label.raw, f"{where} does not hold article {label.article!r}"


@pytest.mark.data
@pytest.mark.parametrize("name", SETS)
def test_every_label_cuts_a_citation_out_of_its_text(name: str, data: Path) -> None:
    acts = json.loads((_LABELS / "acts.json").read_text(encoding="utf-8"))
    records = list(read_labels(name, data))
    assert len(records) >= 15
    assert len({record.id for record in records}) == len(records)
    assert sum(bool(record.citations) for record in records) > len(records) / 2
    assert any(not record.citations for record in records), "a set needs paragraphs without citations"
    for record in records:
        _check(record, set(acts[record.jurisdiction]))


def test_a_changed_text_is_an_error_that_names_the_record(tmp_path: Path) -> None:
    (tmp_path / "law.md").write_text("---\narticle: 1\n---\n\nСтатья 1 изменена.\n", encoding="utf-8")
    row = {
        "id": "x_1",
        "lang": "ru",
        "jurisdiction": "kz",
        "source": {"file": "law.md", "paragraph": 0},
        "context_act": "НК",
        "context_article": "1",
        "sha256": hashlib.sha256("Статья 1 прежняя.".encode()).hexdigest(),
        "citations": [],
    }
    (tmp_path / "kz.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(LabelTextError, match=r"'x_1'.*label it again"):
        list(read_labels("kz", tmp_path, tmp_path))
    row["source"] = {"file": "law.md", "paragraph": 7}
    (tmp_path / "kz.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(LabelTextError, match="none numbered 7"):
        list(read_labels("kz", tmp_path, tmp_path))


def test_a_superscript_reads_as_an_inserted_number(tmp_path: Path) -> None:
    page = (
        '<style>.W9 { vertical-align: super; }</style><body><p>Статья&nbsp;12<span class="W9" style="">1-1</span>, '
        'пункт «д<span class="W9" style="">1</span>»&nbsp; &mdash; <b>есть</b></p></body>'
    )
    (tmp_path / "code.html").write_text(page, encoding="utf-8")
    text = "Статья 12.1-1, пункт «д1» — есть"
    row = {
        "id": "x_2",
        "lang": "ru",
        "jurisdiction": "ru",
        "source": {"file": "code.html", "paragraph": 0},
        "context_act": "ГК",
        "context_article": "1",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "citations": [{"start": 0, "end": 13, "act": "ГК", "article": "12.1-1"}],
    }
    (tmp_path / "ru.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (record,) = read_labels("ru", tmp_path, tmp_path)
    assert record.text == text
    assert record.citations[0].raw == "Статья 12.1-1"
