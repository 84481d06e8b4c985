"""kill -9 of the service while answers come in, on either ledger, and its PostgreSQL restarted in the middle of a stream:
what was taken in stays, sending all of it again completes it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import URL

from loaders.corpus import BuiltCorpus
from service.db import Database, upgrade
from service.graph.address import GraphAddress
from tests.integration.db.own_postgres import own_postgres_server
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.filled import fill_ledger
from tests.integration.service.test_runs_http import World, answers

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]


def environment(address: GraphAddress, database: URL, home: Path) -> dict[str, str]:
    url = database.set(drivername=database.get_backend_name()).render_as_string(hide_password=False)
    return environment_for(
        address,
        LEXHOP_HOME=str(home),
        LEXHOP_DATABASE_URL=url,
        LEXHOP_CORPUS="sample",
        LEXHOP_SUBMISSION_BATCH="3",
    )


def send(
    world: World, run: str, rows: list[dict[str, Any]], *, at: int, meanwhile: Callable[[], None]
) -> httpx.Response:
    """Stream answers; something happens when ``at`` of them are on the way and a dozen is taken in."""

    def lines() -> Iterator[bytes]:
        for number, row in enumerate(rows):
            yield json.dumps(row).encode() + b"\n"
            if number == at:
                until = time.monotonic() + 60
                while world.ok("owl", "GET", f"/v1/runs/{run}")["received"] < 12 and time.monotonic() < until:
                    time.sleep(0.05)
                meanwhile()

    headers = {"Authorization": f"Bearer {world.keys['owl']}", "Content-Type": "application/x-ndjson"}
    return httpx.post(f"{world.url}/v1/runs/{run}/submissions", content=lines(), headers=headers, timeout=60)


def complete(world: World, run: str, rows: list[dict[str, Any]]) -> None:
    """Count what is there, send everything again, and count again."""
    before = world.ok("owl", "GET", f"/v1/runs/{run}")["received"]
    assert 12 <= before < 48
    statuses = Counter(receipt["status"] for receipt in world.send("owl", run, rows))
    assert statuses == {200: before, 201: 48 - before}
    state = world.ok("owl", "GET", f"/v1/runs/{run}")
    assert (state["received"], state["answered"]) == (48, 48)


def test_a_service_killed_during_intake(
    graph_address: GraphAddress, loaded: BuiltCorpus, ledger_url: URL, tmp_path: Path
) -> None:
    keys = asyncio.run(fill_ledger(graph_address, loaded.content.version, ledger_url))
    rows = answers("owl")
    own = environment(graph_address, ledger_url, tmp_path)
    with serving(own) as (url, process), World(url, keys) as world:
        run = world.run("owl")
        with pytest.raises(httpx.TransportError):
            send(world, run, rows, at=30, meanwhile=process.kill)
        process.wait()
    with serving(own) as (url, _), World(url, keys) as world:
        complete(world, run, rows)


def test_postgresql_restarted_during_intake(graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path: Path) -> None:
    rows = answers("owl")
    with own_postgres_server() as postgres:

        async def fill() -> dict[str, str]:
            database = Database(postgres.url)
            await upgrade(database)
            await database.close()
            return await fill_ledger(graph_address, loaded.content.version, postgres.url)

        keys = asyncio.run(fill())
        with serving(environment(graph_address, postgres.url, tmp_path)) as (url, _), World(url, keys) as world:
            run = world.run("owl")
            answer = send(world, run, rows, at=30, meanwhile=postgres.stop)
            postgres.start()
            # Each line that was taken in has its receipt, and the last one says why there are no more.
            receipts = [json.loads(line) for line in answer.text.splitlines()]
            assert answer.status_code == 200, answer.text
            assert [one["status"] for one in receipts[:-1]] == [201] * (len(receipts) - 1)
            assert (receipts[-1]["status"], receipts[-1]["code"]) == (503, "unavailable")
            taken = world.ok("owl", "GET", f"/v1/runs/{run}")["received"]
            assert taken == len(receipts) - 1
            complete(world, run, rows)
