"""A graph that cannot be used: one clear line and exit status 1, whichever command asks."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.errors import SetupError
from service.graph.address import GraphAddress
from service.graph.probe import probe, require_recent
from tests.integration.service.conftest import environment_for
from tests.integration.service.scenes import command


class OldNeo4j:
    """Speaks as much of Bolt 4.4 as a client needs to hear which server it has met; written from Bolt's specification."""

    def __init__(self, agent: str) -> None:
        self.agent = agent.encode()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"bolt://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ended = False

    def serve(self) -> None:
        while not self.ended:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection: socket.socket) -> None:
        with connection:
            stream = connection.makefile("rb")
            stream.read(20)  # the magic word and four versions
            connection.sendall(b"\x00\x00\x04\x04")
            while message := self.message(stream):
                if message[1] == 0x02:  # GOODBYE
                    return
                # SUCCESS {server, connection_id}; nobody minds the extra names in answer to other messages.
                body = b"\xb1\x70\xa2" + self.text(b"server") + self.text(self.agent)
                body += self.text(b"connection_id") + self.text(b"bolt-1")
                connection.sendall(struct.pack(">H", len(body)) + body + b"\x00\x00")

    @staticmethod
    def message(stream: object) -> bytes:
        body = b""
        while True:
            head = stream.read(2)  # type: ignore[attr-defined]
            if len(head) < 2:
                return b""
            (size,) = struct.unpack(">H", head)
            if size == 0:
                if body:
                    return body
                continue
            body += stream.read(size)  # type: ignore[attr-defined]

    @staticmethod
    def text(value: bytes) -> bytes:
        return b"\xd0" + bytes([len(value)]) + value


@contextmanager
def old_neo4j(agent: str) -> Iterator[str]:
    server = OldNeo4j(agent)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.ended = True
        # Wakes accept() where closing alone does not.
        with socket.create_connection(server.listener.getsockname()):
            server.listener.close()
        thread.join(10)


COMMANDS = [("serve", "--port", "0"), ("corpus", "list"), ("corpus", "list", "--json")]


def one_line(environment: dict[str, str], arguments: tuple[str, ...], *said: str) -> None:
    done = command(environment, *arguments)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("lexhop: ")
    for part in said:
        assert part in line


@pytest.mark.graph
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_wrong_password_is_one_clear_line(graph_address: GraphAddress, arguments: tuple[str, ...]) -> None:
    environment = environment_for(graph_address, LEXHOP_GRAPH_PASSWORD="не тот")
    one_line(environment, arguments, "refuses the user 'neo4j'", "correct LEXHOP_GRAPH_USER and LEXHOP_GRAPH_PASSWORD")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_server_that_does_not_answer_is_one_clear_line(arguments: tuple[str, ...]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        url = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        one_line(environment_for(nowhere(url)), arguments, f"no Neo4j answers at '{url}'", "correct LEXHOP_GRAPH_URL")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_server_that_is_too_old_is_one_clear_line(arguments: tuple[str, ...]) -> None:
    with old_neo4j("Neo4j/4.4.44") as url:
        one_line(environment_for(nowhere(url)), arguments, f"Neo4j at '{url}' is 4.4.44", "needs 5.26 or newer")


def nowhere(url: str) -> GraphAddress:
    from pydantic import SecretStr

    return GraphAddress(url, "neo4j", SecretStr("geheim"), "neo4j")


@pytest.mark.parametrize("agent", ["Neo4j/5.26.0", "Neo4j/2026.09.0"])
def test_a_recent_server_is_taken(agent: str) -> None:
    with old_neo4j(agent) as url:
        assert asyncio.run(probe(nowhere(url))).version == agent.partition("/")[2]


@pytest.mark.parametrize("version", ["4.4.44", "5.25.9", "3.5.0"])
def test_what_is_older_than_the_oldest_is_refused(version: str) -> None:
    with pytest.raises(SetupError, match=f"is {version}, and Lexhop needs 5.26 or newer"):
        require_recent(version, "bolt://x:1")
