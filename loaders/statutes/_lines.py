"""The lines that every reader of a source format hands to the one builder of articles.

A line is a paragraph, a row of a table or an editorial box, as plain text, with the stretches that the source itself
marks as editorial. Superscripts are written out here, for all formats alike (see ``LineBuilder.superscript``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Line", "LineBuilder", "LineStyle", "clean_spaces"]

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SUBSCRIPTS = str.maketrans("0123456789-+", "₀₁₂₃₄₅₆₇₈₉₋₊")
_FROM_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_UNICODE_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹⁻]*")
# Typists write a small l, a capital I or a Cyrillic З for a figure that is too small to be read again.
_TYPIST = str.maketrans("lIіІЗOО", "1111300")
_INSERTED = re.compile(r"\d+(?:[-.]\d+)*")
_SPACED_NUMBER = re.compile(
    r"\b(?:[сc]тат|подпункт|пункт|част|глав|раздел|параграф)[а-яё]{0,4}\s+\d+(?:\.\d+)?\s+$", re.IGNORECASE
)
_UNITS_OF_MEASURE = frozenset(("м", "см", "мм", "км", "дм", "m", "cm", "mm", "km"))
_TAIL_WORD = re.compile(r"[^\W\d_]+$")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_BLANKS = re.compile(r"[^\S\n]+")


class LineStyle(StrEnum):
    """How a line is set: what the formats have in common."""

    BODY = "body"
    HEADING = "heading"
    CENTRED = "centred"
    BOX = "box"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a source.

    Attributes:
        text: Without marks, spaces single, superscripts written out; empty for a blank line.
        marked: Stretches (start, end) of ``text`` that the source sets apart as editorial.
        images: What the source shows as pictures in the line, by name, with the offset in ``text``.
        footnotes: Footnotes called in the line: (offset, text).
    """

    text: str
    style: LineStyle = LineStyle.BODY
    marked: tuple[tuple[int, int], ...] = ()
    images: tuple[tuple[int, str], ...] = ()
    footnotes: tuple[tuple[int, str], ...] = ()


def clean_spaces(text: str) -> str:
    """Return ``text`` without invisible characters, every run of blanks a single space, no blanks at its ends."""
    return _BLANKS.sub(" ", text.translate(_INVISIBLE)).strip()


@dataclass(slots=True)
class LineBuilder:
    """Builds lines from runs of text, in the order of the source."""

    style: LineStyle = LineStyle.BODY
    lines: list[Line] = field(default_factory=list)
    _text: str = ""
    _marked: list[tuple[int, int]] = field(default_factory=list)
    _images: list[tuple[int, str]] = field(default_factory=list)
    _footnotes: list[tuple[int, str]] = field(default_factory=list)
    _after_superscript: bool = False

    def add(self, text: str, *, marked: bool = False) -> None:
        """Append a run of plain text."""
        text = _UNICODE_SUPERSCRIPT.sub(_dotted, text.translate(_INVISIBLE))
        text = _BLANKS.sub(" ", text.replace("\n", " ").replace("\r", " "))
        if not text:
            return
        if text[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
            rest = text.lstrip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
            self.superscript(text[: len(text) - len(rest)].translate(_FROM_SUPERSCRIPTS), marked=marked)
            text = rest
        self._put(text, marked)
        self._after_superscript = False

    def superscript(self, text: str, *, marked: bool = False) -> None:
        """Append a raised run.

        Inserted units are numbered by a raised figure: Статья 8¹, пункта 2¹, первой¹, глава I¹, "а¹". They are cited
        with a dot, and so they are written here: 8.1, 2.1, первой.1, I.1, а.1 (25¹⁴⁻¹ becomes 25.14-1), in headings
        and in the text alike. Nothing is lost by it: statutes of this kind number inserted units only so, and where
        the figure is no such number it stays raised: behind a unit of measure (м²), as a negative exponent (10⁻⁶).
        Anything that is not a figure (a footnote's asterisk) is kept as it is.
        """
        core = text.translate(_INVISIBLE).strip()
        if not core:
            self._put(" " if text else "", marked)
            return
        if _SPACED_NUMBER.search(self._text) and _INSERTED.fullmatch(core):
            # «Статья 8 ¹», «пункта 5 ¹»: a raised figure behind a unit and its number belongs to that number.
            self._text = self._text.rstrip()
            self._marked = [(a, min(b, len(self._text))) for a, b in self._marked]
        if text[:1].isspace() and not self._text[-1:].isdigit():
            self._put(" ", marked)
        self._put(self._raised(core), marked)
        self._after_superscript = True
        if text[-1:].isspace():
            self._put(" ", marked)

    @property
    def ends_in_digit(self) -> bool:
        """Whether a figure is the last thing in the line so far."""
        return self._text[-1:].isdigit()

    def subscript(self, text: str, *, marked: bool = False) -> None:
        """Append a lowered run: figures become Unicode subscripts, letters stay plain."""
        core = text.translate(_INVISIBLE)
        self._put(core.translate(_SUBSCRIPTS) if core.strip().isdigit() else core, marked)

    def image(self, name: str) -> None:
        """Note that a picture stands here."""
        self._images.append((len(self._text), name))

    def footnote(self, text: str) -> None:
        """Note that a footnote is called here."""
        self._footnotes.append((len(self._text), text))

    def split(self) -> None:
        """End the line here and begin another one of the same style."""
        self.finish(blank=False)

    def finish(self, *, blank: bool = True) -> None:
        """End the line; a blank one is kept when ``blank``, since it tells headings from what follows."""
        start = len(self._text) - len(self._text.lstrip())
        text = self._text.strip()
        if text or self._images or self._footnotes or blank:
            clip = [(max(0, a - start), min(len(text), b - start)) for a, b in self._marked]
            self.lines.append(
                Line(
                    text=text,
                    style=self.style,
                    marked=tuple((a, b) for a, b in clip if a < b),
                    images=tuple((min(len(text), max(0, at - start)), name) for at, name in self._images),
                    footnotes=tuple((min(len(text), max(0, at - start)), note) for at, note in self._footnotes),
                )
            )
        self._text, self._marked, self._images, self._footnotes = "", [], [], []
        self._after_superscript = False

    def _raised(self, core: str) -> str:
        typed = core.translate(_TYPIST) if any(sign.isdigit() for sign in core) or len(core) == 1 else core
        if self._after_superscript and re.fullmatch(r"[-.]?\d+(?:-\d+)?", typed):
            return typed
        if not _INSERTED.fullmatch(typed):
            return core.translate(_SUPERSCRIPTS) if re.fullmatch(r"-\d+", core) else core
        if self._text[-1:].isdigit():
            return f".{typed}"
        word = _TAIL_WORD.search(self._text)
        if word is None:
            return typed
        return core.translate(_SUPERSCRIPTS) if word[0] in _UNITS_OF_MEASURE else f".{typed}"

    def _put(self, text: str, marked: bool) -> None:
        if text[:1] == " " and (not self._text or self._text[-1] == " "):
            text = text[1:]
        if not text:
            return
        start = len(self._text)
        self._text += text
        if marked:
            if self._marked and self._marked[-1][1] == start:
                start = self._marked.pop()[0]
            self._marked.append((start, len(self._text)))


def _dotted(found: re.Match[str]) -> str:
    return "." + found[0].translate(_FROM_SUPERSCRIPTS)
