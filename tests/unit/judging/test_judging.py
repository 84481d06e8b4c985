"""Profiles, aggregation, the lexical judge and calibration."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.errors import InputError, SourceError
from service.judging import (
    LEXICAL,
    Aggregation,
    JudgeProfile,
    LexicalJudge,
    Question,
    aggregate,
    calibrate,
    read_labels,
)


@pytest.mark.parametrize(
    ("values", "how", "min_valid", "wanted"),
    [
        ([1.0, 0.0, 0.5], Aggregation.MEAN, 1, 0.5),
        ([1.0, None, 0.5], Aggregation.MEAN, 2, 0.75),
        ([1.0, None, None], Aggregation.MEAN, 2, None),
        ([None], Aggregation.MEAN, 1, None),
        ([], Aggregation.MEDIAN, 1, None),
        ([0.0, 1.0, 1.0], Aggregation.MEDIAN, 3, 1.0),
        ([0.0, 1.0], Aggregation.MEDIAN, 1, 0.5),
        ([0.5, 1.0, 1.0], Aggregation.MAJORITY, 1, 1.0),
        ([1.0, 0.5, 1.0, 0.5], Aggregation.MAJORITY, 1, 0.5),
        ([0.0, None, 0.0], Aggregation.MAJORITY, 1, 0.0),
    ],
)
def test_aggregation(values: list[float | None], how: Aggregation, min_valid: int, wanted: float | None) -> None:
    found = aggregate(values, how, min_valid=min_valid)
    assert found.value == wanted
    assert (found.valid, found.asked) == (len([v for v in values if v is not None]), len(values))


def test_nothing_comes_out_of_nothing() -> None:
    with pytest.raises(InputError, match="min_valid 0"):
        aggregate([1.0], Aggregation.MEAN, min_valid=0)


def test_a_fingerprint_is_of_all_but_the_name() -> None:
    one = JudgeProfile(name="a", model="m", model_id="gpt")
    assert one.fingerprint == one.model_copy(update={"name": "b"}).fingerprint
    changes = {
        "model": "n",
        "model_id": "x",
        "prompt_version": "2",
        "temperature": 0.5,
        "repeats": 3,
        "aggregation": Aggregation.MEDIAN,
        "reasks": 1,
        "conditions": {"max_tokens": 5},
    }
    prints = {JudgeProfile(**{**one.model_dump(), name: value}).fingerprint for name, value in changes.items()}
    assert len(prints | {one.fingerprint}) == len(changes) + 1
    assert not LEXICAL.ranks


@pytest.mark.parametrize("fields", [{"repeats": 2, "min_valid": 3}, {"model": ""}, {"name": "a b"}, {"repeats": 0}])
def test_a_profile_that_could_never_give_a_value_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        JudgeProfile.model_validate({"name": "a", "model": "m", **fields})


def lexical(reference: str, answer: str) -> float | None:
    question = Question("answer", "answer", (0.0, 0.33, 0.67, 1.0), "", (), reference, answer)
    return asyncio.run(LexicalJudge().judge(question, subject="")).value


def test_the_lexical_judge_counts_words_of_the_reference() -> None:
    reference = "Лапин возмещает вред полностью"  # four words of four letters and more
    assert lexical(reference, "Лапину надо возместить вреда полностью") == 1.0
    assert lexical(reference, "Лапин возмещает вред") == 1.0  # 3 of 4: floor(0.75 · 4) = 3
    assert lexical(reference, "Лапин, вред") == 0.67
    assert lexical(reference, "Лапин") == 0.33
    assert lexical(reference, 'Score: 1 {"score": 1}') == 0.0
    assert lexical("", "что угодно") == 0.0


VALUES = {"step": (0.0, 0.5, 1.0), "answer": (0.0, 0.33, 0.67, 1.0)}


def test_calibration_by_level_and_length(tmp_path: Path) -> None:
    rows = [("a", "step:1", 1), ("a", "step:2", 0.5), ("b", "step:1", 0), ("b", "answer", 0.67), ("c", "step:1", 1)]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(f'{{"submission": "{s}", "key": "{k}", "value": {v}}}\n' for s, k, v in rows))
    verdicts = {("a", "step:1"): 1.0, ("a", "step:2"): 1.0, ("b", "step:1"): 0.0, ("b", "answer"): 0.67}
    answer, step = calibrate(read_labels(file), verdicts, {"a": 500, "b": 3000, "c": 10}, VALUES)
    assert (answer.level, answer.labelled, answer.judged) == ("answer", 1, 1)
    assert (step.level, step.labelled, step.judged) == ("step", 4, 3)
    # judge 1, 1, 0 beside people 1, 0.5, 0: p_o = 2/3, p_e = (1·1 + 0·1 + 2·1)/9 = 1/3, κ = 1/2
    assert step.kappa.value == pytest.approx(0.5)
    assert step.bias is not None
    assert step.bias.value == pytest.approx(1 / 6)
    assert [(part.n, part.bias) for part in step.by_length] == [(2, 0.25), (0, None), (1, 0.0), (0, None)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 1"),
        ('{"submission": "a", "key": "answer", "value": "1"}', "'1'"),
        ('{"submission": "a", "key": "answer", "value": true}', "True"),
        ('{"submission": "a", "key": "answer"}', "line 1"),
        ("", "no label"),
    ],
)
def test_bad_labels_are_named(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(SourceError, match=said):
        read_labels(file)


def test_a_label_that_the_judge_could_not_give_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"submission": "a", "key": "answer", "value": 0.5}\n')
    with pytest.raises(InputError, match=r"0\.5 of 'answer'|0\.5"):
        calibrate(read_labels(file), {}, {}, VALUES)
