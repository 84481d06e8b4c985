"""Reads WordprocessingML (.docx), as legal information systems export it, into lines.

Policy: text that a tracked change deleted is left out and inserted text is taken; footnotes and endnotes become notes;
field codes and hidden text are left out; a table is an editorial box when its first words or its colour say so, else
its rows are text. Numbers that Word counts by itself (``w:numPr``) are computed from numbering.xml.
"""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

from lxml import etree

from loaders.statutes._docx_numbers import Numbering
from loaders.statutes._lines import Line, LineBuilder, LineStyle
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_docx"]

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
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
    except zipfile.BadZipFile:
        head = path.read_bytes()[:8]
        raise SourceError(
            f"file {path.name!r} is not a docx: it begins with {head!r}, not with a ZIP header; "
            f"save the text as Word document (.docx), or give the file its true extension"
        ) from None
    except (etree.XMLSyntaxError, zipfile.LargeZipFile) as error:
        raise SourceError(f"docx file {path.name!r} has a damaged part ({error}); fetch it again") from error
    body = document.find(f"{_W}body")
    if body is None:
        raise SourceError(f"docx file {path.name!r} has no body; fetch it again")
    return _Reader(footnotes, Numbering(numbering, styles)).read(body)


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


class _Reader:
    def __init__(self, footnotes: dict[str, str], numbering: Numbering) -> None:
        self._footnotes = footnotes
        self._numbering = numbering
        self._builder = LineBuilder()

    def read(self, body: etree._Element) -> list[Line]:
        for child in body:
            if child.tag == f"{_W}p":
                self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                self._table(child)
            elif child.tag == f"{_W}sdt":
                content = child.find(f"{_W}sdtContent")
                if content is not None:
                    self.read(content)
        return self._builder.lines

    def _paragraph(self, paragraph: etree._Element) -> None:
        builder = self._builder
        builder.style = _style(paragraph)
        number = self._numbering.of(paragraph)
        if number:
            builder.add(f"{number} ")
        self._runs(paragraph, builder)
        builder.finish()

    def _table(self, table: etree._Element) -> None:
        builder = self._builder
        text = "".join(piece.text or "" for piece in table.iter(f"{_W}t"))
        if _BOX.match(text) or (text.strip() and _all_editorial(table)):
            builder.style = LineStyle.BOX
            builder.add(" ".join(_words(paragraph) for paragraph in table.iter(f"{_W}p")), marked=True)
            builder.finish(blank=False)
            return
        builder.style = LineStyle.ROW
        for row in table.iter(f"{_W}tr"):
            filled = 0
            for cell in row.findall(f"{_W}tc"):
                if not any((piece.text or "").strip() for piece in cell.iter(f"{_W}t")):
                    continue
                if filled:
                    builder.add(" | ")
                filled += 1
                for place, paragraph in enumerate(cell.iter(f"{_W}p")):
                    if place:
                        builder.add(" ")
                    self._runs(paragraph, builder)
            builder.finish(blank=False)

    def _runs(self, parent: etree._Element, builder: LineBuilder) -> None:
        for child in parent:
            if child.tag in _LEFT_OUT:
                continue
            if child.tag == f"{_W}r":
                self._run(child, builder)
            elif child.tag != f"{_W}p":
                self._runs(child, builder)

    def _run(self, run: etree._Element, builder: LineBuilder) -> None:
        raised = lowered = marked = False
        properties = run.find(f"{_W}rPr")
        if properties is not None:
            if properties.find(f"{_W}vanish") is not None:
                return
            align = _value(properties, "vertAlign")
            raised, lowered = align == "superscript", align == "subscript"
            marked = _value(properties, "color").upper() == _EDITORIAL_COLOUR
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
            elif tag in ("drawing", "pict", "object"):
                builder.image(tag)


def _style(paragraph: etree._Element) -> LineStyle:
    properties = paragraph.find(f"{_W}pPr")
    if properties is None:
        return LineStyle.BODY
    if _HEADING_STYLE.search(_value(properties, "pStyle")) or _value(properties, "outlineLvl") in tuple("012345678"):
        return LineStyle.HEADING
    return LineStyle.CENTRED if _value(properties, "jc") == "center" else LineStyle.BODY


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
