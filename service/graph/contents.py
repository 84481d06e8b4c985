"""Which acts and articles a version of a corpus holds, and which norm a name means in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from service.citations import ArticleIndex, Coverage
from service.domain import Jurisdiction, Language, NormId, norm_ref
from service.graph.catalog import CorpusVersion
from service.graph.queries import query
from service.graph.store import GraphStore, Row

__all__ = ["Contents", "read_contents"]

_FOREVER = "9999-12-31"


@dataclass(frozen=True)
class Contents:
    """Which acts and article numbers one version holds; small enough to keep, immutable like the version itself.

    Attributes:
        acts: The acts' properties in the corpus's order.
        numbers: Article numbers in the act's own order, by (act's key, edition or "").
    """

    version: CorpusVersion
    acts: tuple[Row, ...]
    numbers: dict[tuple[str, str], tuple[str, ...]]

    @cached_property
    def editions(self) -> dict[str, tuple[Row, ...]]:
        """Each act's editions, the newest first."""
        by_key: dict[str, list[Row]] = {}
        for act in self.acts:
            by_key.setdefault(act["key"], []).append(act)
        return {
            key: tuple(sorted(acts, key=lambda act: str(act.get("edition", "")), reverse=True))
            for key, acts in by_key.items()
        }

    @cached_property
    def known(self) -> frozenset[str]:
        """The refs of all articles."""
        return frozenset(
            norm_ref(act, edition or None, number)
            for (act, edition), numbers in self.numbers.items()
            for number in numbers
        )

    @cached_property
    def languages(self) -> dict[str, Language]:
        """Each act's language."""
        return {act["key"]: Language(act["language"]) for act in self.acts}

    @cached_property
    def branches(self) -> dict[str, str]:
        """Each act's branch of law, where one is stated."""
        return {act["key"]: act["branch"] for act in self.acts if act.get("branch")}

    @cached_property
    def act_titles(self) -> dict[str, str]:
        """Each act's title; of several editions the last one's."""
        return {act["key"]: act["title"] for act in self.acts}

    @cached_property
    def coverage(self) -> Coverage:
        """What this version has loaded, for telling invented articles from those outside it; editions are joined."""
        articles: dict[tuple[Jurisdiction, str], tuple[str, ...]] = {}
        stated: dict[tuple[Jurisdiction, str], tuple[str, ...]] = {}
        gone: dict[tuple[Jurisdiction, str], frozenset[str]] = {}
        for act in self.acts:
            key = (Jurisdiction(act["jurisdiction"]), act["key"])
            numbers = self.numbers.get((act["key"], act.get("edition", "")), ())
            articles[key] = tuple(dict.fromkeys((*articles.get(key, ()), *numbers)))
            stated[key] = (*stated.get(key, ()), *act.get("coverage", ("unknown",)))
            gone[key] = gone.get(key, frozenset()) | frozenset(act.get("gone", ()))
        return Coverage(ArticleIndex(articles), stated, gone)

    def editions_at(self, key: str, as_of: str | None) -> tuple[Row, ...]:
        """Return the editions that an act's key means: all, the newest first, or of several those in force at a date.

        At a date before all of them it is the oldest.
        """
        editions = self.editions.get(key, ())
        if as_of and len(editions) > 1:
            return tuple(one for one in editions if _in_force(one, as_of)) or editions[-1:]
        return editions

    def key_of(self, act: str, edition: str | None) -> str:
        """Return an act's key with ``@edition`` where one is named and this version has the act by editions."""
        has_editions = any(one.get("edition") for one in self.editions.get(act, ()))
        return f"{act}@{edition}" if edition and has_editions else act

    def ref(self, act: str, number: str, *, as_of: str | None = None) -> NormId | None:
        """Return the ref that an act's key and a number mean, or None when this version has no such article.

        Args:
            act: The act's key, with ``@edition`` when a certain one is meant.
            number: The article's number.
            as_of: ISO date: without an edition, the one in force then; without a date, the newest.
        """
        key, mark, edition = act.partition("@")
        if mark:
            ref = norm_ref(key, edition, number)
            return ref if ref in self.known else None
        for one in self.editions_at(key, as_of):
            ref = norm_ref(key, one.get("edition"), number)
            if ref in self.known:
                return ref
        return None


def _in_force(act: Row, as_of: str) -> bool:
    return str(act.get("valid_from") or "") <= as_of < str(act.get("valid_to") or _FOREVER)


async def read_contents(store: GraphStore, version: CorpusVersion) -> Contents:
    """Read which acts and articles a version holds."""
    acts = await store.read(query("catalog/acts"), corpus_uid=version.uid)
    rows = await store.read(query("catalog/numbers"), corpus_uid=version.uid)
    numbers = {(row["act"], row["edition"]): tuple(row["numbers"]) for row in rows}
    return Contents(version, tuple(row["act"] for row in acts), numbers)
