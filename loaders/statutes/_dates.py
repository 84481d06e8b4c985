"""Dates as Russian and Ukrainian statutes and their editorial notes write them."""

from __future__ import annotations

import re
from datetime import date

__all__ = ["DATE", "iso_date"]

_MONTHS = ("январ", "феврал", "март", "апрел", "ма", "июн", "июл", "август", "сентябр", "октябр", "ноябр", "декабр")
DATE = (
    r"(?:\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2}(?!\d))|\d{1,2}\s+(?:январ|феврал|март|апрел|ма|июн|июл|август|сентябр|октябр|ноябр|декабр)"
    r"[а-я]{1,2}\s+\d{4}(?:\s+года|\s*г\.)?)"
)
"""A pattern for 05.05.2014 and 5 мая 2014 года, without groups."""

_DIGITS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2}(?!\d))")
_WORDS = re.compile(r"(\d{1,2})\s+([а-я]+)\s+(\d{4})")


def iso_date(text: str) -> str | None:
    """Return the ISO form of a date as ``DATE`` matches it, or None when there is no such day."""
    if found := _DIGITS.search(text):
        day, month, year = (int(part) for part in found.groups())
        # Notes of the last century write 20.03.91; none has been written so since.
        year += 1900 if year < 100 else 0
    elif found := _WORDS.search(text):
        day, year = int(found[1]), int(found[3])
        month = next((number for number, stem in enumerate(_MONTHS, 1) if found[2].startswith(stem)), 0)
        if found[2].startswith("март"):
            month = 3
    else:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
