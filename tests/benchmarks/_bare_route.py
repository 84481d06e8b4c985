"""A FastAPI route that returns the same bytes whatever is asked: what a warm answer is held against.

``python -m tests.benchmarks._bare_route FILE`` prints its port and serves until it is killed.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from fastapi.responses import Response


def main() -> None:
    body = Path(sys.argv[1]).read_bytes()
    app = FastAPI()

    @app.get("/{rest:path}")
    async def answer(rest: str) -> Response:
        return Response(body, media_type="application/json")

    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    config = uvicorn.Config(app, access_log=False, log_config=None, server_header=False)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
