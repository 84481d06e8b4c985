"""kill -9 of the service while answers come in: what was taken in stays, sending all of it again completes it."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.test_runs_http import World, _fill, answers

pytestmark = pytest.mark.graph


def test_a_service_killed_during_intake(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environment = environment_for(
        graph_address, LEXHOP_HOME=str(tmp_path), LEXHOP_CORPUS="sample", LEXHOP_SUBMISSION_BATCH="3"
    )
    rows = answers("owl")
    with serving(environment) as (url, process):
        world = World(url, asyncio.run(_fill(graph_address, loaded.content.version, tmp_path)))
        request.addfinalizer(world._client.close)
        run = world.run("owl")

        def lines() -> Iterator[bytes]:
            for number, row in enumerate(rows):
                yield json.dumps(row).encode() + b"\n"
                if number == 30:
                    until = time.monotonic() + 60
                    while world.ok("owl", "GET", f"/v1/runs/{run}")["received"] < 12 and time.monotonic() < until:
                        time.sleep(0.05)
                    process.kill()

        headers = {"Authorization": f"Bearer {world.keys['owl']}", "Content-Type": "application/x-ndjson"}
        with pytest.raises(httpx.TransportError):
            httpx.post(f"{url}/v1/runs/{run}/submissions", content=lines(), headers=headers, timeout=60)
        process.wait()
    with serving(environment) as (url, _):
        world.url = url
        before = world.ok("owl", "GET", f"/v1/runs/{run}")["received"]
        assert 12 <= before < 48
        statuses = Counter(receipt["status"] for receipt in world.send("owl", run, rows))
        assert statuses == {200: before, 201: 48 - before}
        state = world.ok("owl", "GET", f"/v1/runs/{run}")
        assert (state["received"], state["answered"]) == (48, 48)
