"""Opens the graph that the settings mean: another's Neo4j, or the local one, which is brought up for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from service.graph.address import foreign_address
from service.graph.local import LocalGraph, Report
from service.graph.migrate import migrate
from service.graph.probe import probe
from service.graph.store import GraphStore
from service.settings import Settings

__all__ = ["open_graph"]


@asynccontextmanager
async def open_graph(
    settings: Settings, *, report: Report | None = None, migrated: bool = True
) -> AsyncIterator[GraphStore]:
    """Open the graph for a block; a local one is held as long and brought back when it goes.

    Args:
        settings: Say which graph.
        report: Where the start of a local graph shows its progress.
        migrated: Bring the schema up to date first.

    Raises:
        SetupError: The graph cannot be used as set; the message says what to set.
        UnavailableError: It does not answer.
    """
    async with AsyncExitStack() as stack:
        address = foreign_address(settings)
        if address is None:
            lease = await asyncio.to_thread(LocalGraph(settings, report).acquire)
            stack.callback(lease.close)
            store = GraphStore(
                lease.address,
                auth=lease.auth(),
                read_seconds=settings.graph_read_seconds,
                pool=settings.graph_pool,
                revive=lease.refresh,
            )
        else:
            # Asked apart from the pool, so that what is wrong is told at once and in one sentence.
            await probe(address)
            store = GraphStore(address, read_seconds=settings.graph_read_seconds, pool=settings.graph_pool)
        await stack.enter_async_context(store)
        if migrated:
            await migrate(store, stale_seconds=settings.load_stale_seconds)
        yield store
