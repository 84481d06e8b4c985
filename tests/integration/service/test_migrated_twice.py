"""Several processes bring one empty graph up to date at the same moment: each ends well, and the schema is whole."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import neo4j
import pytest

from service.graph.local import LocalGraph, Report
from service.graph.migrate import all_migrations, migrate
from service.graph.store import GraphStore
from tests.integration.conftest import local_settings

if TYPE_CHECKING:
    from pathlib import Path

    from service.graph.address import GraphAddress

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def _schema(address: GraphAddress) -> tuple[list[dict], list[dict]]:
    auth = (address.user, address.password.get_secret_value())
    async with neo4j.AsyncGraphDatabase.driver(address.url, auth=auth) as driver:
        constraints, _, _ = await driver.execute_query("SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties")
        indexes, _, _ = await driver.execute_query("SHOW INDEXES YIELD name, state")
        return [row.data() for row in constraints], [row.data() for row in indexes]


async def test_an_empty_graph_is_migrated_by_several_at_once(tmp_path: Path) -> None:
    local = LocalGraph(local_settings(tmp_path), Report(quiet=True))
    try:
        with local.acquire() as lease:

            async def one() -> list[str]:
                async with GraphStore(lease.address) as store:
                    return await migrate(store)

            ran = await asyncio.gather(*(one() for _ in range(6)))
            constraints, indexes = await _schema(lease.address)
    finally:
        local.down(force=True)
    assert sorted(name for names in ran for name in names) == [one.name for one in all_migrations()]
    unique = {(*row["labelsOrTypes"], *row["properties"]) for row in constraints if "UNIQUENESS" in row["type"]}
    assert {("Article", "uid"), ("Act", "uid"), ("Corpus", "uid")} <= unique
    assert {row["state"] for row in indexes} == {"ONLINE"}
