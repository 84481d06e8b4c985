"""Where a query's words stand in an article: the same words and lemmas as the index and the query have."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from service.text.lemmas import lemmas_of, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.domain import Language

__all__ = ["Highlight", "highlights"]

_FRAGMENTS = 3
_WIDTH = 220
_LEAD = 40
_MARKS = 40


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of an article in which words of the query stand.

    Attributes:
        field: Whether the stretch is of the title or of the text.
        start: Offset of the stretch in that field.
        end: Offset behind it.
        text: The stretch itself.
        marks: (start, end) of each word found, as offsets in the field.
    """

    field: Literal["title", "text"]
    start: int
    end: int
    text: str
    marks: tuple[tuple[int, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the highlight as answers show it."""
        return {
            "field": self.field,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "marks": [list(mark) for mark in self.marks],
        }


def highlights(title: str, text: str, lemmas: frozenset[str], language: Language) -> tuple[Highlight, ...]:
    """Return the title where it has words of the query, then the stretches of the text with the most different ones.

    At most three stretches; they do not overlap and stand in text order.
    """
    found: list[Highlight] = []
    in_title = _places(title, lemmas, language)
    if in_title:
        found.append(Highlight("title", 0, len(title), title, tuple((start, end) for start, end, _ in in_title)))
    places = _places(text, lemmas, language)
    taken: list[tuple[int, int]] = []
    for start, end, _ in _windows(places):
        left, right = _widened(text, start, end)
        if all(right <= other_left or left >= other_right for other_left, other_right in taken):
            taken.append((left, right))
            if len(taken) == _FRAGMENTS:
                break
    starts = [start for start, _, _ in places]
    for left, right in sorted(taken):
        inside = places[bisect_left(starts, left) : bisect_left(starts, right)]
        marks = tuple((start, end) for start, end, _ in inside)
        found.append(Highlight("text", left, right, text[left:right], marks))
    return tuple(found)


def _places(text: str, lemmas: frozenset[str], language: Language) -> list[tuple[int, int, str]]:
    places = []
    for word in words(text, language):
        hit = next((lemma for lemma in lemmas_of(word.form, language) if lemma in lemmas), None)
        if hit is not None:
            places.append((word.start, word.end, hit))
    return places


def _windows(places: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, int]]:
    """Return (start, end, different lemmas) of the stretch that begins at each place, the best first."""
    windows = []
    for at, (start, first_end, _) in enumerate(places):
        end, seen = first_end, set()
        for _, place_end, lemma in places[at : at + _MARKS]:
            if place_end - start > _WIDTH:
                break
            end = place_end
            seen.add(lemma)
        windows.append((start, end, len(seen)))
    return sorted(windows, key=lambda window: (-window[2], window[0]))


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a stretch a little to the left and to its full width to the right, by whole words and within its lines."""
    line = text.rfind("\n", 0, start) + 1
    left = max(line, start - _LEAD)
    if left > line:
        space = text.find(" ", left, start)
        left = space + 1 if space >= 0 else start
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    right = max(end, min(line_end, start + _WIDTH))
    if end < right < line_end:
        space = text.rfind(" ", end, right)
        right = max(end, space)
    return left, right
