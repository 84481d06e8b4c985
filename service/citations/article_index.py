"""Which articles an act has, in the act's own order."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import orjson

from service.citations.registry import load_registry
from service.domain import Jurisdiction, article_sort_key
from service.errors import InputError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["ArticleIndex", "read_article_index"]

_LONGEST_RANGE = 20_000


class _Act:
    """One act's articles: its order, the place of each, and the sort keys where they ascend."""

    __slots__ = ("keys", "numbers", "places")

    def __init__(self, numbers: Iterable[str]) -> None:
        self.numbers = tuple(numbers)
        self.places: dict[str, int] = {}
        for place, number in enumerate(self.numbers):
            self.places.setdefault(number, place)
        keys = [article_sort_key(number) for number in self.numbers]
        self.keys = keys if all(a <= b for a, b in pairwise(keys)) else None

    def between(self, first: str, last: str) -> tuple[str, ...]:
        start = self._place(first, 0)
        end = self._place(last, 1)
        return () if start is None or end is None else self.numbers[start:end]

    def _place(self, number: str, behind: int) -> int | None:
        place = self.places.get(number)
        if place is not None:
            return place + behind
        if self.keys is None:
            return None
        return bisect_left(self.keys, article_sort_key(number))


class ArticleIndex:
    """The ordered article numbers of acts, immutable.

    Args:
        articles: (jurisdiction, act's key) → article numbers in the act's own order.
    """

    __slots__ = ("_acts",)

    def __init__(self, articles: Mapping[tuple[Jurisdiction, str], Iterable[str]]) -> None:
        self._acts = MappingProxyType({act: _Act(numbers) for act, numbers in articles.items()})

    def acts(self) -> tuple[tuple[Jurisdiction, str], ...]:
        """Return the acts that the index knows."""
        return tuple(self._acts)

    def knows(self, jurisdiction: Jurisdiction | None, act: str | None) -> bool:
        """Tell whether the articles of an act are known at all."""
        return (jurisdiction, act) in self._acts

    def numbers(self, jurisdiction: Jurisdiction, act: str) -> tuple[str, ...]:
        """Return an act's article numbers in its own order; empty where the act is not known."""
        found = self._acts.get((jurisdiction, act))
        return found.numbers if found else ()

    def has(self, jurisdiction: Jurisdiction | None, act: str | None, number: str) -> bool:
        """Tell whether an act has an article; False also where the act is not known."""
        found = self._acts.get((jurisdiction, act))  # type: ignore[arg-type]
        return found is not None and number in found.places

    def between(self, jurisdiction: Jurisdiction | None, act: str | None, first: str, last: str) -> tuple[str, ...]:
        """Return every article from ``first`` to ``last`` in the act's own order, inserted ones included.

        An end that the act does not have (repealed and taken out) bounds the range all the same.
        Empty where the act is not known or the ends stand in the wrong order.
        """
        found = self._acts.get((jurisdiction, act))  # type: ignore[arg-type]
        return found.between(first, last)[:_LONGEST_RANGE] if found else ()


def read_article_index(path: Path) -> ArticleIndex:
    """Read ``{jurisdiction: {act: [article, …]}}``; an act may also be an object with a list ``articles``.

    An alias of a registry (``КонстУ``) becomes the act's key.

    Raises:
        SourceError: The file is not such JSON; the message says where.
        InputError: A jurisdiction has no registry.
    """
    try:
        content = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise SourceError(f"article index {path.name!r} cannot be read as JSON: {error}; correct the file") from error
    if not isinstance(content, dict):
        raise SourceError(f"article index {path.name!r} is no object of jurisdictions; write {{ru: {{ГК: [1, 2]}}}}")
    articles: dict[tuple[Jurisdiction, str], list[str]] = {}
    for jurisdiction, acts in content.items():
        if not isinstance(acts, dict):
            raise SourceError(f"article index {path.name!r}: {jurisdiction!r} is no object of acts; name acts by key")
        registry = load_registry(jurisdiction)
        for act, value in acts.items():
            numbers = value.get("articles") if isinstance(value, dict) else value
            if not isinstance(numbers, list) or not all(isinstance(number, str | int) for number in numbers):
                where = f"article index {path.name!r}: act {act!r} of {jurisdiction!r}"
                raise SourceError(f"{where} has no list of article numbers; write a list of strings")
            try:
                key = registry.act(act).key or act
            except InputError:
                key = act
            articles[registry.jurisdiction, key] = [str(number) for number in numbers]
    return ArticleIndex(articles)
