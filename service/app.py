"""Assembles the service from its rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from service.api import ServiceState, create_api
from service.api.metrics import Metrics
from service.db import HourlyLimiter, open_ledger
from service.graph.local import Report
from service.graph.opening import open_graph
from service.graph.watch import CatalogWatcher
from service.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings, *, report: Report | None = None) -> FastAPI:
    """Return the application; it opens its graph when it starts and closes it at the end."""

    @asynccontextmanager
    async def open_state(metrics: Metrics) -> AsyncIterator[ServiceState]:
        async with open_ledger(settings) as ledger, open_graph(settings, report=report) as store:
            version = await store.verify()
            watcher = CatalogWatcher(store, poll_seconds=settings.current_poll_seconds)
            await watcher.start()
            try:
                yield ServiceState(
                    settings=settings,
                    store=store,
                    watcher=watcher,
                    metrics=metrics,
                    ledger=ledger,
                    hours=HourlyLimiter(ledger),
                    graph=version,
                )
            finally:
                await watcher.stop()

    return create_api(settings, open_state)
