"""The socket and the loop that a service runs on."""

from __future__ import annotations

import asyncio
import socket

import pytest

from service.cli.serve import address_of, bind
from service.errors import SetupError
from service.loops import run_async


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, None], ids=["asyncio", "ours"])
def test_an_accepted_connection_does_not_hold_small_packets_back(factory: object) -> None:
    """With the delay on, an answer whose headers and body are two writes took 40 ms longer."""
    held_back = []

    class Answer(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted = transport.get_extra_info("socket")
            held_back.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0)
            transport.close()

    async def scene() -> None:
        with bind("127.0.0.1", 0) as listener:
            server = await asyncio.get_running_loop().create_server(Answer, sock=listener)
            async with server:
                reader, writer = await asyncio.open_connection(*listener.getsockname()[:2])
                assert await reader.read() == b""
                writer.close()

    if factory is None:
        run_async(scene())
    else:
        asyncio.run(scene())
    assert held_back == [False]


def test_a_port_in_use_is_named_and_an_address_is_one() -> None:
    with bind("127.0.0.1", 0) as listener:
        listener.listen()
        port = listener.getsockname()[1]
        assert address_of(listener) == f"http://127.0.0.1:{port}"
        with pytest.raises(SetupError, match=rf"cannot serve at 127\.0\.0\.1:{port} .*give another --host or --port"):
            bind("127.0.0.1", port)
