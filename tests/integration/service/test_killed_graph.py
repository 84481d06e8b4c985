"""The local Neo4j's host is killed under services and under a load: everybody recovers, and nothing half is served."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from service.graph.local import LocalGraph, Report
from service.graph.local.locks import is_free
from service.graph.local.state import read_state
from tests.integration.conftest import NEO4J_VERSION, jars_folder, local_settings
from tests.integration.service.conftest import serving
from tests.integration.service.scenes import command, progress_line, started, until, write_corpus

pytestmark = pytest.mark.graph

KEY = "faults"
SMALL, LARGE = 6, 200


@dataclass(frozen=True)
class Home:
    """A local graph in a home of its own."""

    graph: LocalGraph
    environment: dict[str, str]

    def kill_host(self) -> int:
        """Kill -9 the host; return its process id."""
        state = read_state(self.graph.paths.state)
        assert state is not None
        os.kill(state.pid, signal.SIGKILL)
        until(lambda: is_free(self.graph.paths.host_lock) or self.host() != state.pid)
        return state.pid

    def host(self) -> int:
        state = read_state(self.graph.paths.state)
        return state.pid if state else 0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    settings = local_settings(tmp_path_factory.mktemp("home"))
    graph = LocalGraph(settings, Report(quiet=True))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXHOP_")}
    environment = {
        **kept,
        "LEXHOP_HOME": str(settings.home),
        "LEXHOP_LOCAL_JARS": str(jars_folder()),
        "LEXHOP_LOCAL_VERSION": NEO4J_VERSION,
        "LEXHOP_LOCAL_HEAP_MB": str(settings.local_heap_mb),
        "LEXHOP_LOCAL_PAGE_CACHE_MB": str(settings.local_page_cache_mb),
        "LEXHOP_LOCAL_START_SECONDS": str(settings.local_start_seconds),
        "LEXHOP_LOCAL_JAVA_OPTIONS": settings.local_java_options,
        "LEXHOP_LOG_JSON": "1",
    }
    yield Home(graph, environment)
    graph.down(force=True)


def watch_recovery(clients: list[httpx.Client], path: str, seconds: float = 300.0) -> None:
    """Ask each service until it answers 200 again; meanwhile it must have said 503 with Retry-After, and never 500."""
    left = dict.fromkeys(range(len(clients)), False)
    refused: set[int] = set()

    def all_back() -> bool:
        for place in list(left):
            answer = clients[place].get(path)
            if answer.status_code == 200:
                # From the cache, in the moment before the service notices; or the graph is back.
                if place in refused:
                    del left[place]
                continue
            assert answer.status_code == 503, answer.text
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"] == "application/problem+json"
            refused.add(place)
        return not left

    until(all_back, seconds)


def serves(client: httpx.Client, version: str, articles: int) -> None:
    """The service lists this version, whole."""
    listed = client.get("/v1/articles", params={"corpus": KEY, "limit": 1000}).json()
    assert (listed["version"], len(listed["items"])) == (version, articles)
    related = client.get("/v1/relations", params={"corpus": KEY, "limit": 1000}).json()
    assert len(related["items"]) == articles - 1


def test_the_host_is_killed_in_the_middle_of_a_load_under_two_services(home: Home, tmp_path: Path) -> None:
    old = write_corpus(tmp_path / "old", SMALL, said="Прежние слова")
    new = write_corpus(tmp_path / "new", LARGE, said="Новые слова")
    row_by_row = home.environment | {"LEXHOP_LOAD_BATCH_ROWS": "1"}
    first = command(home.environment, "corpus", "load", KEY, "--from", str(old), "--json")
    assert first.returncode == 0, first.stderr
    version = json.loads(first.stdout)["version"]
    with (
        serving(home.environment) as (one_url, one),
        serving(home.environment) as (two_url, two),
        httpx.Client(base_url=one_url, timeout=60) as asks_one,
        httpx.Client(base_url=two_url, timeout=60) as asks_two,
    ):
        clients = [asks_one, asks_two]
        for client in clients:
            assert client.get("/v1/articles/ГК_1").status_code == 200
        with started(row_by_row, "corpus", "load", KEY, "--from", str(new)) as load:
            progress_line(load, f"articles: {LARGE} of {LARGE}")
            killed = home.kill_host()
            watch_recovery(clients, "/v1/articles/ГК_1")
            said, wrong = load.communicate(timeout=300)
        assert (load.returncode, said) == (1, ""), wrong
        (line,) = [line for line in wrong.splitlines() if line.startswith("lexhop: ")]
        assert "does not answer; it may be starting again: try again" in line or "not available just now" in line
        assert "Traceback" not in wrong

        assert (one.poll(), two.poll()) == (None, None)
        host = home.host()
        assert host != killed
        for client in clients:
            # Never asked before: read from the graph that was started again, not from a cache.
            assert client.get("/v1/context", params={"norm_id": "ГК_3"}).status_code == 200
            assert client.get("/readyz").json()["ready"] is True
            serves(client, version, SMALL)
            assert [corpus["version"] for corpus in client.get("/v1/corpora").json()["items"]] == [version]
            assert client.get(f"/v1/articles/ГК_{LARGE}").status_code == 404

        repeat = command(home.environment, "corpus", "load", KEY, "--from", str(new), "--json")
        assert repeat.returncode == 0, repeat.stderr
        outcome = json.loads(repeat.stdout)
        assert (outcome["unchanged"], outcome["swept"]) == (False, [f"{KEY}@{outcome['version']}"])
        for client in clients:
            until(lambda client=client: client.get("/v1/articles/ГК_1").json()["version"] == outcome["version"])
            serves(client, outcome["version"], LARGE)

        one.send_signal(signal.SIGINT)
        assert one.wait(60) == 0
        assert asks_two.get("/v1/articles/ГК_2").status_code == 200
        assert (asks_two.get("/readyz").status_code, home.host()) == (200, host)
        status = json.loads(command(home.environment, "graph", "status", "--json").stdout)
        assert (status["state"], status["in_use"]) == ("ready", True)
    assert two.wait(60) == 0


def test_services_that_are_ended_leave_the_graph_to_the_others_and_the_last_one_frees_it(home: Home) -> None:
    with (
        serving(home.environment) as (url, last),
        serving(home.environment) as (_, killed),
        serving(home.environment) as (_, told),
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        host = home.host()
        for process, sign in ((killed, signal.SIGKILL), (told, signal.SIGTERM)):
            process.send_signal(sign)
            process.wait(60)
            assert client.get("/readyz").status_code == 200
            assert home.host() == host
    assert last.wait(60) == 0
    down = command(home.environment, "graph", "down", "--json")
    assert json.loads(down.stdout)["stopped"] is True, down.stderr
