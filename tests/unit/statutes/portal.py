"""A portal on loopback that serves statutes and misbehaves as told."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from types import TracebackType

MODIFIED = "Mon, 01 Jun 2026 10:00:00 GMT"


@dataclass
class Portal:
    """Serves ``pages`` by number; ``moods`` are taken one a request: a status, ``cut``, ``foreign`` or ``drop``."""

    pages: dict[str, bytes]
    moods: list[Any] = field(default_factory=list)
    charset: str = "utf-8"
    conditional: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Portal:
        portal = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                return

            def do_GET(self) -> None:
                portal.answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        (number,) = parse_qs(urlsplit(request.path).query, keep_blank_values=True)["nd"]
        since = request.headers.get("If-Modified-Since")
        self.asked.append((number, since))
        mood = self.moods.pop(0) if self.moods else None
        if isinstance(mood, int):
            request.send_response(mood)
            for name, value in self.headers.items():
                request.send_header(name, value)
            request.send_header("Content-Length", "0")
            request.end_headers()
        elif mood == "drop":
            request.close_connection = True
        elif self.conditional and since == MODIFIED:
            request.send_response(304)
            request.end_headers()
        elif number not in self.pages:
            request.send_error(404)
        else:
            body = self.pages[number] if mood != "foreign" else b"<html><body><p>About something else</p></body></html>"
            request.send_response(200)
            request.send_header("Content-Type", f"text/html; charset={self.charset}")
            if mood != "short":
                request.send_header("Content-Length", str(len(body)))
            if self.conditional:
                request.send_header("Last-Modified", MODIFIED)
            request.end_headers()
            request.wfile.write(body[: len(body) // 2] if mood in ("cut", "short") else body)
            request.close_connection = True
