"""What the fake server can do to a request, each as HTTP bytes or as a way to deliver them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

OBJECT = '{"score": 0.5, "reason": "named in the list"}'


@dataclass(frozen=True)
class Response:
    """An answer to one request.

    Attributes:
        deliver: ``whole``; ``drip`` (a byte a tick, forever short of the end); ``cut`` (closed in the middle);
            ``close`` (closed before a byte); ``hang`` (never).
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    deliver: str = "whole"


def completion(
    content: str | None,
    *,
    finish_reason: str | None = "stop",
    model: str = "fake",
    prompt: int = 100,
    reasoning: int | None = None,
    **message: Any,
) -> dict[str, Any]:
    tokens = len(content or "") // 3 + (reasoning or 0)
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}
    if reasoning is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
                "logprobs": None,
            }
        ],
        "usage": usage,
    }


def _json(value: Any, **options: Any) -> Response:
    return Response(body=json.dumps(value).encode(), **options)


def _says(content: str | None, **options: Any) -> Callable[[str], Response]:
    return lambda reply: _json(completion(reply if content == "{reply}" else content, **options))


def _error(status: int, code: str | None = None, **headers: str) -> Callable[[str], Response]:
    body = {"error": {"message": f"scripted {status}", "type": "scripted", "code": code, "param": None}}
    return lambda _: _json(
        body, status=status, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def _nan_usage(reply: str) -> Response:
    value = completion(reply)
    value["usage"] = {"prompt_tokens": float("nan"), "completion_tokens": float("inf"), "total_tokens": -1}
    return _json(value)


def _message(finish_reason: str = "stop", **message: Any) -> Callable[[str], Response]:
    """A completion whose message is just so; ``{reply}`` anywhere in it becomes the reply."""

    def answer(reply: str) -> Response:
        value = completion("", finish_reason=finish_reason)
        body = json.dumps({"role": "assistant", **message}).replace('"{reply}"', json.dumps(reply))
        value["choices"][0]["message"] = json.loads(body)
        return _json(value)

    return answer


def _error_in_choice(reply: str) -> Response:
    value = completion(reply[: len(reply) // 2])
    value["choices"][0] |= {"finish_reason": "stop", "error": {"code": 502, "message": "scripted: upstream died"}}
    return _json(value)


def _events(reply: str) -> bytes:
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": reply}}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


BEHAVIOURS: dict[str, Callable[[str], Response]] = {
    "ok": _says("{reply}"),
    "prose": _says(f"Having weighed it all, I say:\n{OBJECT}\nThat is my verdict."),
    "fence": _says(f"```json\n{OBJECT}\n```"),
    "think": _says(f'<think>\nPerhaps {{"score": 1}}?\n</think>\n{OBJECT}'),
    "open_think": _says(f'Perhaps {{"score": 1}}?\n</think>\n{OBJECT}'),
    "odd_characters": _says('{"score": 0.5, "reason": "NUL \0 and half \ud800 a character"}'),
    "two_objects": _says(f'{{"score": 1, "reason": "quoted"}} {OBJECT}'),
    "cut_json": _says('{"score": 0.5, "reason": "nam'),
    "planted": _says('The answer says {"score": 1, "reason": "x"}, but {"score": 0'),
    "nan": _says('{"score": NaN, "reason": "x"}'),
    "outside": _says('{"score": 0.7, "reason": "x"}'),
    "twice": _says('{"score": 0, "score": 1, "reason": "x"}'),
    "prose_only": _says("Score: 0.5"),
    "length": _says('{"score": 0.5, "reas', finish_reason="length"),
    "empty": _says(""),
    "null": _says(None),
    "empty_after_thinking": _says("", finish_reason="length", reasoning=4096, reasoning_content="Let me see…"),
    "unclosed_think": _says("<think>\nLet me see", finish_reason="length"),
    "refusal": _says(None, refusal="I cannot help with that."),
    "filter": _says("", finish_reason="content_filter"),
    "blacklist": _says("Не люблю менять тему разговора", finish_reason="blacklist"),
    "429": _error(429, "rate_limit_exceeded", Retry_After="0.05"),
    "429_long": _error(429, "rate_limit_exceeded", Retry_After="3600"),
    "429_bare": _error(429),
    "quota": _error(429, "insufficient_quota"),
    "500": _error(500),
    "503": _error(503, None, Retry_After="0.05"),
    "400": _error(400, "invalid_request_error"),
    "401": _error(401, "invalid_api_key"),
    "404": _error(404, "model_not_found"),
    "overflow": _error(400, "context_length_exceeded"),
    "filter_400": _error(400, "content_filter"),
    "hang": lambda _: Response(deliver="hang"),
    "drip": lambda reply: _json(completion(reply), deliver="drip"),
    "cut": lambda reply: _json(completion(reply), deliver="cut"),
    "close": lambda _: Response(deliver="close"),
    "html": lambda _: Response(body=b"<html><body>Welcome</body></html>", content_type="text/html"),
    "text_json": lambda reply: Response(body=json.dumps(completion(reply)).encode(), content_type="text/plain"),
    "not_json": lambda _: Response(body=b'{"id": "chatcmpl-1", "choices": [{"mess'),
    "no_choices": lambda _: _json({"id": "x", "object": "chat.completion", "choices": []}),
    "odd_shape": lambda _: _json({"choices": [{"message": {"content": {"text": 1}}}]}),
    "list": lambda _: _json([1, 2]),
    "nan_usage": _nan_usage,
    "broken_off": _says('{"score": 0.5, "reas', finish_reason="error"),
    "no_resources": _says('{"score": 0.5, "reas', finish_reason="insufficient_system_resource"),
    "error_in_choice": _error_in_choice,
    "error_in_200": lambda _: _json({"error": {"code": 502, "message": "scripted: upstream died"}}),
    "quota_in_200": lambda _: _json({"error": {"code": "402", "message": "scripted: no credit"}}),
    "words_in_200": lambda _: _json({"error": "scripted: overloaded"}),
    "402": _error(402),
    "capital_length": _says('{"score": 0.5, "reas', finish_reason="MAX_TOKENS"),
    "model_length": _says('{"score": 0.5, "reas', finish_reason="model_length"),
    "safety": _says("", finish_reason="SAFETY"),
    "invisible": _says("\u200b\n\ufeff"),
    "tool": _message("tool_calls", content=None, tool_calls=[{"type": "function", "function": {"name": "f"}}]),
    "parts": _message(
        content=[
            {"type": "thinking", "thinking": [{"type": "text", "text": "Perhaps?"}]},
            {"type": "text", "text": "{reply}"},
        ]
    ),
    "picture": _message(content=[{"type": "image_url", "image_url": {"url": "data:,"}}]),
    "events": lambda reply: Response(body=_events(reply), content_type="text/event-stream"),
    "events_as_json": lambda reply: Response(body=_events(reply)),
    "gzip": lambda reply: Response(
        body=gzip.compress(json.dumps(completion(reply)).encode()), headers={"Content-Encoding": "gzip"}
    ),
    "broken_gzip": lambda reply: Response(
        body=json.dumps(completion(reply)).encode(), headers={"Content-Encoding": "gzip"}
    ),
    "cp1251": lambda _: Response(
        body=json.dumps(completion("Вывод"), ensure_ascii=False).encode("cp1251"),
        content_type="application/json; charset=windows-1251",
    ),
    "bom": lambda reply: Response(body=b"\xef\xbb\xbf" + json.dumps(completion(reply)).encode()),
    "no_body": lambda _: Response(),
    "deep": lambda _: Response(body=b"[" * 100_000 + b"]" * 100_000),
    "redirect": lambda _: Response(status=302, headers={"Location": "http://127.0.0.1:9/"}),
}
