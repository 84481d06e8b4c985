"""What every body that comes in has to be, before a route looks at it."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

__all__ = ["MOST_TOKENS", "NDJSON", "Body", "KeptBody", "is_ndjson", "media_type", "submission_bytes"]

MOST_TOKENS = 10_000_000
"""The largest token budget: beyond it, nothing is left out of any context."""

NDJSON = "application/x-ndjson"
"""One JSON object a line."""

_NDJSON_NAMES = frozenset(
    (NDJSON, "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines")
)
_BYTES_A_CHARACTER = 12  # as JSON escapes those beyond the first plane: \ud83d\ude00
_LONGEST_PLACE = 80
_LEAST, _BEYOND = -(2**63), 2**63


def media_type(header: str) -> str:
    """Return a content-type without its parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


def is_ndjson(header: str) -> bool:
    """Tell whether a content-type is one of the names under which JSON lines go."""
    return media_type(header) in _NDJSON_NAMES


def submission_bytes(characters: int) -> int:
    """Return how many bytes one submission of so many characters can take, all of them escaped."""
    return characters * _BYTES_A_CHARACTER + 100_000


class Body(BaseModel):
    """A JSON object. JSON allows what no store takes: halves of characters, integers of any length."""

    model_config = ConfigDict(extra="forbid")
    refuses_nul: ClassVar[bool] = False

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, value: Any) -> Any:
        _check(value, nul=cls.refuses_nul)
        return value


class KeptBody(Body):
    """One whose texts go into the ledger: PostgreSQL keeps no NUL."""

    refuses_nul: ClassVar[bool] = True


def _check(body: Any, *, nul: bool) -> None:
    """Raise ValueError for the first value that cannot be kept. Without recursion: a body may be very deep."""
    left: list[tuple[str, Any]] = [("body", body)]
    while left:
        where, value = left.pop()
        if isinstance(value, str):
            _check_text(value, where, nul=nul)
        elif isinstance(value, int) and not _LEAST <= value < _BEYOND:
            raise ValueError(f"{where} is an integer beyond 64 bits; send a smaller one, or a text")
        elif isinstance(value, dict):
            # Names first: once they are known to be whole, a message can say them.
            for name in value:
                _check_text(name, f"a name in {where}", nul=nul)
            left += [(f"{where}.{name}"[:_LONGEST_PLACE], one) for name, one in value.items()]
        elif isinstance(value, list):
            left += [(where, one) for one in value]


def _check_text(text: str, where: str, *, nul: bool) -> None:
    if nul and "\0" in text:
        raise ValueError(f"{where} holds a NUL at offset {text.index(chr(0))}; take it out")
    if not text.isascii() and (half := _lone_surrogate(text)) is not None:
        raise ValueError(f"{where} holds half a character (a lone surrogate) at offset {half}; send whole ones")


def _lone_surrogate(text: str) -> int | None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None
