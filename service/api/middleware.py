"""What stands around every route: a request id, a log line, figures, and limits on size and time."""

from __future__ import annotations

import asyncio
import re
import secrets
import time

import structlog
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.bodies import is_ndjson
from service.api.metrics import Metrics
from service.api.problems import problem

__all__ = ["Limits", "RequestLog"]

_log = structlog.get_logger("lexhop.http")
_ONE_ANSWER = ("/submissions", "/read")
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def _streams(scope: Scope) -> bool:
    """Tell whether a body is read line by line: the route bounds each line, their number, and what it keeps of them."""
    return scope["path"].endswith("/submissions") and is_ndjson(_header(scope, b"content-type"))


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for given, value in scope["headers"] if given == name), "")


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

    def __init__(self, app: ASGIApp, *, most_bytes: int, answer_bytes: int, seconds: float) -> None:
        self._app = app
        self._general = most_bytes
        self._answer_bytes = max(most_bytes, answer_bytes)
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
        encoding = _header(scope, b"content-encoding").strip().lower()
        if encoding not in ("", "identity"):
            detail = f"content-encoding {encoding[:40]!r} is not read here; send the body as it is, without compression"
            await problem(Request(scope), 422, "bad_input", detail)(scope, receive, send)
            return
        if _streams(scope):
            await self._app(scope, receive, send)
            return
        most = self._most_bytes(scope)
        length = _header(scope, b"content-length")
        if length.isascii() and length.isdigit() and int(length) > most:
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
            if seen <= most:
                started = True
                await send(message)

        async def count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            # The route sees a client that went away; whatever it says to that is not passed on.
            return message if seen <= most else {"type": "http.disconnect"}

        try:
            async with asyncio.timeout(self._seconds):
                await self._app(scope, count, listen)
            if seen > most and not started:
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

    def _most_bytes(self, scope: Scope) -> int:
        """Return the most bytes of a body: an answer of the longest text has to fit, however it is escaped."""
        return self._answer_bytes if scope["path"].endswith(_ONE_ANSWER) else self._general

    async def _refuse_size(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = self._most_bytes(scope)
        detail = f"the body is larger than {most} bytes (LEXHOP_REQUEST_BYTES); send it in parts"
        if most > self._general:
            detail = (
                f"the body is larger than {most} bytes, which no text within LEXHOP_SUBMISSION_CHARS takes; shorten it"
            )
        response = problem(Request(scope), 413, "too_large", detail)
        response.headers["Connection"] = "close"
        await response(scope, receive, send)
