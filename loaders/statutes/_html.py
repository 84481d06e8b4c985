"""Reads the official portal's HTML into lines.

Classes of the portal's style sheet that matter: paragraphs H (heading), T (centred bold), C (centred), others body;
spans mark and markx (editorial), W9 and WB (raised), W8 and WA (lowered), W4 (bold); tables with any class; boxes
``div.comment``. The same things written as plain HTML (``sup``, ``sub``, ``b``, ``vertical-align``) are read too.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from lxml import etree, html

from loaders.statutes._lines import Line, LineBuilder, LineStyle
from loaders.statutes._numbers import article_heading
from service.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["read_html"]

_HEADING = frozenset(("H", "T"))
_CENTRED = frozenset(("C", "S"))
_RAISED = frozenset(("W9", "WB"))
_LOWERED = frozenset(("W8", "WA"))
_BOXES = frozenset(("comment", "fixedcomment", "ihintv", "ihint0", "ihint1"))
_FOOTNOTE = re.compile(r"\s*(?:<\*+>|\*+)\s*\S")
_MARKS = frozenset(("mark", "markx"))
_LINE_TAGS = frozenset(
    ("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "pre", "dt", "dd", "caption", "summary", "figcaption", "legend")
)
_HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SILENT_TAGS = frozenset(("script", "style", "head", "title", "meta", "link", "noscript", "input", "label", "hr"))
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{3,30})", re.IGNORECASE)
_ENDS = re.compile(r"</\s*(?:body|html)\s*>", re.IGNORECASE)
_RAISED_STYLE = re.compile(
    r"vertical-align\s*:\s*(?:super|top|text-top|[1-9])|mso-text-raise\s*:\s*[1-9]"
    r"|position\s*:\s*relative\s*;\s*(?:top\s*:\s*-|bottom\s*:\s*[1-9])",
    re.IGNORECASE,
)
_SMALL = frozenset(("small", "font"))
# Cyrillic encodings in which a file may really be, the likeliest first.
_CYRILLIC = ("utf-8", "windows-1251", "koi8-r", "cp866", "iso8859-5", "mac_cyrillic")
_WORDS = ("Статья", "СТАТЬЯ", "Глава", "Российск", "закон")
_LOWERED_STYLE = re.compile(r"vertical-align\s*:\s*(sub|bottom|text-bottom)", re.IGNORECASE)


def read_html(path: Path, *, encoding: str | None = None) -> list[Line]:
    """Return the lines of a file of the portal.

    Args:
        path: The file.
        encoding: What the manifest says of its encoding; None takes the byte order mark, else what the file declares,
            else UTF-8.

    Raises:
        SourceError: The file is empty, cut, in another encoding than it says, or no HTML.
    """
    data = path.read_bytes()
    if not data.strip():
        raise SourceError(f"HTML file {path.name!r} is empty; fetch it again")
    text = _decoded(path, data, encoding)
    if not _ENDS.search(text[-4096:]):
        raise SourceError(
            f"HTML file {path.name!r} ({len(data)} bytes) is cut: it has no closing </body>, its end is "
            f"{text[-40:].strip()!r}; fetch it again"
        )
    try:
        root = html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"HTML file {path.name!r} cannot be parsed ({error}); fetch it again") from error
    body = root.find("body")
    if body is None or not len(body):
        raise SourceError(f"HTML file {path.name!r} has no body with content; fetch it again")
    builder = LineBuilder()
    try:
        _blocks(body, builder)
    except RecursionError:
        raise SourceError(f"HTML file {path.name!r} is nested too deeply to be a statute; fetch it again") from None
    return builder.lines


def _decoded(path: Path, data: bytes, stated: str | None) -> str:
    if data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        declared = _CHARSET.search(data[:4096])
        encoding = stated or (declared[1].decode("ascii") if declared else "utf-8")
        if not stated and encoding.lower() not in ("utf-8", "utf8") and _is_utf8(data):
            # Saved by a browser, which kept the declaration: text in no other encoding is valid UTF-8 by chance.
            encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except LookupError:
        raise SourceError(
            f"HTML file {path.name!r} names the encoding {encoding!r}, which nobody knows; "
            f"state another one as 'encoding' in the manifest"
        ) from None
    except UnicodeDecodeError as error:
        raise SourceError(
            f"HTML file {path.name!r} says that it is {encoding!r}, but byte {data[error.start]:#04x} at {error.start} "
            f"is not; {_looks_like(data, encoding)}"
        ) from None
    # One byte a letter decodes in every such encoding, into letters that make no word.
    if not any(word in text for word in _WORDS) and (likely := _likely(data, encoding)) is not None:
        raise SourceError(
            f"HTML file {path.name!r} was read as {encoding!r} and has no word such as «Статья»; "
            f"{_looks_like(data, encoding, likely)}"
        )
    return text


def _likely(data: bytes, but: str) -> str | None:
    """Return the Cyrillic encoding in which the file has words of a statute, or None."""
    for encoding in _CYRILLIC:
        if encoding != but.lower() and any(word.encode(encoding) in data for word in _WORDS):
            return encoding
    return None


def _looks_like(data: bytes, read_as: str, likely: str | None = None) -> str:
    likely = likely or _likely(data, read_as)
    if likely is None:
        return "it looks like another encoding: convert it, or state its 'encoding' in the manifest"
    return f"it looks like {likely}: convert it, or state 'encoding: {likely}' for it in the manifest"


def _is_utf8(data: bytes) -> bool:
    try:
        return len(data.decode("utf-8")) < len(data)
    except UnicodeDecodeError:
        return False


def _blocks(parent: html.HtmlElement, builder: LineBuilder) -> None:
    """Walk containers; whatever stands between blocks becomes a line too, so that no text is lost."""
    loose: list[html.HtmlElement | str] = [parent.text or ""]

    def flush() -> None:
        if any(not isinstance(part, str) or part.strip() for part in loose):
            builder.style = LineStyle.BODY
            for part in loose:
                if isinstance(part, str):
                    builder.add(part)
                else:
                    _inline(part, builder, marked=False)
            builder.finish(blank=False)
        loose.clear()

    for child in parent:
        tag = child.tag
        if isinstance(tag, str) and tag not in _SILENT_TAGS:
            if tag in _LINE_TAGS:
                flush()
                _line(child, builder)
            elif tag == "table":
                flush()
                _table(child, builder)
            elif child.tag == "div" and _is_styled_line(child):
                flush()
                _line(child, builder)
            elif _is_container(child):
                flush()
                if _classes(child) & _BOXES:
                    _box(child, builder)
                else:
                    _blocks(child, builder)
            else:
                loose.append(child)
        loose.append(child.tail or "")
    flush()


def _is_container(element: html.HtmlElement) -> bool:
    if element.tag in (
        "div",
        "section",
        "article",
        "center",
        "blockquote",
        "ul",
        "ol",
        "dl",
        "form",
        "main",
        "body",
        "details",
        "figure",
        "fieldset",
    ):
        return True
    return element.find(".//p") is not None or element.find(".//table") is not None


def _is_styled_line(element: html.HtmlElement) -> bool:
    """Whether a ``div`` is what the portal elsewhere writes as a paragraph of a class."""
    return bool(_classes(element) & (_HEADING | _CENTRED)) and not any(
        isinstance(child.tag, str) and (child.tag in _LINE_TAGS or child.tag in ("div", "table"))
        for child in element.iterdescendants()
    )


def _line(element: html.HtmlElement, builder: LineBuilder) -> None:
    classes = _classes(element)
    if "N" in classes and _FOOTNOTE.match(element.text_content()):
        builder.style = LineStyle.BODY
        _inline(element, builder, marked=True, tail=False)
        builder.finish()
        return
    bold = _leads_bold(element)
    builder.style = (
        LineStyle.HEADING
        if classes & _HEADING or bold or element.tag in _HEADING_TAGS
        else LineStyle.CENTRED
        if classes & _CENTRED or element.get("align") == "center"
        else LineStyle.BODY
    )
    nested = element.find(".//table")
    if nested is not None:
        _blocks(element, builder)
        return
    _inline(element, builder, marked=False, tail=False)
    builder.finish()


def _leads_bold(element: html.HtmlElement) -> bool:
    """Whether all of the line's plain text is bold, as in headings of older documents."""
    if (element.text or "").strip():
        return False
    bold = [child for child in element if isinstance(child.tag, str) and _is_bold(child)]
    plain = "".join(child.tail or "" for child in element) + "".join(
        "".join(child.itertext()) for child in element if isinstance(child.tag, str) and child not in bold
    )
    return bool(bold) and not plain.strip()


def _is_bold(element: html.HtmlElement) -> bool:
    return element.tag in ("b", "strong") or "W4" in _classes(element)


def _box(element: html.HtmlElement, builder: LineBuilder) -> None:
    builder.style = LineStyle.BOX
    builder.add(" ".join(" ".join(element.itertext()).split()), marked=True)
    builder.finish(blank=False)


def _table(table: html.HtmlElement, builder: LineBuilder) -> None:
    # Tables that only lay a page out hold headings of articles.
    layout = _holds_articles(table)
    for row in _rows(table):
        if row.tag == "caption":
            builder.style = LineStyle.ROW
            _inline(row, builder, marked=False)
            builder.finish(blank=False)
            continue
        if layout:
            for cell in row:
                if cell.tag in ("td", "th"):
                    _blocks(cell, builder)
            continue
        cells = []
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            inner = LineBuilder()
            _cell(cell, inner)
            cells.append(inner.lines)
        filled = [part for part in cells if any(line.text or line.images for line in part)]
        builder.style = LineStyle.ROW
        for place, part in enumerate(filled):
            if place:
                builder.add(" | ")
            for count, line in enumerate(line for line in part if line.text or line.images):
                if count:
                    builder.add(" ")
                add_line(builder, line)
        builder.finish(blank=False)


def _holds_articles(table: html.HtmlElement) -> bool:
    return any(
        (_classes(element) & _HEADING or element.tag in _HEADING_TAGS)
        and article_heading(" ".join(element.text_content().split())) is not None
        for element in table.iter("p", "div", *_HEADING_TAGS)
    )


def add_line(builder: LineBuilder, line: Line) -> None:
    """Append a finished line to the one being built, marks and all."""
    at = 0
    for start, end in line.marked:
        builder.add(line.text[at:start])
        builder.add(line.text[start:end], marked=True)
        at = end
    builder.add(line.text[at:])
    for _, name in line.images:
        builder.image(name)


def _rows(table: html.HtmlElement) -> Iterator[html.HtmlElement]:
    for child in table:
        if child.tag in ("tr", "caption"):
            if "holder" not in _classes(child):
                yield child
        elif child.tag in ("tbody", "thead", "tfoot"):
            yield from _rows(child)


def _cell(cell: html.HtmlElement, builder: LineBuilder) -> None:
    if any(
        isinstance(child.tag, str) and (child.tag in _LINE_TAGS or child.tag == "table" or _is_container(child))
        for child in cell
    ):
        _blocks(cell, builder)
    else:
        _inline(cell, builder, marked=False, tail=False)
        builder.finish(blank=False)


def _inline(element: html.HtmlElement, builder: LineBuilder, *, marked: bool, tail: bool = False) -> None:
    if isinstance(element.tag, str) and element.tag not in _SILENT_TAGS:
        classes = _classes(element)
        style = element.get("style") or ""
        marked_here = marked or bool(classes & _MARKS)
        if element.tag == "br":
            if builder.style is LineStyle.BODY:
                builder.split()
            else:
                builder.add(" ")
        elif element.tag == "img":
            builder.image(element.get("alt") or element.get("src") or "?")
        elif element.tag == "sup" or classes & _RAISED or _RAISED_STYLE.search(style):
            builder.superscript("".join(element.itertext()), marked=marked_here)
        elif element.tag in _SMALL and element.text_content().strip().isdigit() and builder.ends_in_digit:
            # Set small and no more, yet «8» and a small «4» are never article 84.
            builder.superscript(element.text_content(), marked=marked_here)
        elif element.tag == "sub" or classes & _LOWERED or _LOWERED_STYLE.search(style):
            builder.subscript("".join(element.itertext()), marked=marked_here)
        else:
            builder.add(element.text or "", marked=marked_here)
            for child in element:
                _inline(child, builder, marked=marked_here, tail=True)
    if tail:
        builder.add(element.tail or "", marked=marked)


def _classes(element: html.HtmlElement) -> set[str]:
    return set((element.get("class") or "").split())
