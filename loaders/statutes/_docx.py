"""Reads WordprocessingML (.docx), as legal information systems export it, into lines.

Policy: text that a tracked change deleted is left out and inserted text is taken; footnotes and endnotes become notes;
field codes and hidden text are left out; a table is an editorial box when its first words or its colour say so, else
its rows are text. Numbers that Word counts by itself (``w:numPr``) are computed from numbering.xml.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from loaders.statutes._docx_numbers import Numbering
from loaders.statutes._lines import Line, LineBuilder, LineStyle
from loaders.statutes._numbers import article_heading
from service.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["read_docx"]

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SIGNS = {f"{_M}f": "/", f"{_M}sSup": "^", f"{_M}sSub": "_"}
_OPERANDS = frozenset(f"{_M}{name}" for name in ("num", "den", "e", "sup", "sub"))
_OUTLINE = tuple("012345678")
# What holds paragraphs, tables, rows or cells without being any of them.
_WRAPPERS = frozenset(f"{_W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_BOX = re.compile(r"\s*(?:КонсультантПлюс|ГАРАНТ|Список изменяющих документов|Информация об изменениях)", re.IGNORECASE)
_EDITORIAL_COLOUR = "392C69"
_HEADING_STYLE = re.compile(r"title|heading|заголов", re.IGNORECASE)
_LEFT_OUT = frozenset((f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}delText", f"{_W}rPr", f"{_W}pPr"))
_LARGEST_PART = 400_000_000
_PARSER = etree.XMLParser(
    huge_tree=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
)


def read_docx(path: Path) -> list[Line]:
    """Return the lines of a .docx file.

    Raises:
        SourceError: The file is empty, or not a .docx.
    """
    if path.stat().st_size == 0:
        raise SourceError(f"docx file {path.name!r} is empty; fetch it again")
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "word/document.xml" not in names:
                raise SourceError(
                    f"file {path.name!r} is a ZIP archive without word/document.xml, so no docx; "
                    f"save the text as Word document (.docx)"
                )
            document = _part(archive, "word/document.xml")
            footnotes = _footnotes(archive, names)
            styles = _part(archive, "word/styles.xml") if "word/styles.xml" in names else None
            numbering = _part(archive, "word/numbering.xml") if "word/numbering.xml" in names else None
    except zipfile.BadZipFile as error:
        with path.open("rb") as file:
            head = file.read(8)
        if head.startswith(b"PK"):
            raise SourceError(f"docx file {path.name!r} is cut or damaged ({error}); fetch it again") from None
        raise SourceError(
            f"file {path.name!r} is not a docx: it begins with {head!r}, not with a ZIP header; "
            f"save the text as Word document (.docx), or give the file its true extension"
        ) from None
    except (RuntimeError, NotImplementedError) as error:
        raise SourceError(
            f"docx file {path.name!r} cannot be unpacked ({error}); save it without a password as Word document (.docx)"
        ) from None
    except (etree.XMLSyntaxError, zipfile.LargeZipFile, zlib.error, EOFError) as error:
        raise SourceError(f"docx file {path.name!r} has a damaged part ({error}); fetch it again") from error
    body = document.find(f"{_W}body")
    if body is None:
        raise SourceError(
            f"docx file {path.name!r} has no body that can be read (its root is {document.tag!r}); "
            f"save it as Word document (.docx), not as «Strict Open XML»"
        )
    return _Reader(footnotes, Numbering(numbering, styles), _styles(styles)).read(body)


def _part(archive: zipfile.ZipFile, name: str) -> etree._Element:
    if archive.getinfo(name).file_size > _LARGEST_PART:
        raise SourceError(f"part {name!r} of {archive.filename!r} unpacks to more than {_LARGEST_PART} bytes; split it")
    return etree.fromstring(archive.read(name), _PARSER)


def _footnotes(archive: zipfile.ZipFile, names: set[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for part, tag in (("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote")):
        if part in names:
            for note in _part(archive, part).iter(f"{_W}{tag}"):
                text = " ".join("".join(piece.text or "" for piece in note.iter(f"{_W}t")).split())
                if text:
                    out[f"{tag}{note.get(f'{_W}id')}"] = text
    return out


@dataclass(frozen=True, slots=True)
class _Style:
    """What a named style says of its text."""

    heading: bool
    raised: bool
    lowered: bool
    hidden: bool


def _styles(styles: etree._Element | None) -> dict[str, _Style]:
    """Return the styles by id. In Russian documents the id is a figure and only the name says «heading 1»."""
    out: dict[str, _Style] = {}
    for style in () if styles is None else styles.iter(f"{_W}style"):
        properties = style.find(f"{_W}rPr")
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        align = "" if properties is None else _value(properties, "vertAlign")
        out[style.get(f"{_W}styleId") or ""] = _Style(
            heading=bool(_HEADING_STYLE.search(_value(style, "name")))
            or (outline is not None and outline.get(f"{_W}val") in _OUTLINE),
            raised=align == "superscript",
            lowered=align == "subscript",
            hidden=properties is not None and _is_on(properties, "vanish"),
        )
    return out


_PLAIN = _Style(heading=False, raised=False, lowered=False, hidden=False)


class _Reader:
    def __init__(self, footnotes: dict[str, str], numbering: Numbering, styles: dict[str, _Style]) -> None:
        self._footnotes = footnotes
        self._numbering = numbering
        self._styles = styles
        self._builder = LineBuilder()

    def read(self, body: etree._Element) -> list[Line]:
        for child in body:
            if child.tag == f"{_W}p":
                self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                self._table(child)
            elif child.tag in _WRAPPERS:
                self.read(child)
        return self._builder.lines

    def _paragraph(self, paragraph: etree._Element) -> None:
        builder = self._builder
        builder.style = self._style(paragraph)
        number = self._numbering.of(paragraph)
        if number:
            builder.add(f"{number} ")
        self._runs(paragraph, builder)
        builder.finish()
        for box in _text_boxes(paragraph):
            self.read(box)

    def _table(self, table: etree._Element) -> None:
        builder = self._builder
        text = "".join(piece.text or "" for piece in table.iter(f"{_W}t"))
        if _BOX.match(text) or (text.strip() and _all_editorial(table)):
            builder.style = LineStyle.BOX
            builder.add(" ".join(_words(paragraph) for paragraph in table.iter(f"{_W}p")), marked=True)
            builder.finish(blank=False)
            return
        layout = any(
            self._style(paragraph) is LineStyle.HEADING and article_heading(_words(paragraph).strip())
            for paragraph in table.iter(f"{_W}p")
        )
        for row in _inside(table, "tr"):
            if layout:
                # The table only lays the page out: articles begin in it.
                for cell in _inside(row, "tc"):
                    self.read(cell)
                continue
            builder.style = LineStyle.ROW
            filled = 0
            for cell in _inside(row, "tc"):
                if not any((piece.text or "").strip() for piece in cell.iter(f"{_W}t", f"{_M}t")):
                    continue
                if filled:
                    builder.add(" | ")
                filled += 1
                # Of a table within the cell too, once, in the order of the page.
                for place, paragraph in enumerate(cell.iter(f"{_W}p")):
                    if place:
                        builder.add(" ")
                    self._runs(paragraph, builder)
            builder.finish(blank=False)

    def _style(self, paragraph: etree._Element) -> LineStyle:
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return LineStyle.BODY
        name = _value(properties, "pStyle")
        named = self._styles.get(name)
        if _HEADING_STYLE.search(name) or (named is not None and named.heading):
            return LineStyle.HEADING
        if _value(properties, "outlineLvl") in _OUTLINE:
            return LineStyle.HEADING
        return LineStyle.CENTRED if _value(properties, "jc") == "center" else LineStyle.BODY

    def _runs(self, parent: etree._Element, builder: LineBuilder) -> None:
        for child in parent:
            if child.tag in _LEFT_OUT:
                continue
            if child.tag == f"{_W}r":
                self._run(child, builder)
            elif child.tag == f"{_M}t":
                builder.add(child.text or "")
            elif child.tag in _SIGNS:
                # A fraction or a power of a formula, on one line.
                sign = _SIGNS[child.tag]
                for place, part in enumerate(piece for piece in child if piece.tag in _OPERANDS):
                    builder.add(sign if place else "")
                    letters = "".join(piece.text or "" for piece in part.iter(f"{_M}t")).strip()
                    plain = letters.isalnum()
                    builder.add("" if plain else "(")
                    self._runs(part, builder)
                    builder.add("" if plain else ")")
            elif child.tag != f"{_W}p":
                self._runs(child, builder)

    def _look(self, properties: etree._Element | None) -> tuple[bool, bool, bool, bool]:
        """Return whether a run is hidden, raised, lowered, editorial."""
        if properties is None:
            return False, False, False, False
        named = self._styles.get(_value(properties, "rStyle"), _PLAIN)
        hidden = _is_on(properties, "vanish") or (named.hidden and properties.find(f"{_W}vanish") is None)
        align = _value(properties, "vertAlign")
        position = _value(properties, "position")
        lowered = align == "subscript" or (not align and named.lowered)
        # Raised by half points and not by name looks the same.
        by_points = not lowered and position.isdigit() and int(position) > 0
        raised = align == "superscript" or (not align and named.raised) or by_points
        return hidden, raised, lowered, _value(properties, "color").upper() == _EDITORIAL_COLOUR

    def _run(self, run: etree._Element, builder: LineBuilder) -> None:
        hidden, raised, lowered, marked = self._look(run.find(f"{_W}rPr"))
        if hidden:
            return
        for child in run:
            tag = child.tag.removeprefix(_W)
            if tag == "t":
                text = child.text or ""
                if raised:
                    builder.superscript(text, marked=marked)
                elif lowered:
                    builder.subscript(text, marked=marked)
                else:
                    builder.add(text, marked=marked)
            elif tag in ("tab", "br", "cr"):
                builder.add(" ")
            elif tag == "noBreakHyphen":
                builder.add("-")
            elif tag in ("footnoteReference", "endnoteReference"):
                note = self._footnotes.get(f"{tag.removesuffix('Reference')}{child.get(f'{_W}id')}")
                if note:
                    builder.footnote(note)
            elif tag == "sym":
                builder.image(f"sign {child.get(f'{_W}char')} of the font {child.get(f'{_W}font')}")
            elif tag in ("drawing", "pict", "object") and child.find(f".//{_W}txbxContent") is None:
                builder.image(tag)


def _inside(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    """Yield the rows of a table, or the cells of a row, also out of content controls, but never of a table within."""
    for child in parent:
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, name)


def _text_boxes(paragraph: etree._Element) -> list[etree._Element]:
    """Return the text boxes that hang on a paragraph; what Word writes twice for older programs is taken once."""
    return [
        box
        for box in paragraph.iter(f"{_W}txbxContent")
        if not any(above.tag in (f"{_MC}Fallback", f"{_W}txbxContent") for above in box.iterancestors())
    ]


def _is_on(properties: etree._Element, name: str) -> bool:
    found = properties.find(f"{_W}{name}")
    return found is not None and found.get(f"{_W}val") not in ("0", "false", "off")


def _value(parent: etree._Element, name: str) -> str:
    found = parent.find(f"{_W}{name}")
    return "" if found is None else found.get(f"{_W}val") or ""


def _words(paragraph: etree._Element) -> str:
    return "".join(piece.text or "" for piece in paragraph.iter(f"{_W}t"))


def _all_editorial(table: etree._Element) -> bool:
    for run in table.iter(f"{_W}r"):
        if any((piece.text or "").strip() for piece in run.iter(f"{_W}t")):
            properties = run.find(f"{_W}rPr")
            colour = "" if properties is None else _value(properties, "color").upper()
            if colour not in (_EDITORIAL_COLOUR, "0000FF"):
                return False
    return True
