"""Records of tasks: what is read, what is refused, what comes back."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from service.domain import Mode
from service.errors import InputError, NotFoundError
from service.tasks import (
    Fabula,
    fabulas_of_records,
    participant_prompt,
    read_prompts,
    read_task,
    sample_fabulas,
)
from service.tasks.prompts import filled


def released(**fields: Any) -> list[dict[str, Any]]:
    """A pair of twins in the released form; texts are ours."""
    shared = {
        "type": "rule_selection",
        "bloom_level": "apply",
        "hop_count": 2,
        "hop_group": "shallow",
        "branch_of_law": "гражданское",
        "norm_ids": ["ГК_1064", "ГК_1079"],
        "fabula": "Трактор задел забор соседа. Забор упал.",
        "question": "Кто платит?",
        "answer": "ВЫВОД: владелец трактора",
        "gold_chain": [
            {"step": 1, "norm_id": "ГК_1064", "reasoning": "общее правило", "is_critical": True},
            {"step": 2, "norm_id": None, "conclusion": "платит владелец", "is_critical": True},
        ],
        "expected_answer_format": "три раздела",
        "edge_meta": {"edges": ["применяется_к"]},
        "graph_version": "v2",
        "corpus_version": "v1",
        "validation_status": "llm_validated",
        "generated_at": "2026-01-01T00:00:00",
        "generator_model": "some-model",
        "a_field_of_tomorrow": {"nested": [1, None, "ё"]},
        **fields,
    }
    return [
        {"id": "0b0f_closed", "mode": "closed", **deepcopy(shared), "context_chunks": []},
        {
            "id": "0b0f_open",
            "mode": "open",
            **deepcopy(shared),
            "context_chunks": [{"norm_id": "ГК_1064", "text": "…"}],
        },
    ]


def read(records: list[dict[str, Any]]) -> list[Fabula]:
    return fabulas_of_records((f"line {number}", record) for number, record in enumerate(records, start=1))


def test_a_released_pair_comes_back_as_it_was() -> None:
    records = released()
    (fabula,) = read(records)
    assert [fabula.record(mode) for mode in Mode] == records
    closed, opened = fabula.tasks()
    assert closed.fabula_id == opened.fabula_id == "0b0f"
    assert closed.norm_ids == ("ГК_1064", "ГК_1079")
    assert closed.gold_chain[-1].norm_id is None
    assert closed.gold_chain[-1].text == "платит владелец"


def test_optional_fields_may_be_absent() -> None:
    needed = {"id", "mode", "type", "hop_group", "norm_ids", "fabula", "question"}
    records = [{key: value for key, value in record.items() if key in needed} for record in released()]
    (fabula,) = read(records)
    assert [fabula.record(mode) for mode in Mode] == records
    assert fabula.task(Mode.OPEN).gold_chain == ()


def broken(mode: int, name: str, value: Any) -> list[dict[str, Any]]:
    records = released()
    if value is None:
        del records[mode][name]
    else:
        records[mode][name] = value
    return records


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (released()[:1], "fabula '0b0f' has no open task"),
        ([released()[0], *released()], "line 2: task '0b0f_closed' stands twice"),
        (broken(1, "question", "Иначе?"), "question differs"),
        (broken(0, "type", "guessing"), "type 'guessing' is none of issue_spotting"),
        (broken(0, "hop_group", None), "hop_group None is none of"),
        (broken(0, "norm_ids", []), "norm_ids"),
        (broken(0, "norm_ids", ["ГК_1", "ГК_1"]), "'ГК_1' twice"),
        (broken(0, "fabula", "  "), "fabula '  ' is not a text"),
        (broken(0, "id", "0b0f"), "does not end in _closed or _open"),
        (broken(0, "mode", "open"), "mode 'open' contradicts"),
        (broken(0, "gold_chain", ["x"]), "gold_chain step 1 is 'x'"),
        (broken(0, "gold_chain", {"a": 1}), "not a list of steps"),
        (broken(0, "validation_status", "great"), "validation_status 'great'"),
    ],
)
def test_a_record_that_cannot_be_is_refused(records: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(records)


def test_the_sample_has_24_fabulas_and_twins_that_differ_in_id_and_mode_alone() -> None:
    fabulas = sample_fabulas()
    assert len(fabulas) == 24
    for fabula in fabulas:
        closed, opened = fabula.record(Mode.CLOSED), fabula.record(Mode.OPEN)
        assert {key for key in closed if closed[key] != opened[key]} == {"id", "mode"}
        assert read_task(closed, "x").public


class TestPrompts:
    def test_the_order_is_facts_context_question_format(self) -> None:
        fabula = read(released())[0]
        prompts = read_prompts("mhgb", "participant", "ru")
        text = participant_prompt(fabula.task(Mode.OPEN), "[ГК_5] Обычай\nтекст", prompts)[-1].content
        places = [text.index(part) for part in ("Трактор задел", "[ГК_5] Обычай", "Кто платит?", "ПРИМЕНИМЫЕ СТАТЬИ:")]
        assert places == sorted(places)
        closed = participant_prompt(fabula.task(Mode.CLOSED), None, prompts)[-1].content
        assert "Нормы, которыми" not in closed

    def test_nothing_gold_is_in_a_prompt(self) -> None:
        prompts = read_prompts("mhgb", "participant", "ru")
        for fabula in sample_fabulas():
            task = fabula.task(Mode.CLOSED)
            text = "\n".join(message.content for message in participant_prompt(task, None, prompts))
            assert not any(step.text in text for step in task.gold_chain)
            assert task.answer not in text
            assert not any(norm in text.replace("ГК_15, КоАП_12.1", "") for norm in task.norm_ids)

    def test_a_mode_and_a_context_that_do_not_go_together(self) -> None:
        closed, opened = read(released())[0].tasks()
        prompts = read_prompts("mhgb", "participant", "ru")
        with pytest.raises(InputError, match="'0b0f_open' needs its context"):
            participant_prompt(opened, None, prompts)
        with pytest.raises(InputError, match="'0b0f_closed' takes no context"):
            participant_prompt(closed, "x", prompts)

    def test_another_wording_by_a_folder(self, tmp_path) -> None:
        file = tmp_path / "participant.ru.md"
        file.write_text(
            "# facts\n\n<<{facts}>>\n\n# question\n\n{question}\n\n# format\n\n{format}\n", encoding="utf-8"
        )
        prompts = read_prompts("mhgb", "participant", "ru", tmp_path)
        ours = read_prompts("mhgb", "participant", "ru")
        assert prompts.digest != ours.digest
        (message,) = participant_prompt(read(released())[0].task(Mode.CLOSED), None, prompts)
        assert message.content == "<<Трактор задел забор соседа. Забор упал.>>\n\nКто платит?\n\nтри раздела"
        file.write_text("# facts\n\n{gold}\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"place '\{gold\}'"):
            participant_prompt(
                read(released())[0].task(Mode.CLOSED), None, read_prompts("mhgb", "participant", "ru", tmp_path)
            )
        with pytest.raises(InputError, match="does not exist"):
            read_prompts("mhgb", "participant", "ru", tmp_path / "none")
        with pytest.raises(NotFoundError, match=r"participant\.xx\.md"):
            read_prompts("mhgb", "participant", "xx")

    def test_a_value_that_looks_like_a_place_stays_as_it_is(self) -> None:
        assert filled("{a} {b}", {"a": "{b}", "b": "2"}) == "{b} 2"
