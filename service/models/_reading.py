"""What became of a reply: answer, cut, empty, refused, filtered."""

from __future__ import annotations

import re

from service.models._types import RawReply, ReplyStatus

__all__ = ["broke_off", "judge_reply", "without_thinking"]

_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
# GigaChat calls its filter "blacklist", Gemini "safety" and more, Zhipu "sensitive".
_FILTER = frozenset({"content_filter", "blacklist", "safety", "prohibited_content", "recitation", "sensitive"})
# The server broke off: GigaChat, Mistral and OpenRouter say "error", DeepSeek that its machines are full, vLLM "abort".
_BROKEN_OFF = frozenset({"error", "abort", "network_error", "insufficient_system_resource"})
_TOOLS = frozenset({"tool_calls", "function_call"})
_OPEN = re.compile(r"\A\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def broke_off(finish_reason: str | None) -> bool:
    """Whether a server says by its finish_reason that it failed in the middle: what came is no reply."""
    return finish_reason is not None and finish_reason.casefold() in _BROKEN_OFF


def without_thinking(content: str) -> tuple[str, str | None, bool]:
    """Split a reply into (answer, thinking, whether the thinking ended).

    A think block stands at the start. Some servers cut its opening tag off, so what precedes a closing tag is thinking
    too; the first closing tag ends it, later ones belong to the answer.
    """
    opened = _OPEN.match(content)
    closed = _CLOSE.search(content, opened.end() if opened else 0)
    if closed is None:
        if opened is None:
            return content.strip(), None, True
        return "", content[opened.end() :].strip(), False
    thought = content[opened.end() if opened else 0 : closed.start()].strip()
    return content[closed.end() :].strip(), thought, True


def judge_reply(raw: RawReply) -> tuple[ReplyStatus, str, str | None, str | None]:
    """Return (status, answer, thinking, what went wrong and the remedy)."""
    answer, thought, ended = without_thinking(raw.content or "")
    if not answer.translate(_INVISIBLE).strip():
        answer = ""
    thinking = raw.thinking or thought
    reason = raw.finish_reason
    kind = reason.casefold() if reason else None
    if kind in _FILTER:
        return (
            ReplyStatus.CONTENT_FILTER,
            "",
            thinking,
            f"the provider's content filter withheld the reply (finish_reason {reason!r}); another model may answer",
        )
    if raw.refusal:
        return ReplyStatus.REFUSED, "", thinking, f"the model refused: {raw.refusal[:300]!r}"
    if not answer and (thinking or not ended or (raw.usage.reasoning or 0) > 0):
        return (
            ReplyStatus.EMPTY_AFTER_THINKING,
            "",
            thinking,
            f"the model thought and then said nothing (finish_reason {reason!r}); raise its max_tokens",
        )
    if kind in _LENGTH:
        return (
            ReplyStatus.LENGTH,
            answer,
            thinking,
            f"the reply was cut at the token limit (finish_reason {reason!r}); raise max_tokens of this model",
        )
    if not answer and kind in _TOOLS:
        return (
            ReplyStatus.EMPTY,
            "",
            thinking,
            f"the model called a tool and said nothing (finish_reason {reason!r}); turn tools off at its server",
        )
    if not answer:
        return (
            ReplyStatus.EMPTY,
            "",
            thinking,
            f"the model said nothing (finish_reason {reason!r}); see to its prompt and its limits",
        )
    return ReplyStatus.ANSWERED, answer, thinking, None
