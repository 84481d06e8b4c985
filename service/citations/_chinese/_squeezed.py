"""A text without the white space that page and typist put into it, and the way back.

``第 12 条`` and a name broken over two lines are one citation. Which characters began a line is still asked of the
text as given, since an article's heading is told by its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right

__all__ = ["Squeezed"]

_GAP = re.compile(r"[\s*]+")  # an asterisk is the bold of a model's Markdown
_FOLDED = (
    *((chr(0xFF10 + digit), str(digit)) for digit in range(10)),
    *(("（", "("), ("﹙", "("), ("）", ")"), ("﹚", ")"), ("○", "〇"), ("◯", "〇"), ("條", "条"), ("項", "项")),
    *(("，", ","), ("；", ";"), ("：", ":")),
)


def _folded(text: str) -> str:
    for char, plain in _FOLDED:
        text = text.replace(char, plain)  # several times as fast as translate, which looks every character up
    return text


class Squeezed:
    """The folded text without gaps.

    Attributes:
        text: What the grammar reads; every fold keeps its length.
        given: The text as given.
    """

    __slots__ = ("_at", "_removed", "given", "text")

    def __init__(self, given: str) -> None:
        self.given = given
        folded = _folded(given)
        self._at: list[int] = []
        self._removed: list[int] = []
        parts: list[str] = []
        last = length = removed = 0
        for gap in _GAP.finditer(folded):
            start, end = gap.span()
            if start > last:
                parts.append(folded[last:start])
                length += start - last
            removed += end - start
            self._at.append(length)
            self._removed.append(removed)
            last = end
        if last == 0:
            self.text = folded
        else:
            parts.append(folded[last:])
            self.text = "".join(parts)

    def place(self, at: int) -> int:
        """Return where the character ``at`` of the squeezed text stands in the given one."""
        gap = bisect_right(self._at, at) - 1
        return at if gap < 0 else at + self._removed[gap]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the given text's offsets of ``text[start:end]``, gaps at its ends left out."""
        return self.place(start), self.place(end - 1) + 1

    def begins_line(self, at: int) -> bool:
        """Tell whether only white space or a mark of Markdown stands before ``at`` in its line."""
        place = self.place(at)
        line = self.given.rfind("\n", max(0, place - 12), place) + 1
        if line == 0 and place > 12:
            return False
        return not self.given[line:place].strip(" \t\r#*>-")

    def gap_before(self, at: int) -> bool:
        """Tell whether white space, or the end of the text, stands before ``at``."""
        if at >= len(self.text):
            return True
        place = self.place(at)
        return place > 0 and self.given[place - 1].isspace()
