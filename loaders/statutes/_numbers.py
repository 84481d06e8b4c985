"""Article numbers and headings as sources write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ArticleHeading", "article_heading", "ends_of_range", "named_articles", "stands_alone", "structural_level"]

_NUMBER = r"\d+(?:[.\-‑]\d+)*"
# Old typists spaced the word, and wrote a Latin C.
_ARTICLE = re.compile(rf"[СC]\s?(?:т\s?а\s?т\s?ь\s?я|ТАТЬЯ)\s*(?P<number>{_NUMBER})(?![\w])\s*(?P<rest>.*)", re.DOTALL)
_PLURAL = re.compile(r"\(?\s*(?:Стать[ия]|СТАТЬ[ИЯ])\s*(?=\d)")
_ENTRY = re.compile(rf"\s*(?P<first>{_NUMBER})(?:\s*[-–—]\s*(?P<last>{_NUMBER}))?\s*")
_JOINED = re.compile(r"(\d+(?:\.\d+)*)-(\d+(?:\.\d+)*)")
_ORDINAL = (
    r"(?:(?:двадцать|тридцать|сорок)\s+)?(?:(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят)\w+"
    r"|(?:один|две|три|четыр|пят|шест|сем|восем|девят)ь?надцат\w+|(?:двадцат|тридцат|сороков)(?!ь)\w+)"
)
_ROMAN_OR_DIGITS = r"(?:[IVXLC]+|\d+)(?:[.\-]\d+)*"
_LEVELS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?:часть|книга)\s+(?:{_ORDINAL}|{_ROMAN_OR_DIGITS})|(?:общая|особенная|специальная)\s+часть)(?:[.\s(]|$)",
        rf"раздел\s+(?:{_ORDINAL}|{_ROMAN_OR_DIGITS})(?:[.\s(]|$)",
        rf"подраздел\s+(?:{_ORDINAL}|{_ROMAN_OR_DIGITS})(?:[.\s(]|$)",
        rf"глава\s+(?:{_ORDINAL}|{_ROMAN_OR_DIGITS})(?:[.\s(]|$)",
        rf"(?:§|параграф)\s*{_ROMAN_OR_DIGITS}(?:[.\s(]|$)",
        rf"(?:подпараграф\s+)?{_ROMAN_OR_DIGITS}\.\s",
    )
)
_BARE = re.compile(rf"(?:\w+\s+)?(?:§\s*)?(?:{_ORDINAL}|{_ROMAN_OR_DIGITS}|часть)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArticleHeading:
    """The heading of one article: its number and whatever stands behind it."""

    number: str
    rest: str


def article_heading(text: str) -> ArticleHeading | None:
    """Return the number and the title of an article's heading, or None when ``text`` is none."""
    found = _ARTICLE.match(text)
    if found is None:
        return None
    rest = found["rest"].removeprefix(".").strip()
    if re.match(r"[-–—]\s*\d", rest):
        return None
    return ArticleHeading(found["number"].replace("‑", "-"), rest)


def stands_alone(text: str) -> bool:
    """Whether a line that no style sets as a heading can be an article's: «Статья 5 применяется …» is a sentence."""
    found = _ARTICLE.match(text)
    if found is None:
        return False
    rest = found["rest"]
    return not rest or rest.startswith((".", "(")) or (rest[0].isupper() and not rest.endswith((".", ";", ":", ",")))


def structural_level(text: str) -> int | None:
    """Return how deep a heading above articles stands (0 a part of the act, 5 a sub-paragraph), or None for others."""
    return next((level for level, pattern in enumerate(_LEVELS) if pattern.match(text)), None)


def is_bare(text: str) -> bool:
    """Whether a structural heading has a number and no name, so that its name is to be found in the next line."""
    return _BARE.fullmatch(text.strip()) is not None


def named_articles(text: str) -> list[str]:
    """Return the numbers of articles that a heading names without being the heading of one.

    «Статьи 31–33. Утратили силу», «§ 3. (Статьи 107 - 112)», «5. (Статья 95)». Between the ends of a range only numbers
    that differ from the ends in their last figure can be known.
    """
    found = _PLURAL.search(text)
    if found is None:
        return []
    out: list[str] = []
    at = found.end()
    while entry := _ENTRY.match(text, at):
        first, last = entry["first"].replace("‑", "-"), (entry["last"] or "").replace("‑", "-")
        if not last and (joined := _JOINED.fullmatch(first)) and _follows(joined[1], joined[2]):
            first, last = joined[1], joined[2]
        out.extend(ends_of_range(first, last) if last else [first])
        at = entry.end()
        if text[at : at + 1] not in (",", ";") and not text.startswith("и ", at):
            break
        at += 1
    return list(dict.fromkeys(out))


def _follows(first: str, last: str) -> bool:
    """Whether «34-34.3» is a range; «25.13-1» is one number."""
    return [int(part) for part in first.split(".")] < [int(part) for part in last.split(".")]


def ends_of_range(first: str, last: str) -> list[str]:
    """Return the numbers from ``first`` to ``last`` when they differ in the last figure alone, else the two ends.

    «34–34.3» is such a range too: what is inserted behind 34 begins with 34.1.
    """
    if last.startswith(f"{first}.") and last[len(first) + 1 :].isdigit():
        return [first, *ends_of_range(f"{first}.1", last)] if last != f"{first}.1" else [first, last]
    head, start = _split_last(first)
    tail, end = _split_last(last)
    if head != tail or start >= end or end - start > 500:
        return [first, last]
    return [f"{head}{number}" for number in range(start, end + 1)]


def _split_last(number: str) -> tuple[str, int]:
    found = re.search(r"\d+$", number)
    if found is None:
        return number, 0
    return number[: found.start()], int(found[0])
