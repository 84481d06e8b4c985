"""What stands around every route: a request id, a log line, figures, and limits on size and time."""

from __future__ import annotations

import asyncio
import re
import secrets
import time

import structlog
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.metrics import Metrics
from service.api.problems import problem

__all__ = ["Limits", "RequestLog"]

_log = structlog.get_logger("lexhop.http")
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def _streams(scope: Scope) -> bool:
    """Tell whether a body is read line by line: the route bounds each line, their number, and what it keeps of them."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    return scope["path"].endswith("/submissions") and kind.split(b";")[0].strip() == b"application/x-ndjson"


class RequestLog:
    """Gives each request an id (a caller's X-Request-ID is kept), logs it, and counts it by route."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = given.decode() if _ID.fullmatch(given) else secrets.token_hex(8)
        scope["lexhop.request_id"] = request_id
        begun = time.perf_counter()
        status = 500

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", request_id.encode())]}
            await send(message)

        try:
            await self._app(scope, receive, tell)
        finally:
            seconds = time.perf_counter() - begun
            route = getattr(scope.get("route"), "path", "") or "cached"
            self._metrics.requests.labels(scope["method"], route, str(status)).inc()
            self._metrics.seconds.labels(route).observe(seconds)
            if status >= 500:
                _log.warning("served", id=request_id, path=scope["path"], status=status, ms=round(seconds * 1000, 1))


class Limits:
    """Refuses bodies above a size and addresses with a NUL, and ends requests above a time.

    FastAPI has a body limit too, but it stands outside of everything else and answers in plain text, without a problem
    document and a request id.
    """

    def __init__(self, app: ASGIApp, *, most_bytes: int, seconds: float) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request within its limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            detail = "the address holds a NUL (%00), which nothing here has in its name; take it out"
            await problem(Request(scope), 422, "bad_input", detail)(scope, receive, send)
            return
        if _streams(scope):
            await self._app(scope, receive, send)
            return
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if length.isdigit() and int(length) > self._most_bytes:
            await self._refuse_size(scope, receive, send)
            return
        if scope["method"] == "GET":
            # It has no body, and an export may stream for long: its limits are those of each read of the graph.
            await self._app(scope, receive, send)
            return
        started = False
        seen = 0

        async def listen(message: Message) -> None:
            nonlocal started
            if seen <= self._most_bytes:
                started = True
                await send(message)

        async def count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            # The route sees a client that went away; whatever it says to that is not passed on.
            return message if seen <= self._most_bytes else {"type": "http.disconnect"}

        try:
            async with asyncio.timeout(self._seconds):
                await self._app(scope, count, listen)
            if seen > self._most_bytes and not started:
                await self._refuse_size(scope, receive, send)
        except TimeoutError:
            if started:
                raise
            detail = (
                f"the request took longer than {self._seconds:g} s (LEXHOP_REQUEST_SECONDS); ask for less at a time"
            )
            response = problem(Request(scope), 503, "timeout", detail)
            response.headers["Retry-After"] = "5"
            await response(scope, receive, send)

    async def _refuse_size(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"the body is larger than {self._most_bytes} bytes (LEXHOP_REQUEST_BYTES); send it in parts"
        response = problem(Request(scope), 413, "too_large", detail)
        response.headers["Connection"] = "close"
        await response(scope, receive, send)
