"""An act over a list: as models and memos write their norms."""

import pytest

from service.domain import Language
from tests.unit.citations.reading import read

RUSSIAN = [
    (
        (
            "Нормы:\n**Гражданский кодекс РФ**\n- Статья 506 — поставка;\n- Статья 469, п. 2;\n- Статья 518\n\n"
            "**Жилищный кодекс РФ**\n1. Статья 36\n2. ч. 2 ст. 44"
        ),
        ["ГК_506", "ГК_469 п2", "ГК_518", "ЖК_36", "ЖК_44 ч2"],
    ),
    (
        "Гражданский кодекс РФ\nСтатья 506\nСтатья 518\nЖилищный кодекс РФ\nСтатья 36",
        ["ГК_506", "ГК_518", "ЖК_36"],
    ),
    ("ТК РФ\n- ст. 81\n- ст. 84.1\nУК РФ\n- ст. 145", ["ТК_81", "ТК_84.1", "УК_145"]),
    (
        (
            "### 1. ТК РФ\n\n- **Статья 81.** Увольнение\n  Пояснение.\n- **Статья 84.1.** Порядок\n\n"
            "### 2. ФЗ № 214-ФЗ\n\n- **Статья 7.**"
        ),
        ["ТК_81", "ТК_84.1", "214-ФЗ_7"],
    ),
    ("| ТК РФ |\n| ст. 81 |\n| ст. 84.1 |", ["ТК_81", "ТК_84.1"]),
    ("В споре применяется ТК РФ:\n1) статья 81 – основания;\n2) статья 84.1 – порядок", ["ТК_81", "ТК_84.1"]),
    ("1. ГК РФ:\n   а) ст. 15 — убытки;\n   б) ст. 393;\n2. АПК РФ:\n   а) ст. 65", ["ГК_15", "ГК_393", "АПК_65"]),
    ('{"ГК РФ": ["ст. 506", "ст. 469 п. 2"], "ЖК РФ": ["ст. 36"]}', ["ГК_506", "ГК_469 п2", "ЖК_36"]),
]

NOT_OVER = [
    # A conclusion below the list, and remarks between its items, are of nobody.
    (
        "**ТК РФ**\n- ст. 81\n\n**Вывод**: приказ по статье 84 отменить.\n- ст. 85",
        ["ТК_81", "?_84 +unresolved", "?_85 +unresolved"],
    ),
    ("ТК РФ:\n- увольнение, о котором говорит статья 81", ["?_81 +unresolved"]),
    # Two acts in a line: neither can be told.
    ("Нормы ГК РФ и ЖК РФ таковы:\n- статья 65", ["?_65 +unresolved"]),
    ("Применяется ГК РФ, а ЖК РФ нет:\n- статья 65", ["?_65 +unresolved"]),
    ("ТК РФ\n\nРаботник уволен по статье 81.", ["?_81 +unresolved"]),
    # A wrapped sentence: the act ends the citation of the line before.
    ("Решение принято по статье 15\nГК РФ\nи статье 65\n\nАПК РФ\n\nсудом.", ["ГК_15", "АПК_65"]),
    # What stands in a list under a citation with its act is not that act's by the colon alone.
    ("Согласно ст. 454 ГК РФ продавец обязан:\n- передать товар (ст. 456)", ["ГК_454", "?_456 +unresolved"]),
    ('{"нормы": ["ст. 506", "ст. 36 ЖК РФ"]}', ["?_506 +unresolved", "ЖК_36"]),
]


@pytest.mark.parametrize(("text", "wanted"), RUSSIAN)
def test_items_below_an_act_are_of_it_and_never_of_the_next_one(text: str, wanted: list[str]) -> None:
    assert read(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), NOT_OVER)
def test_what_is_not_below_an_act(text: str, wanted: list[str]) -> None:
    assert read(text) == wanted


def test_a_ukrainian_list_keeps_its_last_item() -> None:
    text = "**Цивільний кодекс України**\n- Стаття 625 — борг;\n- ч. 2 ст. 530\n\n**ЦПК України**\n- ст. 81"
    assert read(text, Language.UK) == ["ЦК_625", "ЦК_530 ч2", "ЦПК_81"]


def test_the_mark_of_the_next_item_is_no_article() -> None:
    assert read("1. ст. 15 ГК;\n2. ст. 65;\n3. АПК РФ") == ["ГК_15", "?_65 +unresolved"]
    assert read("ст. 15, 393,\n401. Суд взыскал") == ["?_15 +unresolved", "?_393 +unresolved", "?_401 +unresolved"]
    assert read("ст. 393,\n2. АПК РФ") == ["?_393 +unresolved"]


def test_in_a_statute_a_bare_article_stays_the_statutes_own() -> None:
    assert read("ТК РФ:\n- статья 81", here=("ru", "ГК", "15")) == ["ГК_81"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ГК РФ: ст. 10; ст. 30 ЖК РФ", ["ГК_10", "ЖК_30"]),
        ("ТК РФ ст. 81, ст. 84.1, ст. 5.27 КоАП РФ", ["ТК_81", "ТК_84.1", "КоАП_5.27"]),
        ("ТК РФ, ст. 81, ч. 1 ст. 84; ст. 5.27 КоАП РФ", ["ТК_81", "ТК_84 ч1", "КоАП_5.27"]),
        ("ст.15, ГК; ст.34,СК РФ", ["ГК_15", "СК_34"]),
        ("Статья 15 (убытки), Гражданский кодекс РФ; Статья 34, п. 2, СК РФ", ["ГК_15", "СК_34 п2"]),
        ("ГК РФ, ст. 454, ЖК РФ.", ["ГК_454"]),
        ("ст. 15, ГК РФ, ст. 34", ["?_15 +unresolved", "ГК_34"]),
        ("применил статью 15, Закон о рекламе.", ["?_15 +unresolved"]),
        ("нормы АПК РФ, ст. 309, ст. 310 ГК РФ", ["ГК_309", "ГК_310"]),
        ("ст. 5 АПК РФ; ст. 309, ст. 310 ГК РФ", ["АПК_5", "ГК_309", "ГК_310"]),
    ],
)
def test_an_act_in_front_keeps_its_articles_when_another_one_ends_the_list(text: str, wanted: list[str]) -> None:
    assert read(text) == wanted
