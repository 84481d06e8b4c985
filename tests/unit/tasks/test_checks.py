"""Checks of texts, overlap, and files of tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loaders.corpus import build_sample
from service.domain import Language, Mode
from service.errors import InputError, NotFoundError, SourceError
from service.tasks import (
    Task,
    TaskSet,
    datasheet,
    export_lines,
    fabula_of,
    overlap,
    read_records,
    read_task,
    sample_fabulas,
    text_faults,
)
from tests.unit.tasks.test_records import released

TEXTS = {article.ref: article.text for article in build_sample().content.articles}
SET = TaskSet(
    1, "s", 1, "T", "mhgb", "ru", "sample", "0123456789ab", "CC-BY-4.0", "us", "", "lexhop-canary x", None, "now", None
)


def faults(**fields: object) -> list[str]:
    record = sample_fabulas()[0].record(Mode.CLOSED) | fields
    return faults_of(read_task(record, "x"))


def faults_of(task: Task) -> list[str]:
    return text_faults(task, Language.RU, {norm: TEXTS[norm] for norm in task.norm_ids})


def test_the_sample_passes() -> None:
    for fabula in sample_fabulas():
        assert faults_of(fabula.task(Mode.CLOSED)) == []


def test_every_fault_is_found() -> None:
    task = sample_fabulas()[0].task(Mode.CLOSED)
    (norm,) = task.norm_ids
    assert norm == "ГК_1079"
    steps = [dict(step) for step in task.record["gold_chain"]]
    cases = {
        "the fabula names the norm 'ГК_1079'": {"fabula": task.fabula + " По ст. 1079 ГК РФ он должен."},
        "the question names the norm 'ГК_15'": {"question": "Применима ли ГК_15?"},
        "the answer does not cite 'ГК_1079'": {"answer": "ВЫВОД: да"},
        "the answer cites 'ГК_15', which is not": {"answer": task.answer + " См. также ст. 15 ГК РФ."},
        "the gold chain ends at a norm": {"gold_chain": steps[:1]},
        "the gold chain goes through": {"gold_chain": [steps[0] | {"norm_id": "ГК_15"}, steps[1]]},
        "step 1 of the gold chain has no text": {"gold_chain": [steps[0] | {"reasoning": ""}, steps[1]]},
        "runs of five words from the norms": {"fabula": TEXTS[norm]},
        "of its words with the norms": {"fabula": TEXTS[norm]},
        "event_date None is not a date": {"type": "temporal_validity"},
        "event_date '2020-02-30' is not a date": {"type": "temporal_validity", "event_date": "2020-02-30"},
    }
    for said, fields in cases.items():
        assert any(said in fault for fault in faults(**fields)), (said, faults(**fields))


def test_overlap_is_measured() -> None:
    assert overlap("один два три четыре пять", ["Один два, три: четыре пять шесть"]) == (1.0, 5 / 6)
    assert overlap("Ёж шёл", ["еж шел лесом"]) == (0.0, 2 / 3)
    assert overlap("а б в", ["г д"]) == (0.0, 0.0)
    assert overlap("", []) == (0.0, 0.0)


class TestFiles:
    def test_an_export_comes_back_with_the_same_canary(self, tmp_path: Path) -> None:
        fabulas = sample_fabulas()
        file = tmp_path / "tasks.jsonl"
        file.write_bytes(b"".join(export_lines(SET, fabulas)))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert len(lines) == 48
        assert all(line["canary"] == SET.canary and line["licence"] and line["source"] for line in lines)
        back = read_records(file)
        assert back.canary == SET.canary
        assert [one.record(mode) for one in back.fabulas for mode in Mode] == [
            one.record(mode) for one in fabulas for mode in Mode
        ]

    def test_the_released_form_goes_round(self, tmp_path: Path) -> None:
        """Written from the description of the release, since its full files are not at hand."""
        file = tmp_path / "tasks.json"
        file.write_text(json.dumps(released(), ensure_ascii=False), encoding="utf-8")
        (fabula,) = read_records(file).fabulas
        assert [fabula.record(mode) for mode in Mode] == released()
        lines = [json.loads(line) for line in export_lines(SET, [fabula])]
        assert [
            {key: line[key] for key in record} for line, record in zip(lines, released(), strict=True)
        ] == released()
        assert {line["licence"] for line in lines} == {"CC-BY-4.0"}

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "holds no record"),
            ("{", "line 1 is not JSON"),
            ("[1]", "record 1 is a int"),
            ('\n"x"', "line 2 is a str"),
            ("[{", "is not JSON"),
            ('{"canary": "a"}\n{"canary": "b"}', "2 canaries"),
            ("{}", "line 1: id None is not a text"),
        ],
    )
    def test_a_file_that_cannot_be(self, tmp_path: Path, text: str, said: str) -> None:
        file = tmp_path / "tasks.jsonl"
        file.write_text(text, encoding="utf-8")
        with pytest.raises((SourceError, InputError), match=said):
            read_records(file)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError, match="does not exist"):
            read_records(tmp_path / "none.jsonl")

    def test_the_datasheet_counts_and_warns(self) -> None:
        held_back = fabula_of(sample_fabulas()[0].record(Mode.CLOSED) | {"id": "z", "public": False})
        text = datasheet(SET, [*sample_fabulas(), held_back])
        assert "25 fabulas" in text
        assert "24 are public, 1 held back" in text
        assert "| issue_spotting | 3 | 2 | 2 |" in text
        assert SET.canary in text
        assert "people (25)" in text
