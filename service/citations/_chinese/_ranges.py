"""Ranges counted out: 第十七条至第十九条 cites what lies between, in the act's own order where that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.citations._chinese._units import Group
    from service.citations.article_index import ArticleIndex
    from service.domain import Jurisdiction

__all__ = ["Path", "Ranges"]

Path = tuple[str | None, str | None, str | None, str | None]
"""Article, part, point, subpoint; None where the text leaves a level out."""

_LONGEST_RANGE = 1500  # the Civil Code has 1260 articles
_MEMBERS = 20_000  # of all ranges of a text together, and one more a character: a hostile text must not fill the memory


class Ranges:
    """Counts the ranges of one text out, as long as they stay within bounds."""

    __slots__ = ("_articles", "_jurisdiction", "_left")

    def __init__(self, jurisdiction: Jurisdiction, articles: ArticleIndex | None, characters: int) -> None:
        self._jurisdiction = jurisdiction
        self._articles = articles
        self._left = _MEMBERS + characters

    def counted_out(self, group: Group, act: str | None) -> list[tuple[Path, bool, bool]]:
        """Return (path, member of a range, doubtful) of every cited unit, ranges counted out."""
        paths: list[tuple[Path, bool, bool]] = []
        for leaf in group.leaves:
            ranged = leaf.opens_range or leaf.range_from is not None
            doubtful = False
            if leaf.range_from is not None:
                target = leaf.path[leaf.range_level] or ""
                between = self._between(leaf.range_from, target, leaf.range_level, act)
                self._left -= len(between or ())
                if self._left < 0:
                    between = None
                doubtful = between is None
                for number in between or ():
                    levels = [*leaf.path[: leaf.range_level], number, *[None] * (3 - leaf.range_level)]
                    paths.append(((levels[0], levels[1], levels[2], levels[3]), True, False))
            paths.append((leaf.path, ranged, doubtful))
        return paths

    def _between(self, first: str, last: str, level: int, act: str | None) -> tuple[str, ...] | None:
        """Return what lies inside a range without its ends; None where the ends are in no order or too far apart."""
        if level == 0 and act is not None and self._articles is not None:
            known = self._articles.between(self._jurisdiction, act, first, last)
            if known:
                return tuple(number for number in known if number not in (first, last))
        stem, _, inserted = first.partition("-")
        last_stem, _, last_inserted = last.partition("-")
        if stem == last_stem and last_inserted:
            low, high = int(inserted or 0), int(last_inserted)
            return tuple(f"{stem}-{number}" for number in range(low + 1, high)) if low < high else None
        low, high = int(stem), int(last_stem)
        if low >= high or high - low > _LONGEST_RANGE:
            return None
        inside = tuple(str(number) for number in range(low + 1, high))
        return (*inside, last_stem) if last_inserted else inside
