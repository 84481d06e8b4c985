"""Fixtures of the tests that need real servers.

The graph is, in this order: the Neo4j at LEXHOP_TEST_NEO4J_URL (with _USER, _PASSWORD); with LEXHOP_TEST_DOCKER=1 one
from testcontainers; else a local one of the version LEXHOP_TEST_NEO4J_VERSION (5.26.30 by default), in a home of this
session and of this pytest-xdist worker. Jars are kept in LEXHOP_LOCAL_JARS, by default the user's cache folder.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from platformdirs import user_cache_path
from pydantic import SecretStr

from service.graph.address import GraphAddress
from service.graph.local import LocalGraph, Report
from service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

NEO4J_VERSION = os.environ.get("LEXHOP_TEST_NEO4J_VERSION", "5.26.30")
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A start costs half the processor time when the Java machine compiles quickly and not well."""


def keep_clear_of_the_hours_end(seconds: int = 60) -> None:
    """Wait for the next hour when the present one is nearly over: limits of an hour begin anew in it."""
    left = 3600 - time.time() % 3600
    if left < seconds:
        time.sleep(left + 0.5)


def jars_folder() -> Path:
    """Where the jars of the local graph are kept over all test sessions."""
    return Path(os.environ.get("LEXHOP_LOCAL_JARS") or user_cache_path("lexhop", appauthor=False) / "jars")


def local_settings(home: Path, **more: object) -> Settings:
    """Settings of a local graph for tests: small, in a home of its own."""
    return Settings.model_validate(
        {
            "home": home,
            "local_version": NEO4J_VERSION,
            "local_jars": jars_folder(),
            "local_heap_mb": 512,
            "local_page_cache_mb": 64,
            "local_start_seconds": 240,
            "local_idle_seconds": 60,
            "local_java_options": QUICK_JAVA,
            "graph_url": None,
        }
        | more
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks for the graph is marked so."""
    for item in items:
        if "graph_address" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.graph)


def given_address() -> GraphAddress | None:
    """The Neo4j that LEXHOP_TEST_NEO4J_URL names, if it names one."""
    url = os.environ.get("LEXHOP_TEST_NEO4J_URL")
    if not url:
        return None
    user = os.environ.get("LEXHOP_TEST_NEO4J_USER", "neo4j")
    password = SecretStr(os.environ.get("LEXHOP_TEST_NEO4J_PASSWORD", ""))
    return GraphAddress(url=url, user=user, password=password, database="neo4j")


@pytest.fixture(scope="session")
def graph_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphAddress]:
    """A real Neo4j, empty at the start of the session where it is ours."""
    if given := given_address():
        yield given
    elif os.environ.get("LEXHOP_TEST_DOCKER") == "1":
        from testcontainers.neo4j import Neo4jContainer  # only where Docker is

        with Neo4jContainer(f"neo4j:{NEO4J_VERSION}-community") as server:
            yield GraphAddress(server.get_connection_url(), server.username, SecretStr(server.password), "neo4j")
    else:
        graph = LocalGraph(local_settings(tmp_path_factory.mktemp("graph-home")), Report(quiet=True))
        with graph.acquire() as lease:
            yield lease.address
        graph.down(force=True)
