"""Headings in the shapes that models write (mhgb.md 4)."""

from __future__ import annotations

import pytest

from service.benchmarks.mhgb import find_sections


def parts(text: str) -> list[tuple[str, str]]:
    return [(span.section.value, text[span.start : span.end].strip()) for span in find_sections(text)]


WANTED = [("articles", "ГК_15"), ("reasoning", "1. Шаг."), ("conclusion", "Итог.")]


@pytest.mark.parametrize(
    "text",
    [
        "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\n1. Шаг.\nВЫВОД:\nИтог.",
        "применимые статьи: ГК_15\nцепочка рассуждений: 1. Шаг.\nвывод: Итог.",
        "Применимые статьи\nГК_15\n\nЦепочка рассуждений\n1. Шаг.\n\nВывод\nИтог.",
        "## Применимые статьи\n\nГК_15\n\n### Цепочка рассуждений:\n\n1. Шаг.\n\n## Вывод\n\nИтог.",
        "**ПРИМЕНИМЫЕ СТАТЬИ:**\nГК_15\n**ЦЕПОЧКА РАССУЖДЕНИЙ**:\n1. Шаг.\n**Вывод:** Итог.",
        "**Применимые статьи**\nГК_15\n__Цепочка рассуждений__\n1. Шаг.\n***Вывод***\nИтог.",
        "1. ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\n2. ЦЕПОЧКА РАССУЖДЕНИЙ:\n1. Шаг.\n3. ВЫВОД:\nИтог.",
        "1) Применимые статьи\nГК_15\n2) Цепочка рассуждений\n1. Шаг.\n3) Вывод — Итог.",
        "### **1. Применимые статьи:**\nГК_15\n### **2. Цепочка рассуждений:**\n1. Шаг.\n### **3. Вывод:**\nИтог.",
        "I. Применимые статьи\nГК_15\nII. Цепочка рассуждений\n1. Шаг.\nIII. Вывод. Итог.",
        "> **Применимые нормы:** ГК_15\n- **Цепочка рассуждений:** 1. Шаг.\n- **Итоговый вывод:** Итог.",
        "«ПРИМЕНИМЫЕ СТАТЬИ»:\nГК_15\n«ЦЕПОЧКА РАССУЖДЕНИЙ»:\n1. Шаг.\n«ВЫВОД»:\nИтог.",
        "ПРИМЕНИМЫЕ СТАТЬИ: ГК_15 ЦЕПОЧКА РАССУЖДЕНИЙ: 1. Шаг. ВЫВОД: Итог.",
        "**Применимые статьи:** ГК_15 **Цепочка рассуждений:** 1. Шаг. **Вывод:** Итог.",
        "Применимые статьи：ГК_15\r\nЦепочка рассуждений：1. Шаг.\r\nВывод：Итог.",
    ],
)
def test_the_three_sections_in_every_shape(text: str) -> None:
    assert parts(text) == WANTED


def test_any_order_and_missing_ones() -> None:
    assert parts("Вывод: Итог.\n\nПрименимые статьи:\nГК_15") == [("conclusion", "Итог."), ("articles", "ГК_15")]
    assert parts("Просто текст без разделов, из которого следует вывод о правах.") == []


@pytest.mark.parametrize(
    "line", ["Вывод суда первой инстанции неверен.", "Выводы эксперта: верны.", "Наш вывод: нет.", "Этот вывод"]
)
def test_prose_is_no_heading(line: str) -> None:
    assert parts(line) == []


def test_a_conclusion_amid_the_reasoning_belongs_to_it() -> None:
    text = "ЦЕПОЧКА РАССУЖДЕНИЙ:\n1. ГК_15.\nВывод: вред есть.\n2. ГК_16.\n\nВЫВОД:\nИтог."
    assert parts(text) == [("reasoning", "1. ГК_15.\nВывод: вред есть.\n2. ГК_16."), ("conclusion", "Итог.")]


def test_a_section_may_come_twice() -> None:
    text = "ПРИМЕНИМЫЕ СТАТЬИ: ГК_15\nВЫВОД: Итог.\nПРИМЕНИМЫЕ СТАТЬИ: ГК_16"
    assert [name for name, _ in parts(text)] == ["articles", "conclusion", "articles"]


def test_time_is_linear_in_hostile_text() -> None:
    # A pattern that backtracks would not end.
    assert parts("*" * 200_000 + "вывод" + "_" * 200_000) == []
    assert parts("## " * 100_000) == []
