"""A graph for one benchmark, in a scratch home, and the ten codes in it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from loaders.corpus import build_folder
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.load import load_version
from service.graph.local import LocalGraph
from service.graph.opening import open_graph
from service.settings import Settings
from tests.conftest import data_root
from tests.integration.conftest import given_address, jars_folder
from tests.integration.service.conftest import settings_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from service.graph.address import GraphAddress
    from service.graph.store import GraphStore

__all__ = ["scratch_graph", "ten_codes"]


@contextmanager
def scratch_graph() -> Iterator[tuple[GraphAddress, Path]]:
    """A local Neo4j with the settings of everyday use, or the one that LEXHOP_TEST_NEO4J_URL names; and a scratch home."""
    with tempfile.TemporaryDirectory(prefix="lexhop-bench-") as folder:
        home = Path(folder)
        if given := given_address():
            yield given, home
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
        async with open_graph(settings_for(address, home=home)) as store:
            built = await asyncio.to_thread(build_folder, "ru", folder)
            await load_version(store, built.key, built.content, left_out=built.left_out, wait_seconds=60)
            yield store, (await read_catalog(store)).find(built.key)
