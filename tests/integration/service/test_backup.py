"""``lexhop backup`` and ``lexhop restore`` with a graph, as an operator runs them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.load import drop_version
from service.graph.opening import open_graph
from service.graph.reading import read_content
from tests.integration.service.conftest import environment_for, settings_for

pytestmark = pytest.mark.graph


def lexhop(address: GraphAddress, home: Path, *arguments: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-m", "service", *arguments, "--json"],
        env=environment_for(address, LEXHOP_HOME=str(home)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_home_comes_back_whole(
    graph_address: GraphAddress, sample: BuiltCorpus, own_corpus: str, tmp_path: Path
) -> None:
    key = own_corpus

    async def versions() -> dict[str, CorpusVersion]:
        async with open_graph(settings_for(graph_address)) as store:
            return {one.uid: one for one in (await read_catalog(store)).versions}

    async def drop() -> None:
        async with open_graph(settings_for(graph_address)) as store:
            await drop_version(store, (await read_catalog(store)).find(key))

    async def content() -> list[bytes]:
        async with open_graph(settings_for(graph_address)) as store:
            return list((await read_content(store, (await read_catalog(store)).find(key))).lines())

    before, lines = asyncio.run(versions()), asyncio.run(content())
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "lexhop.backup"
    made = lexhop(graph_address, old, "keys", "create", "--name", "Ann", "--scope", "admin")
    written = lexhop(graph_address, old, "backup", str(file))
    assert set(written["corpora"]) == set(before)
    asyncio.run(drop())
    restored = lexhop(graph_address, new, "restore", str(file))
    assert restored["rows"] == written["rows"]
    after = asyncio.run(versions())
    uid = f"{key}@{sample.content.version}"
    assert (after[uid].current, after[uid].counts, after[uid].left_out) == (
        True,
        before[uid].counts,
        before[uid].left_out,
    )
    assert asyncio.run(content()) == lines
    listed = lexhop(graph_address, new, "keys", "list")
    assert [one["prefix"] for one in listed["keys"]] == [made["prefix"]]
