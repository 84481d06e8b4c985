"""Tells editorial notes from the words of the law, and reads amendments from them.

Two hands write such notes: the official portal, mostly inside spans that are marked so, «(В редакции Федерального
закона от … № …)», «(Дополнение частью - …)», «(Пункт утратил силу - …)», and legal information systems, as plain text,
«(в ред. Федерального закона от … N …)», «(часть 9 введена …)». Marks are not always where the note begins and ends, so
a note is: what is marked, and any parenthesis that opens with a note's words and names a law.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from loaders.statutes._dates import DATE, iso_date
from loaders.statutes._lines import Line

__all__ = ["Action", "Change", "Unit", "changes_in", "entry_date", "is_editorial", "joined_notes", "note_stretches"]

_UNIT_WORDS = (
    r"(?:стать[яиюей]+|част[ьией]+|пункт\w*|подпункт\w*|абзац\w*|предложени\w*|примечани\w*|наименовани\w*|глав\w+|"
    r"параграф\w*|подпараграф\w*|раздел\w*|подраздел\w*|сноск\w*|таблиц\w*|слов\w*|приложени\w*|преамбул\w*|"
    r"п\.|ч\.|пп\.|подп\.|абз\.|ст\.)"
)
_ACTIONS = r"(?:в\s+ред|введ|дополн|утрат|тратил|исключ|изложен|действ|отмен|приостановл|признан)"
_OPENS = re.compile(
    rf"\(\s*(?:{_ACTIONS}|{_UNIT_WORDS}\s*(?:[\w.\-–—, \"«»]{{0,60}}?\s)?{_ACTIONS}|с\s+уч[её]том)", re.IGNORECASE
)
_LAW = re.compile(
    rf"(?:от\s+)?(?P<date>{DATE})\s*(?:года\s*)?(?:№|N)\s*(?P<number>[0-9]+(?:\s*-\s*[А-Яа-яA-Za-z]+)?(?:/[0-9]+)?)"
    rf"|№\s*(?P<uk_number>[0-9]+(?:-[0-9A-ZА-ЯІХ]+)?(?:/[0-9]+-[А-Я]+)?)\s+від\s+(?P<uk_date>{DATE})",
    re.IGNORECASE,
)
# The law itself writes «(в редакции Федерального закона от 5 мая 2014 года № 99-ФЗ)» with the month in words.
_DATED_IN_DIGITS = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}\s*(?:года\s*)?(?:№|N)\s*\d")
_ACTION = re.compile(
    r"(?P<amended>редакц[иі]|\bред\.|изложен|змінен)|(?P<added>дополн|доповнен|введ[её]н)|"
    r"(?P<repealed>тратил|втрати|исключ|виключ|отмен[её]н|скасован)|"
    r"(?P<other>с\s+уч[её]том|приостановл|признан|визнан|неможливо|КонсультантПлюс)",
    re.IGNORECASE,
)
_EDITORIAL = re.compile(r"КонсультантПлюс|с\s+уч[её]том|ГАРАНТ|примечание\s+изготовителя", re.IGNORECASE)
_COURT = re.compile(r"^\d+-?П(?:/\d+)?$")
_ENTRY = re.compile(
    rf"(?:^|[.;(]\s*)(?:настоящая\s+стать\w+|стать[яи]|ст\.)\s*(?P<number>\d[\d.\-]*)?\s*(?:вступ\w+|введен\w+|вводится)\s+в\s+"
    rf"(?:силу|действие)\s+с\s+(?P<date>{DATE})",
    re.IGNORECASE,
)
_NAMED_UNIT = re.compile(
    r"(?P<article>стат(?:ь|т[яюі])|\bст\.)|(?P<part>част[ьией]|частин|\bч\.)|(?P<subpoint>п[оі]дпункт|\bпп\.|\bподп\.)|(?P<point>пункт|\bп\.)|"
    r"(?P<title>наименован|назв)|(?P<remark>примечан|приміт)|(?P<paragraph>абзац|\bабз\.)|"
    r"(?P<above>глав|параграф|раздел)",
    re.IGNORECASE,
)
_LONGEST_NOTE = 4000
_PARENTHESIS = re.compile(r"[()]")
_GAP = re.compile(r"[\s().,;*]*")


class Action(StrEnum):
    """What a note says was done."""

    AMENDED = "amended"
    ADDED = "added"
    REPEALED = "repealed"


class Unit(StrEnum):
    """What a note says it was done to, where it says so."""

    ARTICLE = "article"
    PART = "part"
    POINT = "point"
    SUBPOINT = "subpoint"
    PARAGRAPH = "paragraph"
    TITLE = "title"
    REMARK = "remark"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a note tells of.

    Attributes:
        unit: The unit that the note names; None when it names none and so means the one it stands at.
        law: The changing law's number, such as ``171-ФЗ``.
        date: Its signing date, ISO.
        source: The law as the note has it, such as ``Федеральный закон от 05.05.2014 № 99-ФЗ``.
    """

    action: Action
    unit: Unit | None
    law: str
    date: str
    source: str


def note_stretches(line: Line) -> list[tuple[int, int]]:
    """Return the stretches of a line that are notes, in order, apart from each other."""
    found = list(line.marked)
    text = line.text
    end = 0
    for start, close in _parentheses(text):
        if start < end or close - start > _LONGEST_NOTE:
            continue
        if _OPENS.match(text, start) and _DATED_IN_DIGITS.search(text, start, close):
            found.append((start, close))
            end = close
    found.sort()
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and (start <= merged[-1][1] or _GAP.fullmatch(text, merged[-1][1], start)):
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _parentheses(text: str) -> list[tuple[int, int]]:
    """Return the balanced parentheses of a text as (start, end), by their start, in one pass."""
    out: list[tuple[int, int]] = []
    open_at: list[int] = []
    for found in _PARENTHESIS.finditer(text):
        if found[0] == "(":
            open_at.append(found.start())
        elif open_at:
            out.append((open_at.pop(), found.end()))
    return sorted(out)


def _closing(text: str) -> int | None:
    """Return the offset behind the parenthesis that closes the one at the beginning of ``text``."""
    depth = 0
    for found in _PARENTHESIS.finditer(text):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.end()
    return None


def joined_notes(lines: list[Line]) -> list[Line]:
    """Join a note that was set in several lines (long lists of amending laws are) into one."""
    out: list[Line] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.text.startswith("(") and _OPENS.match(line.text) and _closing(line.text) is None:
            text, ahead = line.text, place + 1
            while ahead < len(lines) and ahead - place <= 40 and lines[ahead].text and _closing(text) is None:
                text = f"{text} {lines[ahead].text}"
                ahead += 1
            if _closing(text) == len(text):
                out.append(Line(text, line.style, ((0, len(text)),)))
                place = ahead
                continue
        out.append(line)
        place += 1
    return out


def is_editorial(text: str) -> bool:
    """Whether a note tells of something else than a change that was made."""
    return _EDITORIAL.search(text) is not None or not changes_in(text)


def changes_in(text: str) -> list[Change]:
    """Return the changes that a note tells of, in its own order.

    Decisions of courts (№ 24-П) and notes of publishers change nothing and are left out.
    """
    if _EDITORIAL.search(text):
        return []
    out: list[Change] = []
    action: Action | None = None
    unit: Unit | None = None
    at = 0
    for law in _LAW.finditer(text):
        for word in _ACTION.finditer(text, at, law.start()):
            kind = word.lastgroup
            unit = _unit_of(text[_clause_start(text, word.start()) : law.start()]) or unit
            action = None if kind == "other" else Action(kind or "")
        at = law.end()
        number = re.sub(r"\s", "", law["number"] or law["uk_number"])
        signed = iso_date(law["date"] or law["uk_date"])
        if action is None or signed is None or _COURT.match(number):
            continue
        named = f"{_kind_of_law(number)}от {_digits(signed)} № {number}"
        if law["uk_number"]:
            named = f"Закон № {number} від {_digits(signed)}"
        out.append(Change(action, unit, number, signed, named))
    return out


def entry_date(text: str, number: str) -> str | None:
    """Return the ISO date at which a note says that the whole article enters into force; None where it says none."""
    for found in _ENTRY.finditer(text):
        named = (found["number"] or "").rstrip(".")
        if not named or named == number:
            return iso_date(found["date"])
    return None


def _clause_start(text: str, at: int) -> int:
    return text.rfind("(", 0, at) + 1


def _unit_of(clause: str) -> Unit | None:
    found = _NAMED_UNIT.search(clause)
    return Unit(found.lastgroup) if found and found.lastgroup else None


def _kind_of_law(number: str) -> str:
    suffix = number.rpartition("-")[2].upper()
    if suffix == "ФЗ":
        return "Федеральный закон "
    return "Федеральный конституционный закон " if suffix == "ФКЗ" else ""


def _digits(iso: str) -> str:
    year, month, day = iso.split("-")
    return f"{day}.{month}.{year}"
