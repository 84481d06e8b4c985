"""Acts that stand over a list: «**ГК РФ**», «Применяется ТК РФ:» and then «- статья 81; - п. 2 ст. 77» without a name.

A heading is no part of what stands before it: the last item of one list is not of the code that heads the next one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.citations._cyrillic.acts import ActRef, Mention

__all__ = ["Headings"]

_MARKS = re.compile(r"[\s>|#*_+-]{0,24}(?:(?:\d{1,3}|[IVXІХ]{1,5}|[а-яіїєґ])[.)])?[\s#*_«\"]{0,8}\Z")
_NOTHING_MORE = re.compile(r"[»\"]?(?:\s?\([^()\n]{1,60}\))?[\s*_.»\"|]{0,8}:?[\s*_]{0,8}\Z")
_DECORATED = re.compile(r"[#*_>:]|[-+]\s|(?:\d|[IVXІХ]|[а-яіїєґ])[.)]")
_NOMINATIVE = re.compile(r"(?:кодекс|закон|конституц(?:ия|ія))(?![^\W_])", re.IGNORECASE)
_UNIT = r"(?:ст|ч|п|пп|подп|підп|абз)\b|стат[ьтеій]|част[ьиін]|пункт|подпункт|підпункт|абзац"
_ITEM = re.compile(
    rf"[\s>|+*_-]{{0,24}}(?:(?:\d{{1,3}}|[а-яіїєґ])[.)]\s{{0,4}})?[*_«\"]{{0,4}}(?:{_UNIT})", re.IGNORECASE
)
_GOES_ON = re.compile(r"\s{2}|\s{0,24}(?:[-+|]\s|\*(?!\*)|\d{1,3}[.)]\s|[а-яіїєґ]\)\s|$)")
_LONGEST_LINE = 200


class Headings:
    """The heading that stands over the place which a reading has come to.

    Args:
        text: Normalised text.
    """

    __slots__ = ("_act", "_end", "_is_introduced", "_is_item", "_last_end", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._act: ActRef | None = None
        self._end = -1
        self._is_item = False
        self._is_introduced = False
        self._last_end = 0

    def is_heading(self, mention: Mention) -> bool:
        """Tell whether an act stands alone on its line, as a title does and the wrapped end of a sentence does not."""
        line = self._line_around(mention)
        if line is None:
            return False
        before, behind, end = line
        if _MARKS.match(before) is None or _NOTHING_MORE.match(behind) is None:
            return False
        name = self._text[mention.start : mention.end]
        return bool(
            _DECORATED.search(before + behind)
            or _NOMINATIVE.search(name)
            or _ITEM.match(self._text, self._behind_blank_lines(end))
        )

    def _introduces(self, mention: Mention) -> bool:
        """Tell whether an act stands in a line that ends with a colon and opens a list: «Применяется ТК РФ:»."""
        line = self._line_around(mention)
        if line is None or not line[1].rstrip(" *_").endswith(":") or any(char.isdigit() for char in line[1]):
            return False
        return _ITEM.match(self._text, self._behind_blank_lines(line[2])) is not None

    def meet(self, mention: Mention, act: ActRef, *, is_heading: bool, is_free: bool) -> None:
        """Let a list below be of this act, if it heads or introduces one; of two acts in a line neither does.

        Args:
            mention: The act's mention.
            act: What it means.
            is_heading: It stands alone on its line.
            is_free: It is of no citation.
        """
        second = self._is_introduced and mention.start < self._end
        if second:
            self._act = None
        start = self._text.rfind("\n", max(0, mention.start - _LONGEST_LINE), mention.start)
        alone = not second and self._last_end <= start + 1
        self._last_end = mention.end
        if is_heading or (is_free and alone and self._introduces(mention)):
            self._take(mention, act, is_introduced=not is_heading)

    def _take(self, mention: Mention, act: ActRef, *, is_introduced: bool) -> None:
        self._act, self._is_item, self._is_introduced = act, False, is_introduced
        self._end = self._end_of_line(mention.end)

    def act_over(self, at: int) -> ActRef | None:
        """Return the act over the list item in which ``at`` lies; None where the list is over.

        Calls come in text order, so that each line is looked at once.
        """
        while self._act is not None and self._end < at:
            start, self._end = self._end + 1, self._end_of_line(self._end + 1)
            self._is_item = _ITEM.match(self._text, start, self._end) is not None
            if not self._is_item and _GOES_ON.match(self._text, start, self._end) is None:
                self._act = None
        # A remark below an item cites what it likes.
        return self._act if self._is_item else None

    def _end_of_line(self, at: int) -> int:
        end = self._text.find("\n", at)
        return end if end >= 0 else len(self._text)

    def _line_around(self, mention: Mention) -> tuple[str, str, int] | None:
        """Return what stands before and behind a mention on its line, and where the line ends; None for a long one."""
        text = self._text
        low, high = max(0, mention.start - _LONGEST_LINE), mention.end + _LONGEST_LINE
        start = text.rfind("\n", low, mention.start) + 1
        end = text.find("\n", mention.end, high)
        if (start == 0 and low > 0) or (end < 0 and high < len(text)):
            return None
        end = end if end >= 0 else len(text)
        return text[start : mention.start], text[mention.end : end], end

    def _behind_blank_lines(self, at: int) -> int:
        for _ in range(3):
            end = self._text.find("\n", at + 1, at + _LONGEST_LINE)
            if end < 0 or self._text[at:end].strip():
                break
            at = end
        return at + 1
