"""Ollama's native API, whose context window a call sets itself; its OpenAI-compatible one cannot.

Written from Ollama's documentation of ``POST /api/chat``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from service.models._failures import CallError, of_status
from service.models._size import bounded
from service.models._types import RawReply, ReplyStatus, Request, Usage, token_count

if TYPE_CHECKING:
    import ssl

__all__ = ["OLLAMA_URL", "OllamaProvider"]

OLLAMA_URL = "http://127.0.0.1:11434"

_OPTION_NAMES = {"max_tokens": "num_predict", "max_completion_tokens": "num_predict"}


class OllamaProvider:
    """One Ollama server."""

    def __init__(
        self,
        base_url: str,
        *,
        window: int | None,
        thinking: bool | None,
        seconds: float,
        key: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._window = window
        self._thinking = thinking
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(
            base_url=base_url,
            timeout=seconds,
            headers=headers,
            verify=True if tls is None else tls,
            event_hooks={"response": [bounded(httpx.AsyncByteStream)]},
        )

    async def complete(self, request: Request) -> RawReply:
        """Make one attempt (see ``Provider``)."""
        options = {_OPTION_NAMES.get(name, name): value for name, value in request.options.items()}
        if self._window is not None:
            options["num_ctx"] = self._window
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
            "stream": False,
            "options": options,
        }
        if self._thinking is not None:
            body["think"] = self._thinking
        try:
            answer = await self._client.post("/api/chat", json=body)
        except httpx.TimeoutException as error:
            raise CallError(ReplyStatus.TIMEOUT, "the server did not answer in time", again=True, sick=True) from error
        except httpx.HTTPError as error:
            reason = f"no connection ({type(error).__name__})"
            raise CallError(ReplyStatus.UNREACHABLE, reason, again=True, sick=True) from error
        if answer.status_code != 200:
            raise of_status(answer.status_code, answer.text, headers=answer.headers)
        try:
            return self._read(answer.json())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = "the server sent something else than a reply of /api/chat"
            raise CallError(ReplyStatus.BAD_REPLY, reason, again=True, sick=True) from error

    def _read(self, body: dict[str, Any]) -> RawReply:
        message = body["message"]
        content = message["content"]
        if not isinstance(content, str) or body.get("done") is not True:
            raise ValueError(content)
        prompt, reason = body.get("prompt_eval_count"), body.get("done_reason")
        # Ollama cuts a prompt that does not fit without a word; a window filled to the brim is the only sign.
        if self._window is not None and isinstance(prompt, int) and prompt >= self._window:
            raise CallError(
                ReplyStatus.CONTEXT_OVERFLOW,
                f"the prompt fills the whole window of {self._window} tokens, so Ollama cut it; raise 'window'",
                again=False,
                sick=False,
            )
        return RawReply(
            content=content,
            finish_reason=reason if isinstance(reason, str) else None,
            usage=Usage(token_count(prompt), token_count(body.get("eval_count"))),
            thinking=message.get("thinking") or None,
            served_by=body.get("model"),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
