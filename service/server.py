"""Runs the application on a bound socket: uvicorn, with what our users' clients need of it."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["make_server", "run_server"]

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


class RawTargetProtocol(HttpToolsProtocol):
    """Takes raw UTF-8 in a request's target, as ``curl http://…/ГК_1064`` sends it, for its escaped form.

    The parser below refuses such bytes in a query, so the request line is escaped before it gets there.
    """

    _in_line = True

    def data_received(self, data: bytes) -> None:
        """Escape what is not ASCII in the request line, byte by byte: it does not matter where the line was cut."""
        if self._in_line:
            line, end, rest = data.partition(b"\r\n")
            self._in_line = not end
            if not line.isascii():
                data = _NOT_ASCII.sub(lambda byte: f"%{byte[0][0]:02X}".encode(), line) + end + rest
        super().data_received(data)

    def on_message_complete(self) -> None:
        """The next thing to come is a request line again."""
        self._in_line = True
        super().on_message_complete()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()


def make_server(app: FastAPI, started: Callable[[], None]) -> uvicorn.Server:
    """Return a server that calls ``started`` once it answers."""
    config = uvicorn.Config(
        app,
        http=RawTargetProtocol,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    return _Server(config, started)


async def run_server(app: FastAPI, listener: socket.socket, started: Callable[[], None]) -> None:
    """Serve until a signal says stop."""
    await make_server(app, started).serve([listener])
