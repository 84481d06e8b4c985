"""One normalisation of text for the index, the queries, the reader of citations and the scorer."""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from service.domain import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Normalised", "normalise"]

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\ufeff"
_NOTHING = "\u00ad\u200b\u200c\u200d\u2060\u200e\u200f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = "\u2019\u02bc\u2018\u201b\u0060\u00b4\u2032\u02b9\uff07"

_COMMON = {**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_NOTHING, "")}
_CYRILLIC = {**_COMMON, **dict.fromkeys(_DASHES, "-"), **dict.fromkeys(_APOSTROPHES, "'")}
_FULL_WIDTH = {chr(0xFEE0 + code): chr(code) for code in (*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))}
_CHINESE = {**_COMMON, **_FULL_WIDTH}
_YO = {"ё": "е", "Ё": "Е"}
# A combining mark belongs to the character before it, so both must be composed as one piece. A run of marks is
# bounded: a hostile one must not become a piece that grows with the text.
_PIECE = re.compile("[\\s\\S][\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u20d0-\u20ff]{1,8}")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text that knows where each character came from.

    Attributes:
        text: The normalised text.
        original: The text as given.
        starts: For each character of ``text`` the offset in ``original`` at which its source begins, and one more
            for the end; None when nothing changed.
        ends: For each character of ``text`` the offset behind its source; None when nothing changed.
    """

    text: str
    original: str
    starts: array[int] | None = None
    ends: array[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the original text of ``text[start:end]``."""
        if self.starts is None or self.ends is None:
            return start, end
        if start >= end:
            return self.starts[start], self.starts[start]
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=16)
def _plan(language: Language, fold_yo: bool) -> tuple[dict[str, str], re.Pattern[str], dict[str, str]]:
    table = dict(_CHINESE if language is Language.ZH else _CYRILLIC)
    if fold_yo:
        table.update(_YO)
    characters = re.compile("[" + re.escape("".join(table)) + "]")
    one_to_one = {key: value for key, value in table.items() if value}
    return table, characters, one_to_one


def normalise(text: str, language: Language, *, fold_yo: bool = False, close_gaps: bool = False) -> Normalised:
    """Return the text in NFC with one kind of space, dash and apostrophe, and without soft hyphens.

    Chinese keeps its dashes and quotation marks, which mean something there; its full-width digits and Latin letters
    become plain ones.

    Args:
        text: Any text.
        language: Decides which characters are folded.
        fold_yo: Write ё as е, as an index wants it; a reader of citations need not.
        close_gaps: Take out white space between two ideographs, as an index wants it; a reader of citations tells
            headings by it.
    """
    table, characters, one_to_one = _plan(language, fold_yo)
    if close_gaps and _GAP.search(text) is not None:
        return _mapped(text, table, one_to_one, _GAP_OR_NOTHING)
    composed = text.isascii() or unicodedata.is_normalized("NFC", text)
    if composed and characters.search(text) is None:
        return Normalised(text, text)
    if composed and not any(mark in text for mark in _NOTHING):
        # Every change keeps the length, so offsets stay as they are.
        return Normalised(_replaced(text, one_to_one), text)
    return _mapped(text, table, one_to_one)


def _replaced(text: str, one_to_one: dict[str, str]) -> str:
    changed = text
    for char, plain in one_to_one.items():
        changed = changed.replace(char, plain)  # several times as fast as translate, which looks every character up
    return changed


def _mapped(
    text: str, table: dict[str, str], one_to_one: dict[str, str], dropped: re.Pattern[str] | None = None
) -> Normalised:
    written: list[str] = []
    starts: array[int] = array("q")
    ends: array[int] = array("q")
    for start, end, piece in _pieces(text, dropped or _NOT_PLAIN):
        # A long piece is a stretch from which the characters that go were taken out before.
        changed = _replaced(piece, one_to_one) if len(piece) > 64 else "".join(table.get(char, char) for char in piece)
        written.append(changed)
        if len(changed) == end - start:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(changed))
            ends.extend([end] * len(changed))
    starts.append(len(text))
    ends.append(len(text))
    return Normalised("".join(written), text, starts, ends)


def _pieces(text: str, dropped: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, composed) over the whole text: stretches that stay, and characters that change."""
    at = 0
    for match in _PIECE.finditer(text):
        yield from _plain(text, at, match.start(), dropped)
        yield match.start(), match.end(), unicodedata.normalize("NFC", match.group())
        at = match.end()
    yield from _plain(text, at, len(text), dropped)


_NOT_PLAIN = re.compile("[" + _NOTHING + "]")
_IDEOGRAPH = "[\u3007\u3400-\u9fff]"
_GAP = re.compile(rf"(?<={_IDEOGRAPH})\s+(?={_IDEOGRAPH})")
_GAP_OR_NOTHING = re.compile(f"{_NOT_PLAIN.pattern}|{_GAP.pattern}")


def _plain(text: str, start: int, end: int, dropped: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    at = start
    for match in dropped.finditer(text, start, end):
        if match.start() > at:
            yield from _composed(text, at, match.start())
        yield match.start(), match.end(), ""
        at = match.end()
    if at < end:
        yield from _composed(text, at, end)


def _composed(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    stretch = text[start:end]
    if unicodedata.is_normalized("NFC", stretch):
        yield start, end, stretch
        return
    for at, char in enumerate(stretch, start):
        yield at, at + 1, unicodedata.normalize("NFC", char)
