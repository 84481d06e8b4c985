"""Answers as models write them, each with what must be read of it by mhgb.md 4: nothing is lost for its wrapping."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.benchmarks.mhgb import EVALUATION, read_answer
from tests.unit.mhgb.law import law

A, R, C = "ПРИМЕНИМЫЕ СТАТЬИ", "ЦЕПОЧКА РАССУЖДЕНИЙ", "ВЫВОД"
A_, R_ = A.replace(" ", "_"), R.replace(" ", "_")
THREE = ("articles", "reasoning", "conclusion")
# Whatever the wrapping, ГК_10 is named by the conclusion alone.
PARTS: dict[str, Any] = {A: ["ГК_15", "ГК_1064"], R: ["ГК_15: …"], C: "Да, см. ГК_10."}
UNDERLINED = {
    "применимые_статьи": "ГК_15; ГК_1064",
    "цепочка_рассуждений": [{"шаг": 1, "норма": "ГК_15"}],
    "вывод": "ГК_10",
}
LINES = f"{A}:\nГК_15\nГК_1064\n{R}:\nГК_15: …\n{C}:\nДа, см. ГК_10."

WRAPPED = {
    "JSON": json.dumps(PARTS, ensure_ascii=False, indent=2),
    "JSON in one line": json.dumps(PARTS, ensure_ascii=False),
    "JSON in ASCII": json.dumps(PARTS),
    "JSON in a fence, keys with underscores": f"Ответ:\n```json\n{json.dumps(UNDERLINED)}\n```\nГотово.",
    "JSON around a text": json.dumps({"answer": LINES}, ensure_ascii=False),
    "JSON in a list": json.dumps([{"model": "m"}, PARTS], ensure_ascii=False),
    "a JSON string": json.dumps(LINES),
    "line ends escaped": LINES.replace("\n", "\\n"),
    "a code block": f"```\n{LINES}\n```",
    "escapes of Markdown": LINES.replace("_", "\\_"),
    "characters without width": f"\ufeff\u200b{LINES}".replace("_15", "\u200b_15"),
    "line ends of Windows": LINES.replace("\n", "\r\n"),
    "headings explained": LINES.replace(":\n", " (in English: part):\n"),
    "headings explained, bold": f"**{A}** (Applicable articles):\nГК_15, ГК_1064\n**{R} (Reasoning):**\n…\n**{C}**:\nГК_10",
    "headings that say more": LINES.replace(A, "Применимые статьи Гражданского кодекса РФ"),
    "one norm in the singular": f"Применимая норма:\nГК_15\n\n{R}:\nГК_1064\n\n{C}:\nГК_10",
    "numbered by a word": f"Раздел 1. {A}\nГК_15, ГК_1064\nРаздел 2. {R}\n…\nРаздел 3. {C}\nГК_10",
    "underlined headings": f"{A}\n=====\nГК_15, ГК_1064\n\n{R}\n-----\n…\n\n{C}\n-----\nГК_10",
    "pictures": f"### 📚 {A}:\nГК_15, ГК_1064\n### 🔗 {R}:\n…\n### ✅ {C}:\nГК_10",
    "HTML": f"<h2>{A}</h2><ul><li>ГК_15</li><li>ГК_1064</li></ul><h2>{R}</h2><p>…</p><h2>{C}</h2><p>ГК_10</p>",
    "HTML with line ends": f"<h2 class='a'>{A}</h2>\nГК_15<br>ГК_1064\n<h2>{R}</h2>\n…\n<h2>{C}</h2>\nГК_10",
    "XML": f"<{A_}>ГК_15, ГК_1064</{A_}>\n<{R_}>…</{R_}>\n<{C}>ГК_10</{C}>",
    "a table of sections": f"| Раздел | |\n|---|---|\n| **{A}** | ГК_15, ГК_1064 |\n| **{R}** | … |\n| **{C}** | ГК_10 |",
    "sentences of one line": "Применимые статьи: ГК_15, ГК_1064. Цепочка рассуждений: ГК_15. Вывод: да, ГК_10.",
    "YAML": "применимые_статьи:\n  - ГК_15\n  - ГК_1064\nцепочка_рассуждений:\n  - шаг: 1\nвывод: ГК_10",
    "thought between sections": f"<think>ГК_16</think>\n{A}:\nГК_15, ГК_1064\n<think>ГК_151?</think>\n{R}:\n…\n{C}:\nГК_10",
    "a stray tag at its end": f"{LINES}\n</think>",
}  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_a_wrapping_changes_nothing(text: str) -> None:
    reading = read_answer(text, law())
    assert set(reading.named) == {"ГК_15", "ГК_1064"}
    assert tuple(dict.fromkeys(span.section.value for span in reading.sections)) == THREE
    assert not reading.unstructured


def test_json_that_is_cut_off_keeps_what_was_said() -> None:
    cut = json.dumps(PARTS, ensure_ascii=False)[:-20]
    assert read_answer(cut, law()).named == ("ГК_15", "ГК_1064")
    assert read_answer(json.dumps(PARTS)[:-20], law()).named == ("ГК_15", "ГК_1064")


def test_json_loses_no_key_that_comes_twice() -> None:
    text = f'{{"{A}": "ГК_15", "{A}": "ГК_1064", "{C}": "да"}}'
    assert read_answer(text, law()).named == ("ГК_15", "ГК_1064")


@pytest.mark.parametrize(
    "text", ["{" * 3000, '{"a":' * 3000, "[]", '"', "{}", '{"a": 1}', "<think>", "<think></think>"]
)
def test_broken_wrappings_name_nothing_and_break_nothing(text: str) -> None:
    assert read_answer(text, law()).named == ()


def test_an_unclosed_think_block_said_nothing() -> None:
    reading = read_answer(f"<think>\n{LINES}", law())
    assert (reading.blank, reading.named) == (True, ())


def test_judges_see_what_is_said_and_no_thought_between() -> None:
    record = {"id": "t", "fabula": "…", "question": "?", "answer": "…", "norm_ids": ["ГК_15"], "gold_chain": []}
    shown = EVALUATION.question(record, WRAPPED["thought between sections"], "answer").answer
    assert "ГК_151?" not in shown
    assert "ГК_16" not in shown
    assert EVALUATION.question(record, WRAPPED["JSON in ASCII"], "answer").answer.startswith(f"{A}:\nГК_15")


LISTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "other ways of an id": (
        "гк_15\nГК_РФ_1064\nГК РФ_16; ГК_ст_151, ГК_ст.10",
        ("ГК_15", "ГК_1064", "ГК_16", "ГК_151", "ГК_10"),
    ),
    "no underscore": (
        "ГК 15\n- ГК-1064\n* ГК РФ 16 (неустойка)\n1. коап_12.1",
        ("ГК_15", "ГК_1064", "ГК_16", "КоАП_12.1"),
    ),
    "a year is no article": ("ГК 1964 года\nГК_15", ("ГК_15",)),
    "act in front, the next line in capitals": ("ГК РФ, ст. 15", ("ГК_15",)),
    "act in front, line by line": (
        "ГК РФ, ст. 15\nКоАП РФ, ст. 12.1\nТрудовой кодекс, статья 77",
        ("ГК_15", "КоАП_12.1", "ТК_77"),
    ),
    "acts as headings": (
        "Гражданский кодекс РФ:\n- статья 15\n- статья 1064\n\nТрудовой кодекс РФ:\n- статья 77",
        ("ГК_15", "ГК_1064", "ТК_77"),
    ),
    "acts in bold": (
        "**ГК РФ**\n- ст. 15 — убытки\n- ст. 1064 — вред\n**КоАП РФ**\n- ст. 12.1",
        ("ГК_15", "ГК_1064", "КоАП_12.1"),
    ),
    "acts and bare numbers": ("* **ГК РФ:** 15, 1064\n* **ТК РФ:** 77", ("ГК_15", "ГК_1064", "ТК_77")),
    "acts with their short names": (
        "Гражданский кодекс Российской Федерации (ГК РФ): статьи 15, 1064.\nТрудовой кодекс (ТК РФ): статья 77.",
        ("ГК_15", "ГК_1064", "ТК_77"),
    ),
    "an act that ends a wrapped line": ("ст. 15\nГражданского кодекса РФ и ст. 77 ТК РФ", ("ГК_15", "ТК_77")),
    "a table, act first": (
        "| Акт | Норма |\n|---|---|\n| ГК РФ | ст. 15 |\n| КоАП РФ | 12.1 |",
        ("ГК_15", "КоАП_12.1"),
    ),
    "a table, act last": ("| ст. 15 | ГК РФ |\n| ст. 12.1 | КоАП РФ |", ("ГК_15", "КоАП_12.1")),
    "part of the same code": ("ст. 1064 ГК РФ\nч. 2 ст. 15 того же Кодекса", ("ГК_1064", "ГК_15")),
    "the only act there is": ("ГК_15\nст. 1064 (вред)", ("ГК_15", "ГК_1064")),
    "an underscore is no heading": ("ГК_15 и ТК_77, далее ст. 10", ("ГК_15", "ТК_77")),
}  # fmt: skip


@pytest.mark.parametrize(("listed", "named"), LISTS.values(), ids=LISTS)
def test_a_list_of_articles(listed: str, named: tuple[str, ...]) -> None:
    reading = read_answer(f"{A}:\n{listed}\n{R}:\nТак.\n{C}:\nДа.", law())
    assert (set(reading.listed), reading.invented) == (set(named), ())


def test_what_counts_for_nothing_is_told() -> None:
    text = f"{A}:\nГК_15, ТК_77. Есть и ст. 10. Есть ст. 5 Федерального закона № 127-ФЗ. Есть ЖК_30\n{C}:\nДа."
    reading = read_answer(text, law())
    assert reading.named == ("ГК_15", "ТК_77")
    assert reading.unresolved == ("ст. 10",)
    assert reading.outside == ("ст. 5 Федерального закона № 127-ФЗ", "ЖК_30")
