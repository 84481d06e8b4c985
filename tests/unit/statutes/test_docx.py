from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.statutes import load_statutes
from tests.unit.statutes.pages import W, docx, folder, para, run

if TYPE_CHECKING:
    from service.domain import ActText

OUTLINE = '<w:outlineLvl w:val="2"/>'
CENTRED = '<w:jc w:val="center"/>'
GREY = '<w:color w:val="392C69"/>'


def title(text: str, more: str = OUTLINE) -> str:
    return para(text, style="ConsPlusTitle", more=more)


def table(*rows: tuple[str, ...], properties: str = "") -> str:
    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc>{para(run(cell, properties))}</w:tc>" for cell in row) + "</w:tr>" for row in rows
    )
    return f"<w:tbl>{cells}</w:tbl>"


def load(tmp_path, *body: str, **parts: str) -> ActText:
    root = folder(tmp_path, "- {key: ПК, numbered: part, files: [a.docx]}")
    docx(root / "a.docx", "".join(body), **parts)
    return load_statutes(root, "trial")[0]


def test_information_system_export(tmp_path):
    text = load(
        tmp_path,
        table(
            ("Список изменяющих документов",), ("(в ред. Федеральных законов от 25.04.2002 N 41-ФЗ)",), properties=GREY
        ),
        title("Глава 7. НАРУШЕНИЯ", '<w:outlineLvl w:val="1"/>'),
        title("В САДУ", CENTRED),
        para(""),
        table(("КонсультантПлюс: примечание.",), ("Ст. 7.1 вступает в силу с 01.03.2025.",), properties=GREY),
        title("Статья 7.1. Порча яблони"),
        para("(введена Федеральным ", run("законом"), " от 28.12.2009 N 380-ФЗ;"),
        para("в ред. Федерального закона от 01.02.2010 N 2-ФЗ)"),
        para(""),
        para("1. Порча яблони -"),
        para("влечет штраф."),
        para("(часть 1 в ред. Федерального закона от 03.03.2011 N 3-ФЗ)"),
        para("2 - 3. Утратили силу с 1 июля 2015 года. - Федеральный закон от 12.03.2014 N 33-ФЗ."),
        para("4. Порча груши ", run("(см. п. 5)"), "."),
        table(("КонсультантПлюс: примечание.",), ("Ч. 4 ст. 7.1 вступает в силу с 01.05.2027.",), properties=GREY),
        table(("Вес", "Штраф"), ("1 кг", "5")),
        para("Примечание. Утратило силу. - Федеральный закон от 21.07.2005 N 93-ФЗ."),
        title("Статья 7.2. Утратила силу с 1 сентября 2013 года. - Федеральный закон от 23.07.2013 N 249-ФЗ."),
        title("Статьи 7.3 - 7.5. Утратили силу. - Федеральный закон от 01.07.2021 N 283-ФЗ."),
        title("Статья 7.6-1. Порча забора"),
        para("Порча забора -"),
        para("Президент", more='<w:jc w:val="right"/>'),
        para("И.ПРОБНЫЙ", more='<w:jc w:val="right"/>'),
    )
    first, second, third = text.articles
    assert [article.number for article in text.articles] == ["7.1", "7.2", "7.6-1"]
    assert first.path == ("Глава 7. НАРУШЕНИЯ В САДУ",)
    assert first.text == "1. Порча яблони -\nвлечет штраф.\n4. Порча груши (см. п. 5).\nВес | Штраф\n1 кг | 5"
    assert [(change.part, change.law) for change in first.amendments] == [
        (None, "380-ФЗ"),
        (None, "2-ФЗ"),
        ("часть 1", "3-ФЗ"),
        ("часть 2", "33-ФЗ"),
        ("примечание", "93-ФЗ"),
    ]
    assert (first.valid_from, first.valid_from_basis) == ("2025-03-01", "stated")
    assert second.repealed
    assert second.repealed_by == "Федеральный закон от 23.07.2013 № 249-ФЗ"
    assert second.valid_to == "2013-09-01"
    assert text.gone == ("7.3", "7.4", "7.5")
    assert third.text == "Порча забора -"


def test_revisions_footnotes_raised_and_hidden_runs(tmp_path):
    footnotes = (
        f'<w:footnotes xmlns:w="{W}"><w:footnote w:id="2"><w:p><w:r><w:t>О яблонях см. гл. 3.</w:t></w:r></w:p>'
        "</w:footnote></w:footnotes>"
    )
    text = load(
        tmp_path,
        title("Статья 8. А").replace(
            "8. А", "8</w:t></w:r>" + run("1", '<w:vertAlign w:val="superscript"/>') + "<w:r><w:t>. Ствол"
        ),
        "<w:p><w:r><w:t>Ствол </w:t></w:r><w:ins><w:r><w:t>крепкий</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>слабый</w:delText></w:r></w:del>"
        + run("тайна", "<w:vanish/>")
        + '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>, статья 12</w:t></w:r>'
        + run("1", '<w:vertAlign w:val="superscript"/>')
        + "<w:r><w:noBreakHyphen/><w:t>б.</w:t></w:r></w:p>",
        footnotes=footnotes,
    )
    (article,) = text.articles
    assert (article.number, article.title) == ("8.1", "Ствол")
    assert article.text == "Ствол крепкий, статья 12.1-б."
    assert [(note.kind, note.at, note.text) for note in article.notes] == [("editorial", 13, "О яблонях см. гл. 3.")]


def test_numbers_that_word_counts(tmp_path):
    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2."/></w:lvl>'
        '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="russianLower"/><w:lvlText w:val="%3)"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )

    def counted(text: str, level: int) -> str:
        return para(text, more=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="4"/></w:numPr>')

    text = load(
        tmp_path,
        title("Статья 1. Счет"),
        counted("Один.", 0),
        counted("Два:", 0),
        counted("два-один;", 1),
        counted("первое;", 2),
        counted("второе.", 2),
        counted("Три.", 0),
        numbering=numbering,
    )
    assert text.articles[0].text == "1. Один.\n2. Два:\n2.1. два-один;\nа) первое;\nб) второе.\n3. Три."
