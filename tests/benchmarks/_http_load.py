"""Asks a service for many paths over a few kept connections, as lightly as Python can, in a process of its own.

``python -m tests.benchmarks._http_load HOST PORT CONNECTIONS``, one path a line on standard input; prints one JSON object
with the seconds taken, the answers and the bytes. A request that is not answered by 200 ends it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque


async def _connection(host: str, port: int, paths: deque[bytes]) -> tuple[int, int]:
    reader, writer = await asyncio.open_connection(host, port)
    answers = size = 0
    while paths:
        path = paths.popleft()
        writer.write(b"GET " + path + b" HTTP/1.1\r\nhost: bench\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{path!r} was answered by {head.splitlines()[0]!r}")
        place = head.lower().index(b"content-length: ") + 16
        length = int(head[place : head.index(b"\r", place)])
        await reader.readexactly(length)
        answers += 1
        size += length
    writer.close()
    return answers, size


async def _run(host: str, port: int, connections: int, paths: deque[bytes]) -> dict[str, float]:
    begun = time.perf_counter()
    done = await asyncio.gather(*(_connection(host, port, paths) for _ in range(connections)))
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "answers": sum(one[0] for one in done), "bytes": sum(one[1] for one in done)}


def main() -> None:
    import uvloop

    host, port, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    paths = deque(line.strip() for line in sys.stdin.buffer)
    sys.stdout.write(json.dumps(uvloop.run(_run(host, port, connections, paths))) + "\n")


if __name__ == "__main__":
    main()
