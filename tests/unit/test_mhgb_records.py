"""The reader of gap_records.jsonl says what is wrong with a record, and where."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from service.benchmarks.mhgb import gap_records_bytes, read_gap_records, read_results
from service.errors import SourceError

GOOD: dict[str, Any] = {
    "model_name": "m-1", "task_id": "f-1", "task_type": "issue_spotting", "hop_group": "deep", "branch_of_law": "морское",
    "closed_final_score": 0.25, "open_final_score": 0.75, "norm_coverage_gap": 0.5, "step_correctness_gap": 0.5,
    "answer_correctness_gap": 0.5, "final_score_gap": 0.5, "quadrant": "reasons",
}  # fmt: skip


def written(folder: Path, *records: dict[str, Any] | str) -> Path:
    path = folder / "run-a" / "gap_records.jsonl"
    path.parent.mkdir(exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_file_is_read_and_written_back_byte_for_byte(tmp_path: Path) -> None:
    unscored = GOOD | {
        "task_id": "f-2",
        "open_final_score": None,
        "final_score_gap": None,
        "quadrant": None,
        "norm_coverage_gap": None,
    }
    path = written(tmp_path, GOOD, unscored)
    table = read_gap_records(path)
    assert gap_records_bytes(table) == path.read_bytes()
    assert table.scored.tolist() == [True, False]
    assert math.isnan(table.open[1])


def test_an_unknown_model_or_branch_is_kept_and_named(tmp_path: Path) -> None:
    table = read_gap_records(written(tmp_path, GOOD))
    assert (table.model.names, table.branch.names) == (("m-1",), ("морское",))


def test_fields_beyond_the_published_ones_are_passed_over(tmp_path: Path) -> None:
    assert len(read_gap_records(written(tmp_path, GOOD | {"later": 1}))) == 1


@pytest.mark.parametrize("field", list(GOOD))
def test_a_record_without_a_field_is_refused_by_name(tmp_path: Path, field: str) -> None:
    record = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(SourceError, match=rf"run-a/gap_records\.jsonl line 2 has no '{field}'"):
        read_gap_records(written(tmp_path, GOOD | {"task_id": "f-0"}, record))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"closed_final_score": "0.5"}, r"line 1: closed_final_score '0\.5' is not a number from 0 to 1"),
        ({"closed_final_score": True}, r"closed_final_score True"),
        ({"open_final_score": 1.2}, r"open_final_score 1\.2"),
        ({"norm_coverage_gap": -1.5}, r"norm_coverage_gap -1\.5 is not a number from -1 to 1"),
        ({"task_type": "spotting"}, r"task_type 'spotting' is none of conflict_resolution"),
        ({"hop_group": "abyss"}, r"hop_group 'abyss'"),
        ({"task_id": ""}, r"task_id '' is not a name"),
        ({"quadrant": "knows"}, r"quadrant 'knows' contradicts the scores 0\.25 and 0\.75.*'reasons'"),
        ({"quadrant": "wise"}, r"quadrant 'wise' is none of"),
        ({"final_score_gap": 0.4}, r"final_score_gap 0\.4 is not open - closed, 0\.5000"),
        ({"final_score_gap": None}, r"final_score_gap None"),
        ({"open_final_score": None}, r"score of null, but a quadrant or a gap"),
    ],
)
def test_a_wrong_value_is_refused_by_name(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_gap_records(written(tmp_path, GOOD | change))


def test_nan_is_refused_with_the_way_out(tmp_path: Path) -> None:
    line = json.dumps(GOOD | {"open_final_score": math.nan})
    with pytest.raises(
        SourceError, match=r"line 1 is not JSON.*NaN and Infinity are not JSON, an unavailable score is null"
    ):
        read_gap_records(written(tmp_path, line))


@pytest.mark.parametrize(
    ("line", "said"), [("{", "line 1 is not JSON"), ("[1]", "line 1 is a list"), ("", "holds no record")]
)
def test_what_is_no_record_is_refused(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_gap_records(written(tmp_path, line))


def test_a_task_twice_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gap_records\.jsonl: task 'f-1' occurs more than once for model 'm-1'"):
        read_gap_records(written(tmp_path, GOOD, GOOD))


def test_a_folder_may_be_an_experiment_or_hold_them(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert [one.key for one in read_results(path.parent)] == [one.key for one in read_results(tmp_path)] == ["run-a"]


def test_a_folder_without_records_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="hold no gap_records"):
        read_results(tmp_path)
    with pytest.raises(SourceError, match="is not a folder"):
        read_results(tmp_path / "absent")


def test_a_model_in_two_experiments_is_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    (tmp_path / "run-b").mkdir()
    (tmp_path / "run-b" / path.name).write_bytes(path.read_bytes())
    with pytest.raises(SourceError, match="model 'm-1' occurs in 'run-a' and in 'run-b'"):
        read_results(tmp_path)
