"""A real service on a real graph: `lexhop serve` as a process of its own, spoken to over HTTP."""

from __future__ import annotations

import asyncio
import atexit
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from loaders.corpus import BuiltCorpus, build_folder, build_sample
from service.graph.address import GraphAddress
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.content import CorpusContent
from service.graph.load import drop_version, load_version
from service.graph.opening import open_graph
from service.graph.store import GraphStore
from service.settings import Settings
from tests.integration.db.conftest import (  # noqa: F401 - the ledgers of either kind
    admin,
    ledger_url,
    postgres_template,
    postgres_url,
    sqlite_template,
)

if TYPE_CHECKING:
    from sqlalchemy import URL

    from tests.integration.service.filled import Filled

pytestmark = pytest.mark.graph


def settings_for(address: GraphAddress, **more: object) -> Settings:
    """Settings that use a Neo4j that is up already."""
    return Settings.model_validate(
        {
            "graph_url": address.url,
            "graph_user": address.user,
            "graph_password": address.password,
            "graph_database": address.database,
        }
        | more
    )


@functools.cache
def _home() -> str:
    """A home of this session's services: their ledger is not the user's."""
    folder = tempfile.mkdtemp(prefix="lexhop-home-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment_for(address: GraphAddress, **more: str) -> dict[str, str]:
    """The same as environment variables of a process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXHOP_")}
    return {
        **kept,
        "LEXHOP_GRAPH_URL": address.url,
        "LEXHOP_GRAPH_USER": address.user,
        "LEXHOP_GRAPH_PASSWORD": address.password.get_secret_value(),
        "LEXHOP_GRAPH_DATABASE": address.database,
        "LEXHOP_LOG_JSON": "1",
        "LEXHOP_HOME": _home(),
        **more,
    }


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run `lexhop serve` on a free port; it is ended by its process id."""
    command = [sys.executable, "-m", "service", "serve", "--port", "0", "--json", *arguments]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = ""
        while not said.rstrip().endswith("}"):
            line = process.stdout.readline()
            assert line, f"lexhop serve ended with status {process.wait()} before it answered"
            said += line
        yield json.loads(said)["url"], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def sample() -> BuiltCorpus:
    """The sample corpus, built from its texts."""
    return build_sample()


@pytest.fixture(scope="session")
def loaded(graph_address: GraphAddress, sample: BuiltCorpus) -> BuiltCorpus:
    """The sample in the graph."""
    return put(graph_address, sample)


def put(address: GraphAddress, built: BuiltCorpus) -> BuiltCorpus:
    """Load a corpus."""

    async def load() -> None:
        async with open_graph(settings_for(address)) as store:
            await load_version(store, built.key, built.content, left_out=built.left_out, wait_seconds=120)

    asyncio.run(load())
    return built


@pytest.fixture(scope="session")
def real(graph_address: GraphAddress, data: pathlib.Path) -> BuiltCorpus:
    """The ten Russian codes in the graph, from the real texts."""
    return put(graph_address, build_folder("ru", data / "ru-statutes"))


@asynccontextmanager
async def temporarily(store: GraphStore, key: str, *contents: CorpusContent) -> AsyncIterator[list[CorpusVersion]]:
    """Load versions of a corpus for a block, the last one current; dropped again, so that other tests see one corpus."""
    try:
        for content in contents:
            await load_version(store, key, content, wait_seconds=60)
        catalog = await read_catalog(store)
        yield [catalog.find(key, content.version) for content in contents]
    finally:
        own = [one for one in (await read_catalog(store)).versions if one.key == key]
        for version in sorted(own, key=lambda one: one.current):
            await drop_version(store, version)


@pytest.fixture(scope="session")
def service_url(graph_address: GraphAddress, loaded: BuiltCorpus) -> Iterator[str]:
    """The address of a service that has the sample, whatever else other tests load."""
    with serving(environment_for(graph_address, LEXHOP_CORPUS="sample")) as (url, _):
        yield url


@pytest.fixture
def http(service_url: str) -> Iterator[httpx.Client]:
    """A client of that service."""
    with httpx.Client(base_url=service_url, timeout=60) as client:
        yield client


@pytest.fixture
def own_corpus(graph_address: GraphAddress, sample: BuiltCorpus) -> Iterator[str]:
    """The sample under a key of the test's own, gone afterwards: other tests count on there being one corpus."""
    key = f"own{uuid.uuid4().hex[:8]}"

    async def load() -> None:
        async with open_graph(settings_for(graph_address)) as store:
            await load_version(store, key, sample.content, left_out=sample.left_out, wait_seconds=60)

    async def drop() -> None:
        async with open_graph(settings_for(graph_address)) as store:
            of_key = [one for one in (await read_catalog(store)).versions if one.key == key]
            for one in sorted(of_key, key=lambda one: one.current):
                await drop_version(store, one)

    asyncio.run(load())
    yield key
    asyncio.run(drop())


@pytest.fixture(scope="session")
def filled(
    graph_address: GraphAddress,
    loaded: BuiltCorpus,
    postgres_url: URL,  # noqa: F811
    postgres_template: str,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Filled]:
    """A service on PostgreSQL with task sets of each tier and keys of each kind; whoever writes makes runs of its own."""
    from tests.integration.service.filled import filled_service

    name = f"lexhop_{uuid.uuid4().hex[:12]}"
    asyncio.run(admin(postgres_url, f"CREATE DATABASE {name} TEMPLATE {postgres_template}"))
    home = tmp_path_factory.mktemp("filled-home")
    with filled_service(graph_address, loaded.content.version, postgres_url.set(database=name), home) as service:
        yield service
    asyncio.run(admin(postgres_url, f"DROP DATABASE {name} WITH (FORCE)"))
