"""The server itself: HTTP/1.1 by hand, since no framework cuts a body or drips it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fake_models.behaviours import BEHAVIOURS, OBJECT, Response

__all__ = ["BEHAVIOURS", "FakeModels", "Seen"]

_REASONS = {
    200: "OK",
    302: "Found",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}


@dataclass(frozen=True)
class Seen:
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: Any
    at: float


@dataclass
class FakeModels:
    """Answers chat completions; which way, the script says.

    A model called ``fake-<behaviour>`` always behaves so; any other goes through ``script`` in a circle.

    Attributes:
        reply: The content of a good reply, or a function of the request's body.
        rate: Calls a second that are borne; more get 429.
        retry_after: The header of those 429s; None for none.
        latency: Seconds before an answer.
        key: The bearer token wanted; None takes any.
    """

    script: Sequence[str] = ("ok",)
    reply: str | Callable[[dict[str, Any]], str] = OBJECT
    rate: float | None = None
    retry_after: str | None = None
    latency: float = 0.0
    key: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    keep: int = 10_000
    seen: list[Seen] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    counts: Counter[str] = field(default_factory=Counter)
    tokens_given: int = 0
    token_seconds: float = 1800.0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _bucket: float = 0.0
    _filled: float = 0.0

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/v1"

    @property
    def root(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aenter__(self) -> FakeModels:
        unknown = [name for name in self.script if name not in BEHAVIOURS]
        if unknown:
            raise SystemExit(f"behaviours {unknown} are not known; take some of {', '.join(BEHAVIOURS)}")
        self._server = await asyncio.start_server(self._serve, self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        self._bucket, self._filled = self.rate or 0.0, time.monotonic()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def forever(self) -> None:
        assert self._server is not None
        await self._server.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = first.split(" ")[1]
        response = self._answer(path, headers, body)
        if self.latency:
            await asyncio.sleep(self.latency)
        return await _deliver(writer, response)

    def _answer(self, path: str, headers: dict[str, str], body: bytes) -> Response:
        if path.endswith("/oauth"):
            return self._token(headers, body)
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None
        self.arrived.set()
        if len(self.seen) < self.keep:
            self.seen.append(Seen(path, headers, asked, time.monotonic()))
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return self._counted("401", "")
        if not isinstance(asked, dict) or not asked.get("messages"):
            return self._counted("400", "")
        if self.rate is not None and not self._borne():
            self.counts["refused"] += 1
            headers = {} if self.retry_after is None else {"Retry-After": self.retry_after}
            return Response(429, b'{"error": {"message": "too fast"}}', headers)
        reply = self.reply if isinstance(self.reply, str) else self.reply(asked)
        model = str(asked.get("model", ""))
        if path.endswith("/api/chat"):
            return self._ollama(asked, reply)
        name = model.removeprefix("fake-")
        if name not in BEHAVIOURS:
            name = self.script[sum(self.counts.values()) % len(self.script)]
        return self._counted(name, reply)

    def _counted(self, name: str, reply: str) -> Response:
        self.counts[name] += 1
        return BEHAVIOURS[name](reply)

    def _borne(self) -> bool:
        assert self.rate is not None
        now = time.monotonic()
        self._bucket = min(max(1.0, self.rate), self._bucket + (now - self._filled) * self.rate)
        self._filled = now
        if self._bucket < 1:
            return False
        self._bucket -= 1
        return True

    def _token(self, headers: dict[str, str], body: bytes) -> Response:
        """GigaChat's OAuth, by its documentation."""
        if not headers.get("authorization", "").startswith("Basic ") or not headers.get("rquid"):
            return Response(400, b'{"code": 4, "message": "no authorization or RqUID"}')
        if not body.startswith(b"scope=GIGACHAT_API_"):
            return Response(400, b'{"code": 7, "message": "scope"}')
        self.tokens_given += 1
        self.key = f"token-{self.tokens_given}"
        ends = int((time.time() + self.token_seconds) * 1000)
        return Response(body=json.dumps({"access_token": self.key, "expires_at": ends}).encode())

    def _ollama(self, asked: dict[str, Any], reply: str) -> Response:
        """Ollama's ``/api/chat`` without a stream, by its documentation."""
        window = asked.get("options", {}).get("num_ctx", 2048)
        prompt = min(window, sum(len(message["content"]) for message in asked["messages"]) // 3)
        limit = asked.get("options", {}).get("num_predict", 10**6)
        tokens = len(reply) // 3
        message: dict[str, Any] = {"role": "assistant", "content": reply if tokens <= limit else reply[: limit * 3]}
        if asked.get("think"):
            message["thinking"] = "Let me see…"
        value = {
            "model": asked["model"],
            "created_at": "2026-01-01T00:00:00Z",
            "message": message,
            "done": True,
            "done_reason": "stop" if tokens <= limit else "length",
            "prompt_eval_count": prompt,
            "eval_count": min(tokens, limit),
        }
        return Response(body=json.dumps(value).encode())


async def _deliver(writer: asyncio.StreamWriter, response: Response) -> bool:
    if response.deliver == "hang":
        await asyncio.sleep(3600)
    if response.deliver in ("hang", "close"):
        return False
    lines = [
        f"HTTP/1.1 {response.status} {_REASONS.get(response.status, 'Scripted')}",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {len(response.body)}",
        *(f"{name}: {value}" for name, value in response.headers.items()),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
    if response.deliver == "whole":
        writer.write(response.body)
        await writer.drain()
        return True
    half = len(response.body) // 2
    if response.deliver == "cut":
        writer.write(response.body[:half])
        await writer.drain()
        return False
    for byte in response.body[:half]:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)
    await asyncio.sleep(3600)
    return False
