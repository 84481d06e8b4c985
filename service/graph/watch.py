"""Keeps a process's picture of the corpora fresh: a version made current by another process is seen within a second."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import structlog

from service.citations import ArticleIndex, Coverage
from service.domain import Jurisdiction, Language, NormId, norm_ref
from service.errors import LexhopError, NotFoundError
from service.graph.catalog import Catalog, CorpusVersion, read_catalog
from service.graph.queries import query
from service.graph.store import GraphStore, Row

__all__ = ["CatalogWatcher", "Contents"]

_log = structlog.get_logger(__name__)
_KEPT = 16
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
        editions = self.editions.get(key, ())
        if as_of and len(editions) > 1:
            editions = tuple(one for one in editions if _in_force(one, as_of)) or editions[-1:]
        for one in editions:
            ref = norm_ref(key, one.get("edition"), number)
            if ref in self.known:
                return ref
        return None


def _in_force(act: Row, as_of: str) -> bool:
    return str(act.get("valid_from") or "") <= as_of < str(act.get("valid_to") or _FOREVER)


class CatalogWatcher:
    """Polls the catalog and keeps the contents of the versions asked for.

    Attributes:
        generation: Changes whenever what is current changes; answers that depend on it are cached under it.
    """

    def __init__(self, store: GraphStore, *, poll_seconds: float = 0.5) -> None:
        self._store = store
        self._poll_seconds = poll_seconds
        self._catalog: Catalog | None = None
        self._failure: LexhopError | None = None
        self._contents: OrderedDict[str, Contents] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Contents]] = {}
        self._task: asyncio.Task[None] | None = None
        self.generation = 0

    async def start(self) -> None:
        """Read the catalog once and go on polling it; a graph that does not answer yet is no error."""
        with suppress(LexhopError):
            await self.refresh()
        self._task = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """End the polling."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @property
    def catalog(self) -> Catalog:
        """The newest snapshot.

        Raises:
            LexhopError: What the graph said, when it does not answer: nothing stale is served as if it were fresh.
        """
        if self._failure is not None:
            raise self._failure
        if self._catalog is None:
            raise NotFoundError("the corpora are not read yet; try again")
        return self._catalog

    @property
    def healthy(self) -> bool:
        """Whether the graph answered when it was last asked."""
        return self._failure is None and self._catalog is not None

    async def refresh(self) -> Catalog:
        """Read the catalog now."""
        try:
            catalog = await read_catalog(self._store)
        except LexhopError as error:
            self._failure = error
            raise
        if catalog != self._catalog:
            self.generation += 1
            self._catalog = catalog
        self._failure = None
        return catalog

    async def contents(self, version: CorpusVersion) -> Contents:
        """Return which acts and articles a version holds, read once and kept."""
        known = self._contents.get(version.uid)
        if known is not None:
            self._contents.move_to_end(version.uid)
            return known
        loading = self._loading.get(version.uid)
        if loading is None:
            loading = asyncio.create_task(self._load(version))
            self._loading[version.uid] = loading
            loading.add_done_callback(lambda _: self._loading.pop(version.uid, None))
        return await asyncio.shield(loading)

    async def _load(self, version: CorpusVersion) -> Contents:
        acts = await self._store.read(query("catalog/acts"), corpus_uid=version.uid)
        rows = await self._store.read(query("catalog/numbers"), corpus_uid=version.uid)
        contents = Contents(version, tuple(row["act"] for row in acts), _numbers(rows))
        self._contents[version.uid] = contents
        while len(self._contents) > _KEPT:
            self._contents.popitem(last=False)
        return contents

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self._poll_seconds)
            try:
                await self.refresh()
            except LexhopError as error:
                _log.debug("catalog_not_read", reason=str(error))


def _numbers(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(row["act"], row["edition"]): tuple(row["numbers"]) for row in rows}
