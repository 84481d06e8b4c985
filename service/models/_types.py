"""What is asked of a model, and what came of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

import orjson

__all__ = ["Message", "Provider", "RawReply", "Reply", "ReplyStatus", "Request", "Usage", "token_count"]


class ReplyStatus(StrEnum):
    """How a call ended. Only ``answered`` carries an answer; a failure is never an empty answer."""

    ANSWERED = "answered"
    LENGTH = "length"
    EMPTY = "empty"
    EMPTY_AFTER_THINKING = "empty_after_thinking"
    REFUSED = "refused"
    CONTENT_FILTER = "content_filter"
    CONTEXT_OVERFLOW = "context_overflow"
    REJECTED = "rejected"
    THROTTLED = "throttled"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    BAD_REPLY = "bad_reply"
    CIRCUIT_OPEN = "circuit_open"

    @property
    def received(self) -> bool:
        """Whether the model itself answered, in whatever way: the call was paid for and says something about it."""
        return self in _RECEIVED

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed later."""
        return self in _PASSING


_RECEIVED = frozenset(
    {
        ReplyStatus.ANSWERED,
        ReplyStatus.LENGTH,
        ReplyStatus.EMPTY,
        ReplyStatus.EMPTY_AFTER_THINKING,
        ReplyStatus.REFUSED,
        ReplyStatus.CONTENT_FILTER,
    }
)
_PASSING = frozenset(
    {
        ReplyStatus.THROTTLED,
        ReplyStatus.TIMEOUT,
        ReplyStatus.UNREACHABLE,
        ReplyStatus.SERVER_ERROR,
        ReplyStatus.BAD_REPLY,
        ReplyStatus.CIRCUIT_OPEN,
    }
)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """A call as a provider makes it.

    Attributes:
        options: Parameters beyond the messages, such as temperature and max_tokens; never a secret.
    """

    model: str
    messages: tuple[Message, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def digest(self, endpoint: str) -> str:
        """Return the SHA-256 of all that decides the reply, so that no model's reply is taken for another's."""
        content = {
            "endpoint": endpoint,
            "model": self.model,
            "messages": [[message.role, message.content] for message in self.messages],
            "options": dict(self.options),
        }
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them; None where it does not say."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None


def token_count(value: object) -> int | None:
    """Return a count of tokens as a provider gave it; None for whatever is none, never 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if 0 <= value < 2**31 else None


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a provider received, before anything is made of it.

    Attributes:
        thinking: Text that the model thought, where the provider hands it over apart.
        refusal: The provider's field for a refusal.
        served_by: The model's own name as the provider reports it.
    """

    content: str | None
    finish_reason: str | None
    usage: Usage = Usage()
    thinking: str | None = None
    refusal: str | None = None
    served_by: str | None = None


class Provider(Protocol):
    """Makes one attempt at a call."""

    async def complete(self, request: Request) -> RawReply:
        """Return the reply.

        Raises:
            CallError: There is none, with the reason.
        """

    async def close(self) -> None:
        """Close connections."""


@dataclass(frozen=True, slots=True)
class Reply:
    """How a call ended, after all attempts.

    Attributes:
        text: The answer without its think block, a cut one as far as it goes; empty unless the model answered.
        raw: The content as received, think block included; None when nothing was received.
        failure: What went wrong and what to do about it; None for ``answered``.
        attempts: How many calls were made for it.
        cost_nano: Of the last attempt, in billionths of the price list's currency; None when unknown.
        retry_after: Seconds after which a repeat is worth it, where the status is ``passing``.
    """

    status: ReplyStatus
    text: str
    raw: str | None
    thinking: str | None
    failure: str | None
    attempts: int
    usage: Usage = Usage()
    finish_reason: str | None = None
    served_by: str | None = None
    cost_nano: int | None = None
    retry_after: float | None = None
