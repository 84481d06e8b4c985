"""Computes the numbers that Word counts by itself, since the text of the paragraphs does not hold them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

__all__ = ["Numbering"]

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LETTERS = "абвгдежзиклмнопрстуфхцчшщэюя"
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_ROMAN = (
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    pattern: str


class Numbering:
    """Counts along the paragraphs of one document, which must be asked in order."""

    def __init__(self, numbering: etree._Element | None, styles: etree._Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._styles: dict[str, tuple[str, int]] = {}
        if numbering is not None:
            self._levels = _levels(numbering)
        for style in () if styles is None else styles.iter(f"{_W}style"):
            found = style.find(f"{_W}pPr/{_W}numPr")
            if found is not None:
                self._styles[style.get(f"{_W}styleId") or ""] = _reference(found)

    def of(self, paragraph: etree._Element) -> str:
        """Return the paragraph's automatic number, such as ``1.2.``, or an empty string."""
        found = paragraph.find(f"{_W}pPr/{_W}numPr")
        if found is not None:
            key, level = _reference(found)
        else:
            style = paragraph.find(f"{_W}pPr/{_W}pStyle")
            key, level = self._styles.get("" if style is None else style.get(f"{_W}val") or "", ("", 0))
        levels = self._levels.get(key)
        if not levels or level not in levels:
            return ""
        counts = self._counts[key]
        counts[level] = counts.get(level, levels[level].start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]

        def figure(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            part = levels.get(place)
            return "" if part is None else _figure(counts.get(place, part.start), part.form)

        return re.sub(r"%(\d)", figure, levels[level].pattern)


def _levels(numbering: etree._Element) -> dict[str, dict[int, _Level]]:
    abstract = {}
    for entry in numbering.iter(f"{_W}abstractNum"):
        levels = {}
        for level in entry.iter(f"{_W}lvl"):
            levels[int(level.get(f"{_W}ilvl") or 0)] = _Level(
                int(_value(level, "start") or 1), _value(level, "numFmt") or "decimal", _value(level, "lvlText")
            )
        abstract[entry.get(f"{_W}abstractNumId")] = levels
    out = {}
    for entry in numbering.iter(f"{_W}num"):
        levels = abstract.get(_value(entry, "abstractNumId"), {})
        out[entry.get(f"{_W}numId") or ""] = {
            place: level for place, level in levels.items() if level.form not in ("bullet", "none")
        }
    return out


def _reference(found: etree._Element) -> tuple[str, int]:
    return _value(found, "numId"), int(_value(found, "ilvl") or 0)


def _value(parent: etree._Element, name: str) -> str:
    found = parent.find(f"{_W}{name}")
    return "" if found is None else found.get(f"{_W}val") or ""


def _figure(count: int, form: str) -> str:
    if form in ("russianLower", "russianUpper"):
        letter = _LETTERS[(count - 1) % len(_LETTERS)]
        return letter.upper() if form == "russianUpper" else letter
    if form in ("lowerLetter", "upperLetter"):
        letter = _LATIN[(count - 1) % len(_LATIN)]
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        out = ""
        for value, sign in _ROMAN:
            while count >= value:
                out, count = out + sign, count - value
        return out.lower() if form == "lowerRoman" else out
    return str(count)
