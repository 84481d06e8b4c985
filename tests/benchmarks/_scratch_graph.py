"""A graph for one benchmark, in a scratch home, and the ten codes in it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from loaders.corpus import build_folder
from service.graph.address import GraphAddress
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.load import load_version
from service.graph.local import LocalGraph
from service.graph.opening import open_graph
from service.settings import Settings
from tests.conftest import data_root
from tests.integration.conftest import jars_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from service.graph.store import GraphStore

__all__ = ["scratch_graph", "settings_of", "ten_codes"]


def settings_of(address: GraphAddress, home: Path) -> Settings:
    """Settings that mean this graph and this home."""
    return Settings.model_validate(
        {"graph_url": address.url, "graph_user": address.user, "graph_password": address.password, "home": home}
    )


@contextmanager
def scratch_graph() -> Iterator[tuple[GraphAddress, Path]]:
    """A local Neo4j with the settings of everyday use, or the one that LEXHOP_TEST_NEO4J_URL names; and a scratch home."""
    with tempfile.TemporaryDirectory(prefix="lexhop-bench-") as folder:
        home = Path(folder)
        if url := os.environ.get("LEXHOP_TEST_NEO4J_URL"):
            user = os.environ.get("LEXHOP_TEST_NEO4J_USER", "neo4j")
            password = SecretStr(os.environ.get("LEXHOP_TEST_NEO4J_PASSWORD", ""))
            yield GraphAddress(url, user, password, "neo4j"), home
            return
        graph = LocalGraph(Settings.model_validate({"home": home, "graph_url": None, "local_jars": jars_folder()}))
        try:
            with graph.acquire() as lease:
                yield lease.address, home
        finally:
            graph.down(force=True)


@asynccontextmanager
async def ten_codes() -> AsyncIterator[tuple[GraphStore, CorpusVersion]]:
    """The ten Russian codes in a scratch graph."""
    folder = data_root() / "ru-statutes"
    if not folder.is_dir():
        sys.exit(f"no real texts at {folder}; set LEXHOP_TEST_DATA")
    with scratch_graph() as (address, home):
        async with open_graph(settings_of(address, home)) as store:
            built = await asyncio.to_thread(build_folder, "ru", folder)
            await load_version(store, built.key, built.content, left_out=built.left_out, wait_seconds=60)
            yield store, (await read_catalog(store)).find(built.key)
