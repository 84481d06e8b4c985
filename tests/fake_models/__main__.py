"""Run the fake model server: ``python -m tests.fake_models --port 9000 --script ok,429,hang``."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys

from tests.fake_models.behaviours import OBJECT
from tests.fake_models.server import BEHAVIOURS, FakeModels


async def serve(arguments: argparse.Namespace) -> None:
    server = FakeModels(
        script=arguments.script.split(","),
        reply=arguments.reply,
        rate=arguments.rate,
        retry_after=arguments.retry_after,
        latency=arguments.latency,
        port=arguments.port,
        keep=0,
    )
    async with server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        await server.forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fake_models", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one; the address is printed")
    parser.add_argument("--script", default="ok", help=f"behaviours in a circle, of: {', '.join(BEHAVIOURS)}")
    parser.add_argument("--reply", default=OBJECT, help="content of a good reply")
    parser.add_argument("--rate", type=float, help="calls a second that are borne; more get 429")
    parser.add_argument("--retry-after", help="header of those 429s")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before an answer")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args()))
