from __future__ import annotations

import pytest

from loaders.statutes._units import Numbered, Unit, UnitText, enumerator, units_of


def told(unit: Unit) -> str:
    return " ".join(
        f"{word}{number}"
        for word, number in (("ч", unit.part), ("п", unit.point), ("пп", unit.subpoint), ("прим", unit.remark or None))
        if number is not None
    )


def units(numbered: Numbered, *texts: str | UnitText) -> list[str]:
    return [told(unit) for unit in units_of([UnitText(t) if isinstance(t, str) else t for t in texts], numbered)]


def test_points_and_subpoints():
    assert units(
        Numbered.POINT,
        "1. Сад:",
        "1) яблони;",
        "1.1) груши;",
        "2) сливы.",
        "Сливы зреют.",
        "2.1. Еще.",
        "продолжение:",
        "а) да;",
    ) == ["п1", "п1 пп1", "п1 пп1.1", "п1 пп2", "п1", "п2.1", "п2.1", "п2.1 ппа"]


def test_parts_points_and_letters():
    assert units(Numbered.PART, "1. Сад:", "1) яблони:", "а) белые;", "б) красные;", "2) сливы.", "2. Еще.") == [
        "ч1", "ч1 п1", "ч1 п1 ппа", "ч1 п1 ппб", "ч1 п2", "ч2",
    ]  # fmt: skip


def test_letters_are_points_where_no_number_holds_them_and_the_sanction_is_the_parts():
    assert units(
        Numbered.PART,
        "2. Порча:",
        "а) двух яблонь;",
        "е.1) груш;",
        "м) слив, -",
        UnitText("н)", gap=True),
        "наказывается.",
        "3. Еще.",
    ) == ["ч2", "ч2 па", "ч2 пе.1", "ч2 пм", "ч2 пн", "ч2", "ч3"]


def test_unnumbered_parts():
    assert units(
        Numbered.PART,
        "Хозяин может уволить садовника в случаях:",
        "1) лени;",
        "2) порчи:",
        "а) яблонь;",
        "3) прочих.",
        "Порядок устанавливает сад.",
        UnitText("", gap=True, part_gap=True),
        "Не допускается увольнение:",
        "в дождь;",
        "в град.",
        "Дождь определяет хозяин.",
    ) == ["ч1", "ч1 п1", "ч1 п2", "ч1 п2 ппа", "ч1 п3", "ч2", "ч3", "ч4", "ч4", "ч4", "ч5"]


def test_a_sole_part_is_not_counted():
    assert units(Numbered.PART, "В ведении сада:", "а) яблони;", "б) груши.") == ["", "па", "пб"]


def test_remarks_count_for_themselves():
    assert units(Numbered.PART, "1. Порча.", "Примечания. 1. Порча - вред.", "Вред разный.", "2. Сад:", "а) да.") == [
        "ч1", "п1 примTrue", "п1 примTrue", "п2 примTrue", "п2 ппа примTrue",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("2.1. Слово", "2.1."), ("3) слово", "3)"), ("а) слово", "а)"), ("12.3-1. Слово", "12.3-1."), ("2.", "2."),
        ("1990 год", None), ("2001. Год", None), ("1,5 процента", None), ("Слово", None), ("50 миллионов", None),
    ],
)  # fmt: skip
def test_enumerators(text, mark):
    assert enumerator(text) == mark


def test_hostile_text_is_linear():
    text = "1.1-1" * 40_000
    assert enumerator(text) is None
    assert len(units(Numbered.PART, text, "(" * 50_000, "а)" * 50_000)) == 3
