"""Kazakh, Ukrainian and Chinese sources, in small files of our own."""

from __future__ import annotations

import json
import re

import pytest

from loaders.statutes import load_statutes
from loaders.statutes._chinese import _value
from service.domain import ActText, Article, DateBasis, Jurisdiction, Language
from service.errors import SourceError
from tests.unit.statutes.pages import folder


def units(article: Article) -> list[tuple[str | None, str | None, str | None]]:
    return [(part.part, part.point, part.subpoint) for part in article.paragraphs]


FRONT = """---
article: "{number}"
heading: "{heading}"
part: "Общая часть"
razdel: 1
razdel_title: "О саде"
glava: 2
glava_title: null
effective_from: "{day}"
{more}---

# Статья {number}. {heading}

> [!info] Общая часть

{body}

---
[Содержание](index.md)
"""


def front(number: str, body: str, day: str = "2026-01-01", more: str = "") -> str:
    return FRONT.format(number=number, heading="Сад", day=day, more=more, body=body)


KZ = "- {key: НК, numbered: point, format: front-matter, coverage: loaded, files: ['st-*.md']}"


def kz(tmp_path, **bodies: str) -> ActText:
    root = folder(tmp_path, KZ)
    for name, text in bodies.items():
        (root / f"st-{name}.md").write_text(text, encoding="utf-8")
    return load_statutes(root, "kz")[0]


def test_front_matter(tmp_path):
    body = (
        '<a id="p-1"></a>1. В саду растут:\n\n1) яблони;\n\nСноска. Подпункт 1) действует до 01.01.2030.\n\n2) груши.'
    )
    text = kz(tmp_path, a=front("1", body), b=front("2", "Конец.", day="2027-01-01"), d=front("5", "Еще."))
    first, second, _ = text.articles
    assert first.text == "1. В саду растут:\n1) яблони;\n2) груши."
    assert units(first) == [(None, "1", None), (None, "1", "1"), (None, "1", "2")]
    assert first.path == ("Общая часть", "Раздел 1. О саде", "Глава 2")
    assert [(note.kind, note.at) for note in first.notes] == [("editorial", first.text.index("\n2)"))]
    assert (second.valid_from, second.valid_from_basis) == ("2027-01-01", DateBasis.STATED)
    assert text.act.coverage == ("1–2", "5–5")
    assert (text.act.jurisdiction, text.act.language) == (Jurisdiction.KZ, Language.RU)


def test_a_number_that_the_source_has_twice_once_empty(tmp_path):
    text = kz(tmp_path, a=front("4", "", more="duplicate_number_rank: 2\n"), b=front("4", "Слова."))
    assert [article.text for article in text.articles] == ["Слова."]
    assert text.skipped == (("article 4 in st-a.md", "the source gives no text for it"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Просто текст", "Markdown file 'st-a.md' has no front matter between two lines of ---"),
        ("---\nheading: Сад\n---\nТекст", "front matter of 'st-a.md' names no 'article'"),
        ("---\narticle: [\n---\nТекст", "front matter of 'st-a.md' is not YAML"),
        (front("1", "А.", day="скоро"), "'effective_from' is 'скоро', which is no date"),
    ],
)
def test_bad_front_matter(tmp_path, text, message):
    with pytest.raises(SourceError, match=re.escape(message)):
        kz(tmp_path, a=text)


def ua(tmp_path, *provisions: tuple[str, str], more: str = "") -> ActText:
    data = {"provisions": [{"section": "", "title": title, "content": content} for title, content in provisions]}
    root = folder(
        tmp_path, f"- {{key: ПК, numbered: part, coverage: loaded, files: [a.json]{more}}}", a_json=json.dumps(data)
    )
    return load_statutes(root, "ua")[0]


def test_provisions(tmp_path):
    text = ua(
        tmp_path,
        (
            "Стаття 1. Сад",
            "1. У саду ростуть яблуні , груші (стаття 132 -2 ) і сливи.\n4 -1 ) вишні.\nГлава 2\nПРО САД",
        ),
        ("Стаття 2-1. Груша", "Груша росте. {Частину другу статті 2-1 визнано неконституційною}"),
        ("Стаття 172. -9-1 . Паркан", "Паркан стоїть.\nПримітка. Паркан - це стіна."),
        ("Стаття 7. {Статтю 7 виключено на підставі Закону № 2342-III від 05.04.2001 }", "Статтю 7 виключено"),
        ("Стаття 8. {Статтю 8 виключено на підставі Закону № 871-12 від 20.03.91 }", "x"),
        ("Стаття 8. Кінець", "1. Сад зачинено.\n2. Назавжди.\n1. Цей Кодекс діє.\nПрезидент України\nЛ.ПРОБНИЙ"),
    )
    first, second, third, gone, last = text.articles
    assert [article.number for article in text.articles] == ["1", "2-1", "172-9-1", "7", "8"]
    assert first.text == "1. У саду ростуть яблуні, груші (стаття 132-2) і сливи.\n4-1) вишні."
    assert units(first) == [("1", None, None), ("1", "4-1", None)]
    assert second.path == third.path == ("Глава 2. ПРО САД",)
    assert (second.text, second.notes[0].kind) == ("Груша росте.", "editorial")
    assert third.paragraphs[-1].remark
    assert (gone.repealed, gone.repealed_by, gone.text) == (True, "Закон № 2342-III від 05.04.2001", "")
    assert last.text == "1. Сад зачинено.\n2. Назавжди."
    assert [what for what, _ in text.skipped] == ["3 lines (44 characters) behind article 8", "repealed article 8"]
    assert text.act.language is Language.UK
    assert first.valid_from is None


def test_provisions_without_titles(tmp_path):
    text = ua(tmp_path, ("Стаття 2. Сад є неподільним.", "Він росте."), more=", titled: false")
    assert (text.articles[0].title, text.articles[0].text) == ("", "Сад є неподільним.\nВін росте.")
    assert units(text.articles[0]) == [("1", None, None), ("2", None, None)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "file 'a.json' is not JSON in UTF-8"),
        ("[]", "has no list 'provisions' of objects"),
        (
            '{"provisions": [{"title": "Вступ"}]}',
            "provision 1 of 'a.json' has the title 'Вступ', which names no article",
        ),
    ],
)
def test_bad_provisions(tmp_path, data, message):
    root = folder(tmp_path, "- {key: ПК, files: [a.json]}", a_json=data)
    with pytest.raises(SourceError, match=re.escape(message)):
        load_statutes(root, "ua")


CN = """# 中华人民共和国果园法

2020年1月1日 通过

<!-- INFO END -->

\u200b

## 第一章 总 则

第一条 为了保护果园，制定本法。

第二条　果园应当：

（一）种植苹果树；

1．红色的；

（十二）种植梨树。

第一款规定的果园，不得出售。

第一百二十条之一 【围墙】围墙由所有人修建。

## 附件一

1．旧规定
"""


def test_chinese(tmp_path):
    manifest = (
        '- {key: 果园法, edition: "2020", format: chinese-markdown, coverage: complete, in_force: 2020-02-01, '
        "valid_to: 2024-01-01, files: ['果园法(2020).md']}\n"
        '- {key: 果园法, edition: "2024", format: chinese-markdown, coverage: complete, files: [b.md]}'
    )
    root = folder(tmp_path, manifest, b_md=CN.replace("苹果树", "桃树"))
    (root / "果园法(2020).md").write_text(CN, encoding="utf-8")
    old, new = load_statutes(root, "cn")
    first, second, inserted = old.articles
    assert [article.number for article in old.articles] == ["1", "2", "120-1"]
    assert (first.text, first.path, units(first)) == (
        "为了保护果园，制定本法。",
        ("第一章 总 则",),
        [(None, None, None)],
    )
    assert units(second) == [("1", None, None), ("1", "1", None), ("1", "1", "1"), ("1", "12", None), ("2", None, None)]
    assert (inserted.title, inserted.text) == ("围墙", "围墙由所有人修建。")
    assert (old.act.edition, old.act.valid_from, old.act.valid_to, first.edition) == (
        "2020",
        "2020-02-01",
        "2024-01-01",
        "2020",
    )
    assert (first.valid_from, first.valid_from_basis) == ("2020-02-01", DateBasis.STATED)
    assert new.articles[0].valid_from is None
    assert old.skipped == (("5 characters under headings without articles", "text outside any article"),)
    assert (old.act.title, old.act.language) == ("中华人民共和国果园法", Language.ZH)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("一", 1),
        ("十", 10),
        ("十五", 15),
        ("二十", 20),
        ("一百", 100),
        ("一百零八", 108),
        ("一百二十", 120),
        ("一千二百六十", 1260),
    ],
)
def test_chinese_numerals(numeral, value):
    assert _value(numeral) == value


def test_bad_chinese(tmp_path):
    root = folder(tmp_path, "- {key: 法, format: chinese-markdown, files: [a.md]}", a_md="# 法\n\n没有条文。")
    with pytest.raises(SourceError, match=r"file 'a\.md' of act '法' holds no article: no line begins with 第…条"):
        load_statutes(root, "cn")
