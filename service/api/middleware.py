"""What stands around every route: a request id, a log line, figures, and a limit on time."""

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

__all__ = ["RequestLog", "TimeLimit"]

_log = structlog.get_logger("lexhop.http")
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


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


class TimeLimit:
    """Ends requests that take too long, before they began to answer.

    A GET has no body, and an export may stream for long: its limits are those of each read of the graph.
    """

    def __init__(self, app: ASGIApp, *, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request within its time."""
        if scope["type"] != "http" or scope["method"] == "GET":
            await self._app(scope, receive, send)
            return
        started = False

        async def listen(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._seconds):
                await self._app(scope, receive, listen)
        except TimeoutError:
            if started:
                raise
            detail = (
                f"the request took longer than {self._seconds:g} s (LEXHOP_REQUEST_SECONDS); ask for less at a time"
            )
            response = problem(Request(scope), 503, "timeout", detail)
            response.headers["Retry-After"] = "5"
            await response(scope, receive, send)
