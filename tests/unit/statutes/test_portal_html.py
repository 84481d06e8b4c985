from __future__ import annotations

import pytest

from loaders.statutes import load_statutes
from service.domain import Article, DateBasis
from tests.unit.statutes.pages import folder, law, mark, page, up

LAW_7 = law("01.02.2003", "7-ФЗ")
LAW_9 = law("09.09.2009", "9-ФЗ")
LAW_11P = law("05.03.2020", "11-П")
LAW_1 = law("01.01.2001", "1-ФЗ")
LAW_153 = law("27.07.2006", "153-ФЗ")
LAW_99 = law("05.05.2014", "99-ФЗ")
LAW_10 = law("10.10.2010", "10-ФЗ")
LAW_162 = law("08.12.2003", "162-ФЗ")


def load(tmp_path, *lines: str, more: str = "") -> dict[str, Article]:
    root = folder(
        tmp_path,
        f"- {{key: ПК, title: Пробный кодекс, coverage: complete, files: [a.html]{more}}}",
        a_html=page(*lines),
    )
    (text,) = load_statutes(root, "trial")
    return {article.number: article for article in text.articles}


def skipped(tmp_path, *lines: str) -> list[tuple[str, str]]:
    root = folder(tmp_path, "- {key: ПК, files: [a.html]}", a_html=page(*lines))
    return list(load_statutes(root, "trial")[0].skipped)


def units(article: Article) -> list[tuple[str | None, str | None, str | None]]:
    return [(part.part, part.point, part.subpoint) for part in article.paragraphs]


def test_path_title_and_offsets(tmp_path):
    articles = load(
        tmp_path,
        "T|РАЗДЕЛ I<br>О САДАХ",
        "|&nbsp;",
        "C|ГЛАВА 1",
        "|&nbsp;",
        "T|ЯБЛОНИ",
        "H|Статья 1.&nbsp;Сад <br>и его хозяин",
        "|&nbsp;",
        "1.&nbsp;Сад&nbsp;- это место, где растут яблони.",
        "2. У&shy;сада есть хозяин.",
        "H|§ 2. Груши",
        "H|Статья 2. Груша",
        "Груша растет медленно.",
    )
    first = articles["1"]
    assert first.path == ("РАЗДЕЛ I О САДАХ", "ГЛАВА 1. ЯБЛОНИ")
    assert first.title == "Сад и его хозяин"
    assert first.text == "1. Сад - это место, где растут яблони.\n2. Усада есть хозяин."
    assert [first.text[part.start : part.end] for part in first.paragraphs] == first.text.split("\n")
    assert units(first) == [("1", None, None), ("2", None, None)]
    assert articles["2"].path == ("РАЗДЕЛ I О САДАХ", "ГЛАВА 1. ЯБЛОНИ", "§ 2. Груши")


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        (f"Статья 8{up('1')}. Забор", "8.1"),
        (f"Статья 25{up('14-1')}. Забор", "25.14-1"),
        (f"Статья 123{up('20')}{up('-4')}. Забор", "123.20-4"),
        ("Статья 12<sup>2</sup>. Забор", "12.2"),
        ("Статья 12¹². Забор", "12.12"),
        ("Статья 25.13-1. Забор", "25.13-1"),
        ("Статья 1064. Забор", "1064"),
        ('Статья 9<span style="vertical-align: super">3</span>. Забор', "9.3"),
        (f"Статья~205{up('l')}. Забор".replace("~", "&nbsp;"), "205.1"),
        ("СТАТЬЯ 7. Забор", "7"),
    ],
)
def test_numbers(tmp_path, heading, number):
    (article,) = load(tmp_path, f"H|{heading}", "Забор ставят весной.").values()
    assert (article.number, article.title) == (number, "Забор")


def test_superscripts_in_the_text(tmp_path):
    (article,) = load(
        tmp_path,
        "H|Статья 1. Меры",
        f'1{up("1")}. По статьям 12{up("1")}, 12{up("2 ")}и 12{up("14-1")} и части первой{up("1")}, "д{up("1")}", '
        f"площадь 5 м{up('2')}, 10{up('-6')} г, газ СО<sub>2</sub>, знак{up('*')}.",
    ).values()
    assert article.text == (
        '1.1. По статьям 12.1, 12.2 и 12.14-1 и части первой.1, "д.1", площадь 5 м², 10⁻⁶ г, газ СО₂, знак*.'
    )
    assert article.paragraphs[0].part == "1.1"


def test_notes_stand_apart(tmp_path):
    note = f"(В редакции Федерального закона {LAW_99})"
    articles = load(
        tmp_path,
        "H|Статья 1. Вода",
        f"I|{mark(f'(Наименование в редакции Федерального закона {LAW_7})')}",
        "|&nbsp;",
        f"1.&nbsp;Воду берут из колодца.{mark('&nbsp;' + note)}",
        f"2.&nbsp;Кран закрывают {mark(note)}, когда уходят.",
        f"3. (У{mark(f'тратил силу - Федеральный закон {LAW_9})')}",
        f"4. Колодец чистят.{mark('(Дополнение частью - Федеральный закон ')}{LAW_10}) "
        f"{mark('(В редакции Федерального закона ' + law('11.11.2011', '11-ФЗ') + ')')}",
        "5. Закон (в редакции Федерального закона от 3 ноября 1995 года № 170-ФЗ) помнят.",
    )
    article = articles["1"]
    assert article.text == (
        "1. Воду берут из колодца.\n2. Кран закрывают, когда уходят.\n4. Колодец чистят.\n"
        "5. Закон (в редакции Федерального закона от 3 ноября 1995 года № 170-ФЗ) помнят."
    )
    assert {note.kind for note in article.notes} == {"amendment"}
    assert article.notes[2].at == article.text.index(", когда")
    assert [(change.part, change.law, change.date) for change in article.amendments] == [
        ("наименование", "7-ФЗ", "2003-02-01"),
        ("часть 1", "99-ФЗ", "2014-05-05"),
        ("часть 2", "99-ФЗ", "2014-05-05"),
        ("часть 3", "9-ФЗ", "2009-09-09"),
        ("часть 4", "10-ФЗ", "2010-10-10"),
        ("часть 4", "11-ФЗ", "2011-11-11"),
    ]
    assert (article.valid_from, article.valid_from_basis, article.amended_on) == (
        "2014-05-05",
        DateBasis.AMENDMENT,
        "2014-05-05",
    )


def test_decisions_of_courts_amend_nothing(tmp_path):
    (article,) = load(
        tmp_path,
        "H|Статья 1. Суд",
        f"Суд решает.{mark(f' (С учетом Постановления Конституционного Суда Российской Федерации {LAW_11P})')}",
        more=", in_force: 2001-10-30",
    ).values()
    assert article.notes[0].kind == "editorial"
    assert article.amendments == ()
    assert (article.valid_from, article.valid_from_basis) == ("2001-10-30", DateBasis.STATED)


def test_repealed_articles(tmp_path):
    gone = f"Федеральный закон {LAW_162}"
    root = folder(
        tmp_path,
        "- {key: ПК, coverage: complete, in_force: 1997-01-01, files: [a.html]}",
        a_html=page(
            "H|Статья 1.",
            f"H|{mark(f'(Статья утратила силу&nbsp;- {gone})')}",
            "H|Статья 2.",
            f"{mark(f'(Дополнение статьей - Федеральный закон {LAW_1}) (Утратила силу - {gone})')}",
            "H|Статья 3. (утратила силу)",
            "H|Статьи 31–33. Утратили силу",
            "H|§ 3.&nbsp;(Статьи 107&nbsp;-&nbsp;109)",
            f"{mark(f'(Параграф утратил силу - {gone})')}",
            'I|<span class="W4">5. (Статья 95)</span>',
            "H|§ 4. Живое",
            "H|Статья 96. Живая",
            "Она действует.",
            "H|Статья 97. Пустая",
        ),
    )
    (text,) = load_statutes(root, "trial")
    by_number = {article.number: article for article in text.articles}
    assert list(by_number) == ["1", "2", "3", "96", "97"]
    assert [number for number, article in by_number.items() if article.repealed] == ["1", "2", "3"]
    assert by_number["1"].repealed_by == "Федеральный закон от 08.12.2003 № 162-ФЗ"
    assert by_number["1"].valid_from is None
    assert (by_number["2"].valid_from, by_number["2"].amended_on) == ("2001-01-01", "2003-12-08")
    assert by_number["3"].repealed_by is None
    assert by_number["3"].title == ""
    assert text.gone == ("31", "32", "33", "107", "108", "109", "95")
    assert by_number["96"].valid_from == "1997-01-01"
    assert ("article 97", "has a heading and no text, and nothing says that it was repealed") in text.skipped


def test_amendments_of_what_stands_above(tmp_path):
    article = load(
        tmp_path,
        f"H|Глава 15{up('1')}. Штраф",
        f"I|{mark(f'(Дополнение главой - Федеральный закон {LAW_153})')}",
        "H|Статья 104. Штраф",
        "Штраф платят.",
        more=", in_force: 1997-01-01",
    )["104"]
    assert [(change.part, change.law) for change in article.amendments] == [("глава 15.1", "153-ФЗ")]
    assert (article.valid_from, article.valid_from_basis) == ("2006-07-27", DateBasis.AMENDMENT)


def test_tables_images_boxes_and_breaks(tmp_path):
    root = folder(
        tmp_path,
        "- {key: ПК, files: [a.html]}",
        a_html=page(
            "H|Статья 1. Ставки",
            "1. Ставки таковы:",
            "<table><tr class='holder'><td>x</td></tr><tr><td><p>Вес</p></td><td><p>Ставка</p><p>в рублях</p></td></tr>"
            "<tr><td>1 кг</td><td>5</td></tr></table>",
            'C|<img src="pict/formula.png">',
            "где П - плата.<br>К - коэффициент.",
            "<div class='comment'>Примечание редакции: читайте внимательно.</div>",
            "2. Иных ставок нет.",
        ),
    )
    (text,) = load_statutes(root, "trial")
    article = text.articles[0]
    assert article.text.split("\n") == [
        "1. Ставки таковы:",
        "Вес | Ставка в рублях",
        "1 кг | 5",
        "где П - плата.",
        "К - коэффициент.",
        "2. Иных ставок нет.",
    ]
    assert [(note.kind, note.text) for note in article.notes] == [
        ("editorial", "[изображение: formula.png]"),
        ("editorial", "Примечание редакции: читайте внимательно."),
    ]
    assert any("picture in article 1" in what for what, _ in text.skipped)


def test_what_stands_outside_articles_is_reported(tmp_path):
    out = skipped(
        tmp_path,
        "T|Пробный кодекс",
        "I|Принят в пробном порядке",
        "H|Раздел I. Начало",
        "H|Статья 1. Начало",
        "Начинаем.",
        "T|Раздел второй",
        "T|Переходные положения",
        "1. Старое действует, пока не кончится.",
        "I|Президент Российской Федерации&nbsp;&nbsp; И.Пробный",
        "Москва, Кремль",
        "1&nbsp;января 2001&nbsp;года",
        "№&nbsp;1-ФЗ",
        "T|Приложение № 1",
        "Список яблонь",
    )
    assert (
        "1 paragraphs (38 characters) under «Раздел второй. Переходные положения»",
        "text outside any article",
    ) in out
    assert any(why == "stands behind the signature" and "Приложение № 1" in what for what, why in out)


def test_headings_in_plain_paragraphs(tmp_path):
    articles = load(
        tmp_path,
        "Статья 1. Первая",
        "Слова первой.",
        "<b>Статья 2. Вторая</b>".replace("<b>", "").replace("</b>", ""),
        "Слова второй.",
    )
    assert list(articles) == ["1", "2"]
    bold = load(tmp_path / "b", "<b>Статья 1.</b> <b>Первая</b>", "Статья 5 применяется без изъятий.")
    assert list(bold) == ["1"]
    assert bold["1"].text == "Статья 5 применяется без изъятий."


def test_odd_headings(tmp_path):
    articles = load(
        tmp_path,
        "H|С т а т ь я 1.&nbsp;Разрядка",
        "Слова.",
        "H|Cтатья 2",
        "|&nbsp;",
        "H|Имя стоит ниже",
        "|&nbsp;",
        "<b>1. Весь абзац набран жирно.</b>",
        "|&nbsp;",
        "Статья 2.1. Забытый класс",
        "|&nbsp;",
        "Статья 2 применяется всегда.",
        "N|____",
        "N|* Сноска под чертой.",
        "<div class='H'>Статья 3. В блоке</div>",
        "Слова третьей.",
    )
    assert {number: article.title for number, article in articles.items()} == {
        "1": "Разрядка",
        "2": "Имя стоит ниже",
        "2.1": "Забытый класс",
        "3": "В блоке",
    }
    assert articles["2"].text == "1. Весь абзац набран жирно."
    assert articles["2.1"].text == "Статья 2 применяется всегда."
    assert [note.text for note in articles["2.1"].notes] == ["* Сноска под чертой."]


def test_title_and_defaults_of_an_act_nobody_knows(tmp_path):
    root = folder(
        tmp_path,
        "- {key: ПК, files: [a.html]}",
        a_html=page("C|РОССИЙСКАЯ ФЕДЕРАЦИЯ", "T|Пробный кодекс", "H|Статья 1. А", "Б."),
    )
    act = load_statutes(root, "trial")[0].act
    assert (act.title, act.coverage, act.valid_from, act.branch) == ("Пробный кодекс", ("unknown",), None, None)
