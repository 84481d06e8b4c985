"""Keeps a process's picture of the corpora fresh: a version made current by another process is seen within a second."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress

import structlog

from service.errors import LexhopError, NotFoundError
from service.graph.catalog import Catalog, CorpusVersion, read_catalog
from service.graph.contents import Contents, read_contents
from service.graph.store import GraphStore

__all__ = ["CatalogWatcher"]

_log = structlog.get_logger(__name__)
_KEPT = 16


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
        contents = await read_contents(self._store, version)
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
