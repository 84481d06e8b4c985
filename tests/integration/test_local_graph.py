"""The local Neo4j, for real: its life, its settings, and what happens when somebody is killed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import neo4j
import psutil
import pytest
from neo4j.exceptions import AuthError, ClientError, Neo4jError

from service.errors import ConflictError, SetupError, UnavailableError
from service.graph.local import LocalGraph, LocalLease, Report
from service.graph.local.config import neo4j_settings
from service.graph.local.locks import is_free
from service.graph.local.spec import HostSpec
from service.graph.local.state import read_instance, read_state
from tests.integration.conftest import NEO4J_VERSION, local_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from service.graph.address import GraphAddress
    from service.settings import Settings

pytestmark = pytest.mark.graph

QUIET = Report(quiet=True)
# A client process: says it is in, then holds the graph until its standard input ends.
CLIENT = """
import sys
from service.graph.local import LocalGraph, Report
from service.settings import Settings
settings = Settings.model_validate_json(sys.argv[1])
with LocalGraph(settings, Report(quiet=True)).acquire() as lease:
    print(lease.address.url, flush=True)
    sys.stdin.read()
"""


def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait for something that happens in another process; the limit only ends a test that hangs."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"still not so after {seconds:.0f} s"
        time.sleep(0.05)


def driver(address: GraphAddress, password: str | None = None) -> neo4j.Driver:
    secret = address.password.get_secret_value() if password is None else password
    return neo4j.GraphDatabase.driver(address.url, auth=(address.user, secret))


@contextmanager
def client(settings: Settings) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", CLIENT, settings.model_dump_json(exclude={"graph_password"})]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lexhop(settings: Settings, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "LEXHOP_HOME": str(settings.home),
        "LEXHOP_LOCAL_JARS": str(settings.local_jars),
        "LEXHOP_LOCAL_VERSION": NEO4J_VERSION,
        **more,
    }
    command = [sys.executable, "-m", "service", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return local_settings(tmp_path_factory.mktemp("дом, «local»"))


@pytest.fixture(scope="module")
def graph(settings: Settings) -> Iterator[LocalGraph]:
    graph = LocalGraph(settings, QUIET)
    yield graph
    graph.down(force=True)


@pytest.fixture
def lease(graph: LocalGraph) -> Iterator[LocalLease]:
    with graph.acquire() as lease:
        yield lease


def host_pid(graph: LocalGraph) -> int:
    state = read_state(graph.paths.state)
    assert state is not None
    return state.pid


def test_a_new_home_is_small_private_and_ready(graph: LocalGraph, lease: LocalLease) -> None:
    status = graph.status()
    assert (status.state, status.in_use, status.version) == ("ready", True, NEO4J_VERSION)
    assert graph.paths.password.stat().st_mode & 0o777 == 0o600
    assert graph.paths.root.stat().st_mode & 0o777 == 0o700
    assert lease.address.password.get_secret_value() not in repr((lease.address, status))
    root = graph.paths.root
    assert sum(path.stat().st_blocks * 512 for path in root.rglob("*") if path.is_file()) < 20_000_000
    listening = {
        found.laddr.ip for found in psutil.Process(host_pid(graph)).net_connections() if found.status == "LISTEN"
    }
    assert listening <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert listening


def test_the_settings_are_in_force(settings: Settings, lease: LocalLease) -> None:
    spec = HostSpec(
        root=lease.folder,
        jars=(),
        version=NEO4J_VERSION,
        port=int(lease.address.url.rsplit(":", 1)[1]),
        heap_mb=settings.local_heap_mb,
        page_cache_mb=settings.local_page_cache_mb,
        transaction_seconds=settings.local_transaction_seconds,
        idle_seconds=settings.local_idle_seconds,
    )
    with driver(lease.address) as connected:
        shown = {
            row["name"]: row["value"] for row in connected.execute_query("SHOW SETTINGS YIELD name, value").records
        }
    written = {"10m": "600s", "64.00MiB": "64m", "16.00MiB": "16m"}
    asked = {name: value for name, value in neo4j_settings(spec, bolt=True).items() if not name.startswith("internal.")}
    assert {name: written.get(shown[name], shown[name]) for name in asked} == asked


@pytest.mark.parametrize("password", ["neo4j", "", "wrong"])
def test_any_other_password_is_refused(lease: LocalLease, password: str) -> None:
    with driver(lease.address, password) as connected, pytest.raises(AuthError):
        connected.verify_connectivity()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("file:///etc/hosts", "allow_csv_import_from_file_urls' is false"),
        ("http://127.0.0.1:9/x.csv", "is blocked via the configuration property internal.dbms.cypher_ip_blocklist"),
    ],
)
def test_load_csv_reads_neither_files_nor_addresses(lease: LocalLease, source: str, reason: str) -> None:
    with driver(lease.address) as connected, pytest.raises(ClientError) as refused:
        connected.execute_query("LOAD CSV FROM $source AS row RETURN row", source=source)
    assert reason in str(refused.value)


def test_port_and_data_stay_and_the_password_is_new_after_a_restart(graph: LocalGraph) -> None:
    with graph.acquire() as first, driver(first.address) as connected:
        connected.execute_query("MERGE (:Kept {name: 'over a restart'})")
    assert graph.down()
    assert graph.status().state == "down"
    assert not graph.paths.password.exists()
    assert graph.down() is False
    with graph.acquire() as second, driver(second.address) as connected:
        assert second.address.url == first.address.url
        assert second.address.password.get_secret_value() != first.address.password.get_secret_value()
        assert connected.execute_query("MATCH (k:Kept) RETURN count(k) AS n").records[0]["n"] == 1
        with driver(first.address) as old, pytest.raises(AuthError):
            old.verify_connectivity()


def test_the_commands_and_down_is_refused_while_in_use_unless_forced(
    settings: Settings, graph: LocalGraph, lease: LocalLease
) -> None:
    up = lexhop(settings, "graph", "up", "--json")
    assert up.returncode == 0, up.stderr
    told = json.loads(up.stdout)
    assert (told["local"], told["state"], told["version"]) == (True, "ready", NEO4J_VERSION)
    status = json.loads(lexhop(settings, "graph", "status", "--json").stdout)
    assert (status["state"], status["in_use"], status["pid"]) == ("ready", True, told["pid"])
    with pytest.raises(ConflictError, match="in use by another process"):
        graph.down()
    refused = lexhop(settings, "graph", "down")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "--force" in refused.stderr
    assert json.loads(lexhop(settings, "graph", "down", "--force", "--json").stdout)["stopped"] is True
    assert json.loads(lexhop(settings, "graph", "status", "--json").stdout)["state"] == "down"
    assert "no local Neo4j was running" in lexhop(settings, "graph", "down").stdout
    with driver(lease.refresh()) as connected:
        connected.verify_connectivity()
    assert "ready" in lexhop(settings, "graph", "status").stdout


async def count_kept(connected: neo4j.AsyncDriver) -> int:
    async def work(transaction: neo4j.AsyncManagedTransaction) -> int:
        row = await (await transaction.run("MATCH (k:Kept) RETURN count(k) AS n")).single(strict=True)
        return int(row["n"])

    async with connected.session() as session:
        return await session.execute_read(work)


def test_a_killed_host_is_started_again_and_a_connected_driver_recovers(graph: LocalGraph, lease: LocalLease) -> None:
    async def scene() -> None:
        async with neo4j.AsyncGraphDatabase.driver(lease.address.url, auth=lease.auth()) as connected:
            await connected.execute_query("MERGE (:Kept {name: 'over a kill'})")
            before = await count_kept(connected)
            old = host_pid(graph)
            os.kill(old, signal.SIGKILL)
            until(lambda: is_free(graph.paths.host_lock))
            assert graph.status().state == "down"
            old_password = lease.address.password.get_secret_value()
            address = await asyncio.to_thread(lease.refresh)
            assert address.password.get_secret_value() != old_password
            assert host_pid(graph) != old
            assert await count_kept(connected) == before

    asyncio.run(scene())


def test_a_host_killed_in_the_middle_of_its_start_is_no_obstacle(graph: LocalGraph) -> None:
    graph.down(force=True)
    with client(graph_settings(graph)) as starter:
        until(lambda: (state := read_state(graph.paths.state)) and state.phase == "starting")
        os.kill(host_pid(graph), signal.SIGKILL)
        assert starter.stdout is not None
        assert starter.stdout.read() == ""
    with graph.acquire() as lease, driver(lease.address) as connected:
        connected.verify_connectivity()


def test_a_starter_killed_in_the_middle_leaves_a_start_that_the_next_joins(graph: LocalGraph) -> None:
    graph.down(force=True)
    with client(graph_settings(graph)) as starter:
        until(lambda: (state := read_state(graph.paths.state)) and state.phase == "starting")
        started = host_pid(graph)
        starter.kill()
        starter.wait()
    with graph.acquire() as lease, driver(lease.address) as connected:
        connected.verify_connectivity()
        assert host_pid(graph) == started


def graph_settings(graph: LocalGraph) -> Settings:
    return local_settings(graph.paths.root.parent)


def test_two_that_start_at_once_share_one_host_which_ends_when_both_are_gone(graph: LocalGraph) -> None:
    graph.down(force=True)
    settings = local_settings(graph.paths.root.parent, local_idle_seconds=2)
    with client(settings) as one, client(settings) as two:
        assert one.stdout is not None
        assert two.stdout is not None
        assert one.stdout.readline() == two.stdout.readline() != ""
        host = psutil.Process(host_pid(graph))
        sisters = [
            p for p in psutil.process_iter(["cmdline"]) if str(graph.paths.root) in " ".join(p.info["cmdline"] or ())
        ]
        assert [p.pid for p in sisters if "service.graph.local.host" in p.cmdline()] == [host.pid]
        one.kill()
        one.wait()
        two_held_for_longer_than_idle(graph)
        two.kill()
        two.wait()
    until(lambda: is_free(graph.paths.host_lock))
    assert graph.status().state == "down"
    assert not graph.paths.state.exists()


def two_held_for_longer_than_idle(graph: LocalGraph) -> None:
    time.sleep(4)
    assert graph.status().state == "ready"
    assert graph.in_use()


def test_a_port_that_another_program_took_is_named(graph: LocalGraph) -> None:
    graph.down(force=True)
    instance = read_instance(graph.paths.instance)
    assert instance is not None
    with socket.socket() as taker:
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taker.bind(("127.0.0.1", instance.port))
        taker.listen()
        with pytest.raises(UnavailableError, match=f"port {instance.port} of 127.0.0.1.*is taken"):
            graph.acquire()
    assert not graph.in_use()


def test_data_of_a_newer_neo4j_is_not_opened(graph: LocalGraph) -> None:
    graph.down(force=True)
    kept = graph.paths.instance.read_text()
    try:
        graph.paths.instance.write_text(kept.replace(NEO4J_VERSION, "2099.01.0"))
        with pytest.raises(SetupError, match=r"opened by Neo4j 2099\.01\.0"):
            graph.acquire()
    finally:
        graph.paths.instance.write_text(kept)


def test_a_start_that_neo4j_refuses_says_why(tmp_path: Path) -> None:
    graph = LocalGraph(local_settings(tmp_path), QUIET)
    graph.paths.create()
    (graph.paths.home / "data").write_text("a file where a folder must be")
    with pytest.raises(SetupError, match=r"did not start: .+; see .*host\.log"):
        graph.acquire()
    assert graph.status().state == "down"


def test_the_commands_with_a_server_that_is_not_ours(settings: Settings, graph_address: GraphAddress) -> None:
    login = {
        "LEXHOP_GRAPH_URL": graph_address.url,
        "LEXHOP_GRAPH_USER": graph_address.user,
        "LEXHOP_GRAPH_PASSWORD": graph_address.password.get_secret_value(),
    }
    told = json.loads(lexhop(settings, "graph", "status", "--json", **login).stdout)
    assert (told["local"], told["url"]) == (False, graph_address.url)
    up = lexhop(settings, "graph", "up", **login)
    assert (up.returncode, "nothing of ours" in up.stderr) == (0, True)
    down = lexhop(settings, "graph", "down", **login)
    assert (down.returncode, "not ours to stop" in down.stderr) == (1, True)
    for change, message in [
        ({"LEXHOP_GRAPH_PASSWORD": "wrong"}, "refuses the user 'neo4j'"),
        ({"LEXHOP_GRAPH_DATABASE": "absent"}, "refuses the database 'absent'"),
        ({"LEXHOP_GRAPH_URL": "bolt://127.0.0.1:1"}, "no Neo4j answers at 'bolt://127.0.0.1:1'"),
        ({"LEXHOP_GRAPH_URL": "http://127.0.0.1:1"}, "'http://127.0.0.1:1' is no Bolt address"),
    ]:
        failed = lexhop(settings, "graph", "status", **(login | change))
        assert failed.returncode == 1
        assert message in failed.stderr
        assert "Traceback" not in failed.stderr


def test_a_transaction_beyond_the_limit_is_ended_and_so_is_a_host_whose_folder_is_gone(tmp_path: Path) -> None:
    graph = LocalGraph(local_settings(tmp_path, local_transaction_seconds=1), QUIET)
    with graph.acquire() as lease:
        with driver(lease.address) as connected, pytest.raises(Neo4jError) as ended:
            connected.execute_query("UNWIND range(1, 100000) AS a UNWIND range(1, 1000000) AS b RETURN max(a * b)")
        assert "TransactionTimedOut" in str(ended.value.code)
        host = psutil.Process(host_pid(graph))
        shutil.rmtree(graph.paths.root)
        until(lambda: not host.is_running() or host.status() == psutil.STATUS_ZOMBIE)
