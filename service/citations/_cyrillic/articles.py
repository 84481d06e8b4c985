"""Article numbers as an act has them: ranges, insertions, superscripts, flattened superscripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.domain import CitationFlag, article_sort_key

if TYPE_CHECKING:
    from service.citations._cyrillic.lexicon import Unit
    from service.citations._cyrillic.numbers import Number
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import RegistryAct

__all__ = ["ArticleNumbers"]

_Read = list[tuple[str, tuple[CitationFlag, ...]]]
_RANGE = (CitationFlag.RANGE_MEMBER,)
_LONGEST_COUNTED_RANGE = 300
_OUT_OF_REACH = 4  # a code at hand in part has as much again, not four times as much
_MOST_RANGE_MEMBERS = 200_000


class ArticleNumbers:
    """Turns numbers as written into articles.

    Args:
        articles: Existing articles; without them numbers are taken as written.
        mark: What joins a superscript to its number in an act that nobody knows.
        flattens: Texts write superscripts flat as a rule, as in Ukraine; elsewhere a number has to be far out of reach.
    """

    __slots__ = ("_articles", "_flattens", "_left", "_mark")

    def __init__(self, articles: ArticleIndex | None, mark: str, *, flattens: bool = False) -> None:
        self._flattens = flattens
        self._articles = articles
        self._mark = mark
        # However many ranges a text has, what comes out stays in proportion to what goes in.
        self._left = _MOST_RANGE_MEMBERS

    def articles(self, number: Number, unit: Unit, act: RegistryAct | None) -> _Read:
        """Return the articles that one member of a list means, each with its flags."""
        first, last, ambiguous = self._ends(number, unit, act)
        if last is None:
            article, unsure = self._existing(first, act)
            flags = (CitationFlag.AMBIGUOUS,) if unsure or ambiguous else ()
            return [(article, flags)]
        return self._range(first, last, act, ambiguous=ambiguous)

    def _ends(self, number: Number, unit: Unit, act: RegistryAct | None) -> tuple[str, str | None, bool]:
        """Return (first, last or None, ambiguous): «128-130» is a range, «286-1» an article."""
        if number.last is not None:
            first = number.value if number.tail is None else f"{number.value}-{number.tail}"
            if self._ascends(first, number.last):
                return first, number.last, False
            joined = f"{first}-{number.last}"
            return (joined, None, False) if self._has(joined, act) else (first, None, False)
        if number.tail is None:
            return number.value, None, False
        literal = f"{number.value}-{number.tail}"
        if not self._is_range(number, act):
            return literal, None, False
        if self._has(literal, act):
            # Both readings exist. A singular word asks for one article, else a range is more usual.
            one = unit.plural is False or not self._has(number.tail, act)
            return (literal, None, True) if one else (number.value, number.tail, True)
        return number.value, number.tail, False

    def _is_range(self, number: Number, act: RegistryAct | None) -> bool:
        first, tail = number.value.replace("^", "."), number.tail or ""
        if not self._ascends(first, tail):
            # «286-1», «172-9-2»
            return False
        if "-" in tail:
            # «280-283-2» is a range up to an inserted article.
            return not self._has(f"{first}-{tail}", act)
        if "." in first and "." not in tail:
            return int(tail) > int(first.split(".")[0]) and self._has(tail, act)
        return True

    @staticmethod
    def _ascends(first: str, last: str) -> bool:
        return article_sort_key(first.replace("^", ".")) < article_sort_key(last.replace("^", "."))

    def _range(self, first: str, last: str, act: RegistryAct | None, *, ambiguous: bool) -> _Read:
        first, unsure_first = self._existing(first, act)
        last, unsure_last = self._existing(last, act)
        flags = (*_RANGE, CitationFlag.AMBIGUOUS) if ambiguous or unsure_first or unsure_last else _RANGE
        members: tuple[str, ...] = ()
        if self._articles is not None and act is not None and act.key is not None:
            members = self._articles.between(act.jurisdiction, act.key, first, last)
            if members:
                # Both ends are cited, even where the act has no such article (any more).
                members = (
                    *((first,) if members[0] != first else ()),
                    *members,
                    *((last,) if members[-1] != last else ()),
                )
        if not members and first.isdigit() and last.isdigit() and int(last) - int(first) <= _LONGEST_COUNTED_RANGE:
            members = tuple(str(value) for value in range(int(first), int(last) + 1))
        if not members:
            members = _counted_insertions(first, last)
        if len(members) > self._left:
            members = (first, last)
        self._left -= len(members)
        return [(member, flags) for member in members]

    def _existing(self, written: str, act: RegistryAct | None) -> tuple[str, bool]:
        """Return the act's own article for a number as written, and whether that is a guess between several."""
        mark = (act.insertion_mark if act else None) or self._mark
        number = written.replace("^", mark)
        if self._articles is None or act is None or not self._articles.knows(act.jurisdiction, act.key):
            return number, False
        if self._has(number, act):
            return number, False
        other = number.replace(".", "-") if mark == "-" else number.replace("-", ".")
        for candidate in (other, written.replace("^", "."), written.replace("^", "-")):
            if self._has(candidate, act):
                return candidate, False
        if not self._flattens and not self._is_out_of_reach(number, act):
            # «ст. 251 НК» is no article 25.1 because only the code's first part is at hand.
            return number, False
        splits = [split for split in _splits(number, mark) if self._has(split, act)]
        if len(splits) == 1:
            return splits[0], False
        return number, len(splits) > 1

    def _is_out_of_reach(self, number: str, act: RegistryAct) -> bool:
        numbers = self._articles.numbers(act.jurisdiction, act.key) if self._articles and act.key else ()
        last = article_sort_key(numbers[-1] if numbers else "0")
        return article_sort_key(f"{int(number) // _OUT_OF_REACH}" if number.isdigit() else number) > last

    def _has(self, number: str, act: RegistryAct | None) -> bool:
        return self._articles is not None and act is not None and self._articles.has(act.jurisdiction, act.key, number)


def _counted_insertions(first: str, last: str) -> tuple[str, ...]:
    """Count «96-3 - 96-5» and «22.1 - 22.3» out; other ranges give their ends."""
    for mark in ("-", "."):
        base, found, low = first.rpartition(mark)
        other, _, high = last.rpartition(mark)
        if found and base == other and low.isdigit() and high.isdigit() and 0 < int(high) - int(low) <= 100:
            return tuple(f"{base}{mark}{value}" for value in range(int(low), int(high) + 1))
    return first, last


def _splits(number: str, mark: str) -> list[str]:
    """Return what a flattened superscript can have been: «1732» → 173-2, 17-32, 1-732, 17-3-2."""
    head, joint, tail = number.partition("-")
    if not head.isdigit() or len(head) < 2 or (tail and not tail.isdigit()):
        return []
    found = []
    for at in range(1, len(head)):
        if head[at] != "0":
            found.append(f"{head[:at]}{mark}{head[at:]}{joint}{tail}")
            found.extend(
                f"{head[:at]}{mark}{head[at:behind]}{mark}{head[behind:]}"
                for behind in range(at + 1, len(head))
                if head[behind] != "0" and not joint
            )
    return found
