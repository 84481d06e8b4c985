"""Why an attempt failed, and whether another is worth it: by types and codes, never by words of a message."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from service.models._types import ReplyStatus
from service.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CallError", "of_status", "retry_after_of"]

_OVERFLOW_CODES = frozenset({"context_length_exceeded", "string_above_max_length", "context_window_exceeded"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?\Z")


class CallError(Exception):
    """One attempt at a call brought no reply.

    Attributes:
        again: Another attempt may succeed.
        sick: The server is to blame: such errors in a row open the circuit.
        retry_after: Seconds that the server asked us to wait.
    """

    def __init__(
        self,
        status: ReplyStatus,
        message: str,
        *,
        again: bool,
        sick: bool,
        http_status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        # A server may repeat what it was sent.
        super().__init__(redact(message))
        self.status = status
        self.again = again
        self.sick = sick
        self.http_status = http_status
        self.retry_after = retry_after


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a server asks us to wait, from the headers in use; None when it names none.

    Read are ``retry-after-ms``, ``Retry-After`` (seconds or a date, RFC 9110 10.2.3) and OpenAI's
    ``x-ratelimit-reset-requests`` (``6m0s``, ``20ms``).
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    if given:
        seconds = _number(given)
        if seconds is not None:
            return seconds
        try:
            moment = parsedate_to_datetime(given)
        except ValueError:
            moment = None
        if moment is not None:
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    reset = headers.get("x-ratelimit-reset-requests")
    match = _DURATION.match(reset.strip()) if reset and reset.strip() else None
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds_part, milliseconds_part = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds_part + milliseconds_part / 1000


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def of_status(
    http_status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> CallError:
    """Return the failure that an HTTP status stands for."""
    headers = headers or {}
    wait = retry_after_of(headers)
    kind: tuple[ReplyStatus, bool, bool]
    if http_status == 429 and code == "insufficient_quota":
        kind = (ReplyStatus.REJECTED, False, True)
    elif http_status == 429:
        kind = (ReplyStatus.THROTTLED, True, False)
    elif http_status in (408, 409, 425) or http_status >= 500:
        kind = (ReplyStatus.SERVER_ERROR, True, True)
    elif http_status in (401, 402, 403, 404) or 300 <= http_status < 400:
        # What is wrong with the key, the account or the address is wrong with every other call too.
        kind = (ReplyStatus.REJECTED, False, True)
    elif code in _OVERFLOW_CODES or http_status == 413:
        kind = (ReplyStatus.CONTEXT_OVERFLOW, False, False)
    elif code in _FILTER_CODES:
        kind = (ReplyStatus.CONTENT_FILTER, False, False)
    else:
        kind = (ReplyStatus.REJECTED, False, False)
    status, again, sick = kind
    text = f"HTTP {http_status}" + (f" ({code})" if code else "") + f": {message[:500]}"
    return CallError(status, text, again=again, sick=sick, http_status=http_status, retry_after=wait if again else None)
