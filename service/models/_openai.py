"""OpenAI-compatible endpoints, by the openai SDK with its own retries off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from openai import (
    APIConnectionError,
    APIError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
)
from openai.types.chat import ChatCompletion

from service.models._failures import CallError, of_status
from service.models._size import bounded
from service.models._types import RawReply, ReplyStatus, Request, Usage, token_count

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable

__all__ = ["OpenAIProvider"]

_EVENTS = ("data:", "event:", ": ")
_STREAM = "an event stream though none was asked for"


class OpenAIProvider:
    """One endpoint and one key."""

    def __init__(
        self,
        base_url: str,
        key: str | Callable[[], Awaitable[str]],
        *,
        seconds: float,
        connections: int = 100,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        import httpx2  # noqa: PLC0415 - the SDK's own transport, needed only with it

        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=key,
            max_retries=0,
            timeout=seconds,
            http_client=DefaultAsyncHttpxClient(
                base_url=base_url,
                timeout=seconds,
                verify=True if tls is None else tls,
                follow_redirects=False,
                event_hooks={"response": [bounded(httpx2.AsyncByteStream)]},
                limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
            ),
        )

    async def complete(self, request: Request) -> RawReply:
        """Make one attempt (see ``Provider``)."""
        body = {
            "model": request.model,
            "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
            **request.options,
        }
        try:
            # Not by `chat.completions.create`, which walks through the body and all its type hints at every call to
            # rename nothing: that is a third of a call's cost, and options it does not know go another way.
            completion = await self._client.post("/chat/completions", cast_to=ChatCompletion, body=body)
        except APITimeoutError as error:
            raise CallError(ReplyStatus.TIMEOUT, "the server did not answer in time", again=True, sick=True) from error
        except APIStatusError as error:
            raise of_status(
                error.status_code, _message_of(error), code=_text(error.code), headers=error.response.headers
            ) from error
        except APIResponseValidationError as error:
            raise _bad(f"not a chat completion: {error.message[:200]}") from error
        except APIConnectionError as error:
            cause = error.__cause__
            if isinstance(cause, CallError):
                raise cause from error
            reason = type(cause or error).__name__
            if reason == "DecodingError":
                raise _bad(f"a body that cannot be unpacked ({cause})") from error
            raise CallError(ReplyStatus.UNREACHABLE, f"no connection ({reason})", again=True, sick=True) from error
        except APIError as error:
            raise _bad(f"an error in place of a reply: {error.message[:200]}") from error
        except (ValueError, RecursionError) as error:
            # The SDK reads the body as JSON without catching what is not.
            if str(getattr(error, "doc", "")).startswith(_EVENTS):
                raise _bad(_STREAM) from error
            raise _bad(f"a body that is not JSON ({error})") from error
        return _read(completion)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _message_of(error: APIStatusError) -> str:
    if error.response.is_redirect and (moved := error.response.headers.get("location")):
        return f"the address has moved to {moved!r}; state that one as the model's endpoint, if it is to be trusted"
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return json.dumps(body, ensure_ascii=False)[:300] if body else error.response.reason_phrase


def _bad(what: str) -> CallError:
    message = f"the server sent {what}; is this the address of an OpenAI-compatible endpoint?"
    return CallError(ReplyStatus.BAD_REPLY, message, again=True, sick=True)


def _read(completion: object) -> RawReply:
    # The SDK checks nothing: another content type comes back as text, absent fields as absent attributes.
    if isinstance(completion, str) and completion.lstrip().startswith(_EVENTS):
        raise _bad(_STREAM)
    if not isinstance(completion, ChatCompletion):
        raise _bad(f"something else than a chat completion ({type(completion).__name__})")
    _no_error_in(completion)
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or len(choices) != 1:
        number = len(choices) if isinstance(choices, list) else "no"
        raise _bad(f"a completion with {number} choices instead of one")
    _no_error_in(choices[0])
    message = getattr(choices[0], "message", None)
    if message is None:
        raise _bad("a completion without a message")
    content, thought = _words(getattr(message, "content", None))
    extra = getattr(message, "model_extra", None) or {}
    thinking = extra.get("reasoning_content") or extra.get("reasoning")
    refusal = getattr(message, "refusal", None)
    return RawReply(
        content=content,
        finish_reason=_text(getattr(choices[0], "finish_reason", None)),
        usage=_usage(getattr(completion, "usage", None)),
        thinking=_text(thinking) or thought,
        refusal=_text(refusal),
        served_by=_text(getattr(completion, "model", None)),
    )


def _no_error_in(part: object) -> None:
    """Raise for an error that comes with HTTP 200, as gateways send it when the server behind them fails."""
    error = (getattr(part, "model_extra", None) or {}).get("error")
    if not error:
        return
    given = error if isinstance(error, dict) else {"message": error}
    message, code = _text(given.get("message")) or json.dumps(error, ensure_ascii=False)[:300], given.get("code")
    number = int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
    if 400 <= number <= 599:
        raise of_status(number, f"{message} (in an answer of HTTP 200)")
    raise CallError(
        ReplyStatus.SERVER_ERROR,
        f"the server sent an error in place of a reply: {message[:500]}",
        again=True,
        sick=True,
    )


def _words(content: object) -> tuple[str | None, str | None]:
    """Return (text, thinking) of a message's content, which some servers send in parts, the thinking among them."""
    if isinstance(content, str | None):
        return content, None
    if not isinstance(content, list):
        raise _bad("a message whose content is no text")
    said, thought = [], []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(part.get("text"), str):
            said.append(part["text"])
        elif kind in ("thinking", "reasoning"):
            inner = part.get(kind, part.get("text"))
            thought.append(inner if isinstance(inner, str) else _words(inner)[0] or "")
        else:
            raise _bad(f"a message with a part of type {kind!r}, which is no text")
    return "".join(said), "\n".join(thought) or None


def _usage(usage: object) -> Usage:
    details = getattr(usage, "completion_tokens_details", None)
    return Usage(
        prompt=token_count(getattr(usage, "prompt_tokens", None)),
        completion=token_count(getattr(usage, "completion_tokens", None)),
        reasoning=token_count(getattr(details, "reasoning_tokens", None)),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
