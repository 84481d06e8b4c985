"""The ledger goes away under a running service, and comes back."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.db import Scope, create_key, open_ledger
from service.graph.address import GraphAddress
from service.settings import Settings
from tests.integration.db.own_postgres import own_postgres_server
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.test_http import ok, problem

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]


def test_the_service_outlives_a_restart_of_its_postgresql(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path: Path
) -> None:
    with own_postgres_server() as postgres:
        url = postgres.url.set(drivername="postgresql").render_as_string(hide_password=False)

        async def make() -> str:
            async with open_ledger(Settings(database_url=url)) as ledger, ledger.write() as session:
                return (await create_key(session, name="x", scopes=[Scope.ADMIN], actor="t"))[1].get_secret_value()

        headers = {"Authorization": f"Bearer {asyncio.run(make())}"}
        environment = environment_for(graph_address, LEXHOP_DATABASE_URL=url, LEXHOP_HOME=str(tmp_path))
        with serving(environment) as (address, _), httpx.Client(base_url=address, timeout=60) as http:
            assert ok(http.get("/readyz"))["ledger"] == "PostgreSQL"
            assert http.get("/v1/keys", headers=headers).status_code == 200
            postgres.stop()
            answer = http.get("/v1/keys", headers=headers)
            document = problem(answer, 503)
            assert "ledger" in document["detail"]
            assert int(answer.headers["retry-after"]) > 0
            problem(http.get("/readyz"), 503)
            # The graph is there, and reading it needs no ledger.
            assert http.get("/v1/articles/ГК_15").status_code == 200
            postgres.start()
            until = time.monotonic() + 60
            while http.get("/readyz").status_code != 200 and time.monotonic() < until:
                time.sleep(0.2)
            assert http.get("/v1/keys", headers=headers).status_code == 200
