"""The one writer of a graph: a lock node with a token and a heartbeat, in the graph, for remote ones too.

Every write of a load checks the token in its own transaction, so that a writer that was taken for dead and replaced can
do no more harm.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import structlog

from service.errors import ConflictError, LexhopError, UnavailableError
from service.graph.queries import query
from service.resources import resource_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.graph.queries import Query
    from service.graph.store import GraphStore, Row

__all__ = ["Writer", "bootstrap_statement", "writing"]

_log = structlog.get_logger(__name__)


def bootstrap_statement() -> str:
    """Return the constraint that the lock node itself needs: the first statement of the first migration."""
    body = [line for line in resource_text("migrations/graph/0001_identity.cypher").splitlines() if line[:2] != "//"]
    return "\n".join(body).split(";")[0]


class Writer:
    """Holds the lock; made by :func:`writing`."""

    def __init__(self, store: GraphStore, token: str) -> None:
        self._store = store
        self.token = token

    async def beat(self) -> None:
        """Renew the heartbeat.

        Raises:
            ConflictError: Another process took the lock over.
        """
        _held(await self._store.write(query("writer/beat"), token=self.token))

    async def write(self, asked: Query, /, **parameters: Any) -> list[Row]:
        """Run a write that checks the token itself (its parameter ``token``) and returns a row when it is held."""
        rows = await self._store.write(asked, token=self.token, **parameters)
        _held(rows)
        return rows


@asynccontextmanager
async def writing(
    store: GraphStore, doing: str, *, stale_seconds: float, wait_seconds: float = 0.0
) -> AsyncIterator[Writer]:
    """Hold the writer's lock for a block.

    Args:
        store: The graph.
        doing: What is to be done, told to whoever has to wait.
        stale_seconds: Age at which another writer's heartbeat counts as dead.
        wait_seconds: How long to wait for another writer.

    Raises:
        ConflictError: Another writer is at work and did not finish in time.
    """
    token = secrets.token_hex(16)
    await _acquire(store, token, doing, stale_seconds, wait_seconds)
    writer = Writer(store, token)
    beating = asyncio.create_task(_keep_beating(writer, stale_seconds / 4))
    try:
        yield writer
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
        # A graph that is gone keeps the lock; its heartbeat grows stale, and the next writer sees that we are dead.
        with suppress(UnavailableError):
            await asyncio.shield(store.write(query("writer/release"), token=token))


async def _acquire(store: GraphStore, token: str, doing: str, stale_seconds: float, wait_seconds: float) -> None:
    deadline = asyncio.get_running_loop().time() + wait_seconds
    dead, told = "", False
    while True:
        (row,) = await store.write(
            query("writer/acquire"),
            token=token,
            holder=_me(),
            doing=doing,
            stale_ms=int(stale_seconds * 1000),
            dead=dead,
        )
        if row["token"] == token:
            return
        if _is_dead(row["holder"]) and row["token"] != dead:
            dead = row["token"]
            continue
        if asyncio.get_running_loop().time() >= deadline:
            raise ConflictError(
                f"another process ({row['holder']}) is at work on the graph: {row['doing']}; "
                f"last heard of {row['age_ms'] / 1000:.0f} s ago. "
                f"Wait for it, or repeat in {stale_seconds:g} s if it died"
            )
        if not told:
            _log.info("waiting_for_writer", holder=row["holder"], doing=row["doing"])
            told = True
        await asyncio.sleep(0.5)


async def _keep_beating(writer: Writer, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        # What went wrong shows in the next write of the load itself.
        with suppress(LexhopError):
            await writer.beat()


def _held(rows: list[Row]) -> None:
    if not rows:
        raise ConflictError(
            "another process took over the writer's lock of the graph; nothing of this load is served: repeat it"
        )


def _me() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"


def _is_dead(holder: str | None) -> bool:
    """Tell whether the holder was a process of this machine that is no more."""
    host, _, process = (holder or "").rpartition("/")
    if host != socket.gethostname() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
