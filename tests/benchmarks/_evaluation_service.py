"""Serves the API on a ledger, as ``lexhop serve`` does but without a graph, which taking in answers never asks.

``python -m tests.benchmarks._evaluation_service LEDGER_URL HOME`` prints its address.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from pydantic import SecretStr

from service.api import ServiceState, create_api
from service.api.metrics import Metrics
from service.cli.serve import address_of, bind
from service.db import HourlyLimiter, open_ledger
from service.graph.address import GraphAddress
from service.graph.store import GraphStore
from service.graph.watch import CatalogWatcher
from service.logs import set_up_logs
from service.loops import run_async
from service.server import run_server
from service.settings import Settings


def main(url: str, home: str) -> None:
    settings = Settings.model_validate({"database_url": url, "home": home})
    set_up_logs(as_json=True)

    @asynccontextmanager
    async def open_state(metrics: Metrics) -> AsyncIterator[ServiceState]:
        nowhere = GraphAddress("bolt://127.0.0.1:9", "neo4j", SecretStr(""), "neo4j")
        async with open_ledger(settings) as ledger, GraphStore(nowhere) as store:
            yield ServiceState(
                settings=settings,
                store=store,
                watcher=CatalogWatcher(store),
                metrics=metrics,
                ledger=ledger,
                hours=HourlyLimiter(ledger),
            )

    listener = bind("127.0.0.1", 0)

    def started() -> None:
        sys.stdout.write(address_of(listener) + "\n")
        sys.stdout.flush()

    with suppress(KeyboardInterrupt):
        run_async(run_server(create_api(settings, open_state), listener, started))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
