"""``lexhop serve``: the HTTP service."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Annotated

import typer

from service.cli.output import JsonFlag, notes, print_json
from service.errors import SetupError
from service.settings import Settings

__all__ = ["address_of", "app", "bind"]

app = typer.Typer()


@app.callback()
def serve(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one. Default: LEXHOP_PORT.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to bind to. Default: LEXHOP_HOST, loopback.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Serve the graph over HTTP; brings a local graph up and migrates it, no other step is needed.

    Examples: lexhop serve --port 8321; LEXHOP_GRAPH_URL=bolt://graph:7687 lexhop serve --host 0.0.0.0
    """
    from service.logs import set_up_logs
    from service.loops import run_async

    settings = Settings()
    set_up_logs(as_json=settings.log_json)
    listener = bind(host or settings.host, settings.port if port is None else port)
    address = address_of(listener)

    def started() -> None:
        if as_json:
            print_json({"url": address, "docs": f"{address}/docs"})
        else:
            notes().print(f"Lexhop serves at {address} (routes at {address}/docs); Ctrl-C ends it", soft_wrap=True)

    # Ctrl-C is how a service ends, no accident: status 0.
    with contextlib.suppress(KeyboardInterrupt):
        run_async(_serve(settings, listener, started))


async def _serve(settings: Settings, listener: socket.socket, started: Callable[[], None]) -> None:
    from service.app import create_app
    from service.db import open_ledger
    from service.graph.opening import open_graph
    from service.server import run_server

    # Opened once before the server starts, so that whatever is wrong is one sentence and exit status 1.
    async with open_ledger(settings), open_graph(settings):
        await run_server(create_app(settings), listener, started)


def bind(host: str, port: int) -> socket.socket:
    """Bind the port before anything slow is done, so that a port in use is told at once.

    Raises:
        SetupError: The address or the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, or the event loop would not know that it may turn off the delay of small packets: an answer of
    # headers and a short body took 40 ms longer then.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SetupError(f"cannot serve at {host}:{port} ({error.strerror}); give another --host or --port") from error
    listener.set_inheritable(True)
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address at which a listener is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
