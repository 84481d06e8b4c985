"""Reads Chinese statutes in Markdown: headings by #, articles «第一百二十条之一 …», 款 as paragraphs, （一） as 项.

Numbers become digits, inserted ones with a hyphen: 第一百二十条之一 is 120-1. The paragraphs of an article are its 款,
numbered as ``part`` where there are several; 项 is ``point``, 目 («1.») is ``subpoint``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loaders.statutes._lines import clean_spaces
from service.domain import Article, DateBasis, Note, Paragraph, article_sort_key
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ChineseText", "read_chinese"]

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_NUMERAL = "[零〇一二三四五六七八九十百千两]+"
_ARTICLE = re.compile(rf"第(?P<number>{_NUMERAL})\s?条(?:之(?P<inserted>{_NUMERAL}))?(?P<gap>\s*)(?P<text>.*)")
_CITED_ON = frozenset("第之的规、，。和或至到及款项")
_ITEM = re.compile(rf"[（(](?P<number>{_NUMERAL})[）)]")
_SUBITEM = re.compile(r"(?P<number>\d{1,2})[.．、]")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s*(?P<text>.*)")
_INFO_END = "<!-- INFO END -->"
_FOOTNOTE = re.compile(r"[①②③④⑤⑥⑦⑧⑨⑩]")
_TITLE = re.compile(r"【(?P<title>[^【】]{1,60})】\s*")


@dataclass(slots=True)
class ChineseText:
    """The articles of a file.

    Attributes:
        titles: First-level headings.
        skipped: (what, why).
    """

    articles: list[Article] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Draft:
    number: str
    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_chinese(path: Path, act: str, *, edition: str | None, entry: str | None) -> ChineseText:
    """Read the articles of a file.

    Args:
        path: The file.
        act: The act's key.
        edition: The edition's name, where the corpus has several.
        entry: ISO date on which this edition entered into force, where stated.

    Raises:
        SourceError: The file is not UTF-8, or holds no article.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"Markdown file {path.name!r} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    info, mark, body = text.partition(_INFO_END)
    out = ChineseText()
    out.titles = [found["text"].strip() for line in info.splitlines() if (found := _HEADING.match(line.strip()))]
    drafts = _drafts(body if mark else text, out)
    if not drafts:
        raise SourceError(
            f"file {path.name!r} of act {act!r} holds no article: no line begins with 第…条; check that it is a statute"
        )
    out.articles = [_article(act, draft, edition, entry) for draft in drafts]
    return out


def _drafts(body: str, out: ChineseText) -> list[_Draft]:
    drafts: list[_Draft] = []
    # Behind the law's name the head of a file may name the 编 that the file holds.
    path = [(1, name) for name in out.titles[1:2]]
    inside = False
    loose = 0
    for raw in body.splitlines():
        line = clean_spaces(raw.replace("\u3000", " "))
        if not line or line.startswith("<!--"):
            continue
        if heading := _HEADING.fullmatch(line):
            level = len(heading["marks"])
            if heading["text"]:
                path = [*(one for one in path if one[0] < level), (level, heading["text"].strip())]
            inside = False
        elif (number := _number(line, drafts[-1].number if drafts else "")) is not None:
            found = _ARTICLE.match(line)
            drafts.append(_Draft(number, tuple(name for _, name in path)))
            drafts[-1].lines.append(found["text"].strip() if found else "")
            inside = True
        elif not inside:
            loose += len(line)
        elif _FOOTNOTE.match(line):
            drafts[-1].notes.append(line)
        else:
            drafts[-1].lines.append(line)
    if loose:
        out.skipped.append((f"{loose} characters under headings without articles", "text outside any article"))
    return drafts


def _number(line: str, previous: str) -> str | None:
    """Return the number of the article that begins here; a line that only cites one begins none."""
    found = _ARTICLE.match(line)
    if found is None:
        return None
    number = str(_value(found["number"])) + (f"-{_value(found['inserted'])}" if found["inserted"] else "")
    if not found["gap"] and (not found["text"] or found["text"][0] in _CITED_ON):
        return None
    if previous and not found["gap"] and article_sort_key(number) <= article_sort_key(previous):
        return None
    return number


def _value(numeral: str) -> int:
    """Return what a Chinese numeral below ten thousand says: 一百二十 is 120, 一千零五 is 1005."""
    total, digit = 0, 0
    for sign in numeral:
        if sign in "十百千":
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return total + digit


def _article(act: str, draft: _Draft, edition: str | None, entry: str | None) -> Article:
    lines = [line for line in draft.lines if line]
    title = ""
    if lines and (found := _TITLE.match(lines[0])):
        title = found["title"]
        lines[0] = lines[0][found.end() :]
    paragraphs: list[Paragraph] = []
    several = sum(_ITEM.match(line) is None and _SUBITEM.match(line) is None for line in lines) > 1
    part, point, subpoint, at = 0, None, None, 0
    for line in lines:
        if item := _ITEM.match(line):
            point, subpoint = str(_value(item["number"])), None
        elif point is not None and (below := _SUBITEM.match(line)):
            subpoint = below["number"]
        else:
            part, point, subpoint = part + 1, None, None
        paragraphs.append(Paragraph(at, at + len(line), str(part) if several else None, point, subpoint))
        at += len(line) + 1
    text = "\n".join(lines)
    return Article(
        act=act,
        number=draft.number,
        title=title,
        path=draft.path,
        text=text,
        paragraphs=tuple(paragraphs),
        edition=edition,
        notes=tuple(Note("editorial", len(text), note) for note in draft.notes),
        valid_from=entry,
        valid_from_basis=None if entry is None else DateBasis.STATED,
    )
