"""Gives the paragraphs of an article their parts, points and sub-points.

What «1.» is called differs between codes: пункт in the Civil, Tax, Family and Land Codes, часть in most others; then
«1)» is подпункт or пункт. A manifest says it as ``numbered: point`` or ``numbered: part``. Where parts are counted,
they may be unnumbered (the Labour Code): then each paragraph that begins anew is a part, and what follows a colon
belongs to the part above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Numbered", "Unit", "UnitText", "enumerator", "units_of"]

_NUMBER = r"\d{1,3}(?:\.\d+)*(?:-\d+(?:\.\d+)*)*"
_TOP = re.compile(rf"(?P<number>{_NUMBER})\.(?=\s|$|[А-ЯЁA-Z\"«])")
_SECOND = re.compile(rf"(?P<number>{_NUMBER})\)")
_LETTER = re.compile(r"(?P<number>[а-яёіїєґa-z](?:[.-]\d+)*)\)")
_REMARK = re.compile(r"(?:Примечани[ея](?:\s+к\s+стать\w+)?|Примітк[аи])(?:\s*\.|\s*:|\s|$)")


class Numbered(StrEnum):
    """What a paragraph that begins with «1.» is called."""

    PART = "part"
    POINT = "point"


@dataclass(frozen=True, slots=True)
class Unit:
    """Where a paragraph stands in its article; ``remark`` is set in the article's «Примечание»."""

    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    remark: bool = False


@dataclass(frozen=True, slots=True)
class UnitText:
    """What is looked at to find a paragraph's unit.

    Attributes:
        gap: The unit is there but its words are gone (repealed), so it only counts.
        part_gap: The source says in so many words that an unnumbered part stood here («Часть. (Утратила силу …)»).
    """

    text: str
    gap: bool = False
    part_gap: bool = False


def enumerator(text: str) -> str | None:
    """Return the enumerator that ``text`` begins with, such as ``2.1.``, ``3)`` or ``а)``; None where there is none."""
    for pattern in (_TOP, _SECOND, _LETTER):
        if found := pattern.match(text):
            return found[0]
    return None


def units_of(texts: list[UnitText], numbered: Numbered) -> list[Unit]:
    """Return the unit of each paragraph, in order."""
    body = next((place for place, item in enumerate(texts) if _REMARK.match(item.text)), len(texts))
    unnumbered = numbered is Numbered.PART and not any(_TOP.match(item.text) for item in texts[:body])
    out = _unnumbered(texts[:body]) if unnumbered else _numbered(texts[:body], numbered)
    return out + _remarks(texts[body:])


def _numbered(texts: list[UnitText], numbered: Numbered) -> list[Unit]:
    out: list[Unit] = []
    unit = Unit()
    for place, item in enumerate(texts):
        if found := _TOP.match(item.text):
            unit = Unit(part=found["number"]) if numbered is Numbered.PART else Unit(point=found["number"])
        else:
            unit = _below(_left(unit, texts, place, numbered), item.text, numbered)
        out.append(unit)
    return out


def _left(unit: Unit, texts: list[UnitText], place: int, numbered: Numbered) -> Unit:
    """Return the unit that a paragraph without enumerator stands in: the list above it, or what that list ended.

    A list goes on when its next enumerator follows; else a paragraph behind «… .» or «…, -» belongs to what holds
    the list («наказывается …» in the Criminal Code).
    """
    listed = unit.subpoint is not None or (unit.point is not None and unit.part is not None)
    listed = listed or (unit.point is not None and numbered is Numbered.PART)
    if not place or not listed or enumerator(texts[place].text):
        return unit
    before = next((item.text for item in reversed(texts[:place]) if not item.gap), "")
    if not before.endswith((".", "-", "–", "—")):
        return unit
    for item in texts[place + 1 :]:
        if _TOP.match(item.text):
            break
        if _SECOND.match(item.text) or _LETTER.match(item.text):
            return unit
    if unit.subpoint is not None and numbered is Numbered.POINT:
        return replace(unit, subpoint=None)
    return replace(unit, point=None, subpoint=None)


def _below(unit: Unit, text: str, numbered: Numbered) -> Unit:
    if found := _SECOND.match(text):
        if numbered is Numbered.PART or unit.remark:
            return replace(unit, point=found["number"], subpoint=None)
        return replace(unit, subpoint=found["number"])
    if found := _LETTER.match(text):
        if numbered is Numbered.PART and (unit.point is None or unit.point[:1].isalpha()) and not unit.remark:
            return replace(unit, point=found["number"], subpoint=None)
        if unit.subpoint is None or unit.subpoint[:1].isalpha():
            return replace(unit, subpoint=found["number"])
    return unit


def _unnumbered(texts: list[UnitText]) -> list[Unit]:
    """Count unnumbered parts. A sole part is not counted: nobody cites «часть 1» of an article without parts."""
    numbers: list[int] = []
    count, inside = 0, False
    for item in texts:
        text = item.text
        if item.part_gap:
            begins, inside = True, False
        else:
            enumerated = _SECOND.match(text) or _LETTER.match(text)
            begins = not inside and not enumerated and (item.gap or text[:1].isupper() or text[:1] in '"«0123456789')
            begins = begins or not numbers
            if text.endswith(":"):
                inside = True
            elif text.endswith((".", "!", "?")) and not item.gap:
                inside = False
        count += begins
        numbers.append(count)
    out: list[Unit] = []
    unit = Unit()
    for place, (item, number) in enumerate(zip(texts, numbers, strict=True)):
        part = str(number) if count > 1 else None
        unit = Unit(part=part) if part != unit.part else _left(unit, texts, place, Numbered.PART)
        unit = _below(unit, item.text, Numbered.PART)
        out.append(unit)
    return out


def _remarks(texts: list[UnitText]) -> list[Unit]:
    out: list[Unit] = []
    unit = Unit(remark=True)
    for item in texts:
        text = item.text
        head = _REMARK.match(text)
        rest = text[head.end() :].lstrip(" .") if head else text
        if head:
            unit = Unit(remark=True)
        if found := _TOP.match(rest):
            unit = Unit(point=found["number"], remark=True)
        else:
            unit = _below(unit, rest, Numbered.POINT)
        out.append(unit)
    return out
