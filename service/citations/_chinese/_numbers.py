"""Numbers as Chinese law writes them, 1 to 9999, both ways."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["CIRCLED", "HAN", "number_of", "written"]

HAN = "零〇一二三四五六七八九十百千两"
"""Every character of a number in Chinese numerals."""
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"

_DIGITS = {"零": 0, "〇": 0, "两": 2} | {char: value for value, char in enumerate("一二三四五六七八九", start=1)}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_WRITTEN_UNITS = ("", "十", "百", "千")
_LARGEST = 9999


@lru_cache(maxsize=16384)
def number_of(written_number: str) -> int | None:
    """Return the value of ``一千零六十二``, ``一〇六二``, ``1062`` or ``③``; None unless it is from 1 to 9999."""
    if written_number.isdecimal() and written_number.isascii():
        value = int(written_number)
    elif written_number in CIRCLED and len(written_number) == 1:
        value = CIRCLED.index(written_number) + 1
    elif any(char in _UNITS for char in written_number):
        value = _with_units(written_number)
    else:
        value = _by_place(written_number)
    return value if 1 <= value <= _LARGEST else None


def _by_place(digits: str) -> int:
    value = 0
    for char in digits:
        if char not in _DIGITS:
            return 0
        value = value * 10 + _DIGITS[char]
    return value


def _with_units(number: str) -> int:
    total = digit = 0
    below = 10_000  # units must descend: 十百 is no number
    open_digit = False
    for char in number:
        if char in _DIGITS:
            if open_digit and digit:
                return 0
            digit, open_digit = _DIGITS[char], True
            continue
        unit = _UNITS.get(char)
        if unit is None or unit >= below or (open_digit and digit == 0 and unit != 10):
            return 0
        total += (digit if open_digit and digit else 1) * unit
        digit, open_digit, below = 0, False, unit
    return total + digit


def written(value: int) -> str:
    """Return 1062 as ``一千零六十二``.

    Raises:
        ValueError: The value is not from 1 to 9999.
    """
    if not 1 <= value <= _LARGEST:
        raise ValueError(f"number {value!r} is not from 1 to {_LARGEST}; Chinese articles have no other")
    words: list[str] = []
    gap = False
    for place, digit in zip(range(3, -1, -1), f"{value:04d}", strict=True):
        if digit == "0":
            gap = bool(words)
            continue
        if gap:
            words.append("零")
            gap = False
        words.append("零一二三四五六七八九"[int(digit)] + _WRITTEN_UNITS[place])
    text = "".join(words)
    return text.removeprefix("一") if text.startswith("一十") else text
