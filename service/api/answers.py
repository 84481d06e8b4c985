"""Answers as bytes: JSON once, an ETag, and a bounded cache in front of the routes that only read the graph."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.metrics import Metrics
from service.graph.watch import CatalogWatcher

_READING = (
    "/v1/acts",
    "/v1/articles",
    "/v1/between",
    "/v1/context",
    "/v1/corpora/",
    "/v1/diagnostics",
    "/v1/paths",
    "/v1/relations",
)
"""Routes whose answers depend on the graph alone."""

__all__ = ["AnswerCache", "json_answer"]

_LARGEST = 1_000_000
_TOTAL = 256_000_000


def json_answer(value: Any) -> Response:
    """Return a value as a JSON answer."""
    return Response(orjson.dumps(value), media_type="application/json")


@dataclass(frozen=True, slots=True)
class _Answer:
    headers: list[tuple[bytes, bytes]]
    body: bytes
    etag: bytes


class AnswerCache:
    """Keeps whole answers to GET requests of the graph, gives each an ETag, and answers If-None-Match with 304.

    An answer depends on the request and on which versions are current, and on nothing else: the key holds the path, the
    query, the type accepted, and the number of the last change of the catalog. The cache is bounded in entries and bytes.
    """

    def __init__(self, *, metrics: Metrics, entries: int) -> None:
        self._app: ASGIApp | None = None
        self._watcher: CatalogWatcher | None = None
        self._hit = metrics.cache.labels("hit")
        self._miss = metrics.cache.labels("miss")
        self._entries = entries
        self._kept: OrderedDict[tuple[Any, ...], _Answer] = OrderedDict()
        self._bytes = 0

    def bind(self, watcher: CatalogWatcher) -> None:
        """Say whose catalog the answers depend on; until then nothing is kept."""
        self._watcher = watcher

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Stand in front of an application."""
        self._app = app
        return self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        app, watcher = self._app, self._watcher
        assert app is not None  # noqa: S101 - set when the middleware was made
        if (
            watcher is None
            or scope["type"] != "http"
            or scope["method"] != "GET"
            or not scope["path"].startswith(_READING)
        ):
            await app(scope, receive, send)
            return
        accept = none_match = b""
        for name, value in scope["headers"]:
            if name == b"accept":
                accept = value
            elif name == b"if-none-match":
                none_match = value
        key = (watcher.generation, scope["raw_path"], scope["query_string"], accept)
        answer = self._kept.get(key) if watcher.healthy else None
        if answer is None:
            self._miss.inc()
            answer = await _ask(app, scope, receive, send)
            if answer is None:
                return
            self._keep(key, answer)
        else:
            self._kept.move_to_end(key)
            self._hit.inc()
        if none_match and _matches(none_match, answer.etag):
            await send({"type": "http.response.start", "status": 304, "headers": [(b"etag", answer.etag)]})
            await send({"type": "http.response.body", "body": b""})
            return
        # A copy: what packs the answer changes the headers in place.
        await send({"type": "http.response.start", "status": 200, "headers": answer.headers.copy()})
        await send({"type": "http.response.body", "body": answer.body})

    def _keep(self, key: tuple[Any, ...], answer: _Answer) -> None:
        if not self._entries or len(answer.body) > _LARGEST:
            return
        self._kept[key] = answer
        self._bytes += len(answer.body)
        while len(self._kept) > self._entries or self._bytes > _TOTAL:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped.body)


async def _ask(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> _Answer | None:
    """Return a whole 200 answer that was held back, or None when the answer was passed on as it came."""
    start: Message | None = None
    body = b""
    passing = False

    async def listen(message: Message) -> None:
        nonlocal start, body, passing
        if message["type"] == "http.response.start":
            start = message
            if message["status"] != 200 or not _has_length(message["headers"]):
                passing = True
                await send(message)
        elif passing:
            await send(message)
        else:
            body += message.get("body", b"")

    await app(scope, receive, listen)
    if passing or start is None:
        return None
    etag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
    return _Answer([*start["headers"], (b"etag", etag), (b"cache-control", b"no-cache")], body, etag)


def _has_length(headers: list[tuple[bytes, bytes]]) -> bool:
    # A streamed answer has no length and may be long: it is passed on, never held back.
    return any(name == b"content-length" for name, _ in headers)


def _matches(given: bytes, etag: bytes) -> bool:
    return given.strip() == b"*" or etag in {one.strip().removeprefix(b"W/") for one in given.split(b",")}
