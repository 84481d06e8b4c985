"""Texts of other codes, with what the ten at hand do not have: nothing may be lost without a word."""

from __future__ import annotations

import zipfile

import pytest

from loaders.statutes import load_statutes
from service.domain import ActText
from service.errors import SourceError
from tests.unit.statutes.pages import W, docx, folder, law, mark, page, para, run, up

REPEALED = mark("(Утратили силу - Федеральный закон " + law("01.01.2010", "1-ФЗ") + ")")
TITLE = "ConsPlusTitle"


def read(tmp_path, *lines: str, coverage: str = "complete") -> ActText:
    root = folder(tmp_path, f"- {{key: ПК, coverage: {coverage}, files: [a.html]}}", a_html=page(*lines))
    return load_statutes(root, "trial")[0]


def read_docx(tmp_path, body: str, **parts: str) -> ActText:
    root = folder(tmp_path, "- {key: ПК, files: [a.docx]}")
    docx(root / "a.docx", body, **parts)
    return load_statutes(root, "trial")[0]


def texts(text: ActText) -> dict[str, str]:
    return {article.number: article.text for article in text.articles}


def cell(*paragraphs: str) -> str:
    return f"<w:tc>{''.join(paragraphs)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        (f"Статьи 31 - 33. {REPEALED}", ("31", "32", "33")),
        (f"H|{mark('Статьи 31 - 33. (Утратили силу - Федеральный закон от 01.01.2010 № 1-ФЗ)')}", ("31", "32", "33")),
        ("(Статьи 31 и 33 утратили силу - Федеральный закон от 01.01.2010 № 1-ФЗ)", ("31", "33")),
        (f"H|Статьи 31-31{up('3')}. {REPEALED}", ("31", "31.1", "31.2", "31.3")),
        (f"H|Статьи 31 - 31{up('1')}. {REPEALED}", ("31", "31.1")),
        (f"H|Глава 2. {REPEALED.replace('Утратили', 'Утратила')}", ("31", "32", "33")),
        ("H|Глава 2. Яблони (утратила силу)", ("31", "32", "33")),
    ],
)
def test_articles_that_are_gone_together(tmp_path, line, gone):
    text = read(tmp_path, "H|Статья 30. А", "Растёт.", line, "H|Глава 3. Груши", "H|Статья 34. Б", "Цветёт.")
    assert text.gone == gone
    assert texts(text) == {"30": "Растёт.", "34": "Цветёт."}
    assert any("31" in f"{what}: {why}" for what, why in text.skipped)


def test_a_single_article_that_lost_its_class_and_its_force(tmp_path):
    text = read(
        tmp_path,
        "H|Статья 30. А",
        "Растёт.",
        f"Статья 31. {REPEALED.replace('Утратили', 'Утратила')}",
        "H|Статья 32. Б",
        "В.",
    )
    (repealed,) = [article for article in text.articles if article.repealed]
    assert (repealed.number, repealed.text, repealed.repealed_by) == (
        "31",
        "",
        "Федеральный закон от 01.01.2010 № 1-ФЗ",
    )
    assert texts(text)["30"] == "Растёт."


def test_a_chapter_in_force_explains_no_gap_and_the_gap_is_told(tmp_path):
    lines = ("H|Статья 1. А", "Растёт.", "H|Глава 2. Груши", "H|Статья 5. Б", "Цветёт.", "H|Статья 7. В", "Ждёт.")
    text = read(tmp_path / "a", *lines)
    assert text.gone == ()
    assert [what for what, why in text.skipped if "coverage" in why] == ["articles 2–4", "article 6"]
    ranged = read(tmp_path / "b", *lines, coverage='["5–8.2"]')
    assert [what for what, why in ranged.skipped if "coverage" in why] == ["article 6", "article 8"]
    for stated in ("loaded", "unknown"):
        assert read(tmp_path / stated, *lines, coverage=stated).skipped == ()


def test_tables_keep_caption_nested_cells_and_articles(tmp_path):
    text = read(
        tmp_path,
        "H|Статья 1. А",
        "<table><caption>Ставки</caption><tr><th>Сорт</th><td>1<table><tr><td>два</td><td>три</td></tr></table>4</td></tr>"
        "</table>",
        '<table><tr><td><p class="H">Статья 2. Б</p><p>Слова второй.</p></td><td><p>Рядом.</p></td></tr></table>',
        "H|Статья 3. В",
        "Слова третьей.",
    )
    assert texts(text) == {
        "1": "Ставки\nСорт | 1 два | три 4",
        "2": "Слова второй.\nРядом.",
        "3": "Слова третьей.",
    }


@pytest.mark.parametrize(
    "raised",
    [
        " <sup>1</sup>",
        f" {up('1')}",
        "<small>1</small>",
        '<font size="1">1</font>',
        '<span style="position: relative; top: -4pt">1</span>',
        '<span style="mso-text-raise: 4pt">1</span>',
        '<span style="vertical-align: 4pt">1</span>',
    ],
)
def test_a_raised_figure_never_makes_another_number(tmp_path, raised):
    text = read(tmp_path, "H|Статья 8. А", "Слова.", f"H|Статья 8{raised}. Б", f"По пункту 5{raised} статьи 6.")
    assert texts(text) == {"8": "Слова.", "8.1": "По пункту 5.1 статьи 6."}


def test_deep_headings_and_articles_without_titles(tmp_path):
    text = read(
        tmp_path,
        "H|КНИГА ВТОРАЯ",
        "H|Раздел одиннадцатый",
        "H|Имя раздела",
        "H|Подраздел 1. Лица",
        "H|Глава двадцать первая. Срок",
        "H|Параграф 1. Начало",
        "H|Статья 1",
        "Первая.",
        "H|§ 2. Конец",
        "H|Статья 2.",
        "Вторая.",
        "H|Глава двадцатая",
        "H|Статья 3.",
        "Третья.",
    )
    first, second, third = text.articles
    top = ("КНИГА ВТОРАЯ", "Раздел одиннадцатый. Имя раздела", "Подраздел 1. Лица")
    assert first.path == (*top, "Глава двадцать первая. Срок", "Параграф 1. Начало")
    assert second.path == (*top, "Глава двадцать первая. Срок", "§ 2. Конец")
    assert third.path == (*top, "Глава двадцатая")
    assert {article.title for article in text.articles} == {""}


def test_a_sentence_is_no_heading_of_a_file_without_styles(tmp_path):
    text = read(
        tmp_path,
        "Статья 1. Первая",
        "Слова первой.",
        "Статья 10 настоящего Кодекса применяется к садам.",
        "Статья 5 ГК РФ применяется к огородам.",
        "Статья 2",
        "Слова второй.",
    )
    assert texts(text) == {
        "1": "Слова первой.\nСтатья 10 настоящего Кодекса применяется к садам.\nСтатья 5 ГК РФ применяется к огородам.",
        "2": "Слова второй.",
    }


def test_what_looks_like_a_heading_and_is_none_is_told(tmp_path):
    text = read(tmp_path, "H|Статья 1. А", "Слова.", "Статья 2. Забытый класс", "Слова второй.")
    assert texts(text) == {"1": "Слова.\nСтатья 2. Забытый класс\nСлова второй."}
    assert ("«Статья 2. Забытый класс» in article 1", "taken as text: not set as a heading") in text.skipped


def test_the_signature_is_told_and_a_sentence_about_the_president_is_law(tmp_path):
    text = read(
        tmp_path,
        "H|Статья 1. А",
        "Сады открыты.",
        "Президент Российской Федерации утверждает правила.",
        "Президент Российской Федерации",
        "И.Пробный",
        "№ 1-ФЗ",
    )
    assert texts(text) == {"1": "Сады открыты.\nПрезидент Российской Федерации утверждает правила."}
    assert ("«Президент Российской Федерации» and 2 more lines", "the signature") in text.skipped


def test_damaged_characters_are_counted(tmp_path):
    text = read(tmp_path, "H|Статья 1. А", "Сад\ufffd откр\ufffdт.")
    assert ("2 characters of article 1", "damaged in the source, shown as �") in text.skipped


@pytest.mark.parametrize("encoding", ["koi8-r", "cp866", "iso8859-5"])
@pytest.mark.parametrize("stated", ["", ", encoding: windows-1251"])
def test_the_true_encoding_is_named(tmp_path, encoding, stated):
    text = page("H|Статья 1. Сад", "Сад открыт.").encode(encoding)
    root = folder(tmp_path, f"- {{key: ПК, files: [{{name: a.html{stated}}}]}}", a_html=text)
    with pytest.raises(SourceError, match=f"looks like {encoding}: convert it, or state 'encoding: {encoding}'"):
        load_statutes(root, "trial")
    (root / "manifest.yaml").write_text(
        f"- {{key: ПК, files: [{{name: a.html, encoding: {encoding}}}]}}", encoding="utf-8"
    )
    assert texts(load_statutes(root, "trial")[0]) == {"1": "Сад открыт."}


def test_utf_16_says_so_itself(tmp_path):
    root = folder(tmp_path, "- {key: ПК, files: [a.html]}", a_html=page("H|Статья 1. Сад", "Открыт.").encode("utf-16"))
    assert texts(load_statutes(root, "trial")[0]) == {"1": "Открыт."}


def test_docx_loses_no_words(tmp_path):
    box = f"<w:r><w:pict><w:txbxContent>{para('В рамке.')}</w:txbxContent></w:pict></w:r>"
    formula = (
        '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>S = </m:t></m:r>'
        "<m:f><m:num><m:r><m:t>a + b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t></m:r></m:den></m:f></m:oMath>"
    )
    text = read_docx(
        tmp_path,
        para("Статья 1. А", style=TITLE)
        + para(run("Видно", '<w:vanish w:val="0"/>'), run(" не видно", "<w:vanish/>"), ".")
        + f"<w:customXml>{para('В обёртке.')}</w:customXml><w:ins>{para('Вставлено.')}</w:ins>"
        + para("У рамки.", box)
        + table(cell(para("a"), table(cell(para("b")) + cell(para("c"))), para("d")) + cell(para("e")))
        + f"<w:tbl><w:tr><w:sdt><w:sdtContent>{cell(para('В ячейке.'))}</w:sdtContent></w:sdt></w:tr></w:tbl>"
        + para("Плата ", formula, ".")
        + para("Знак ", '<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>', " здесь."),
    )
    assert texts(text)["1"].split("\n") == [
        "Видно.",
        "В обёртке.",
        "Вставлено.",
        "У рамки.",
        "В рамке.",
        "a b c d | e",
        "В ячейке.",
        "Плата S = (a + b)/c.",
        "Знак здесь.",
    ]
    assert (
        "picture in article 1: sign F0B3 of the font Symbol",
        "kept as a note: a picture has no text",
    ) in text.skipped


@pytest.mark.parametrize("look", ['<w:position w:val="6"/>', '<w:rStyle w:val="Up"/>'])
def test_docx_raises_figures_in_more_ways_than_one(tmp_path, look):
    up_style = '<w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
    text = read_docx(
        tmp_path,
        para("Статья 1. А", style=TITLE)
        + para("Слова.")
        + para(run("Статья 1"), run("1", look), run(". Б"), style=TITLE)
        + para("Другие."),
        styles=f'<w:styles xmlns:w="{W}">{up_style}</w:styles>',
    )
    assert texts(text) == {"1": "Слова.", "1.1": "Другие."}


def test_docx_headings_by_the_name_of_their_style_and_in_tables(tmp_path):
    style = '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    text = read_docx(
        tmp_path,
        para("Статья 1. А", style="1")
        + para("Статья 7 настоящего Кодекса применяется.")
        + table(cell(para("Статья 2. Б", style="1"), para("Слова второй."))),
        styles=f'<w:styles xmlns:w="{W}">{style}</w:styles>',
    )
    assert texts(text) == {"1": "Статья 7 настоящего Кодекса применяется.", "2": "Слова второй."}


def test_damaged_docx_files_are_told_apart(tmp_path):
    root = folder(tmp_path, "- {key: ПК, files: [a.docx]}")
    file = root / "a.docx"
    body = para("Статья 1. А", style=TITLE) + para("Слова. " * 500)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
    whole = file.read_bytes()
    assert load_statutes(root, "trial")[0].articles[0].number == "1"
    for damaged, words in (
        (whole[: len(whole) // 2], "is cut or damaged"),
        (whole[:60] + bytes(byte ^ 0x55 for byte in whole[60:100]) + whole[100:], "damaged"),
        (
            whole.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
                b"\x14\x00\x00\x00\x08", b"\x14\x00\x01\x00\x08"
            ),
            "password",
        ),
    ):
        file.write_bytes(damaged)
        with pytest.raises(SourceError, match=words):
            load_statutes(root, "trial")
