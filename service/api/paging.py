"""Keyset cursors: opaque, bound to their query and their version of a corpus."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import Query
from pydantic import Field, TypeAdapter

from service.errors import ConflictError, InputError
from service.settings import Settings

__all__ = [
    "Cursor",
    "CursorParameter",
    "CursorShape",
    "LimitParameter",
    "PlaceNumber",
    "PlaceText",
    "foreign_cursor",
    "next_cursor",
    "page_limit",
    "page_of",
    "read_cursor",
]

_T = TypeVar("_T")

CursorParameter = Annotated[
    str | None, Query(description="Goes on where a page ended: its `next`. Sent alone it keeps its corpus and version.")
]
PlaceNumber = Annotated[int, Field(ge=-1, lt=2**63)]
PlaceText = Annotated[str, Field(max_length=10_000, pattern=r"^[^\x00]*$")]
LimitParameter = Annotated[
    int | None, Query(ge=1, description="Rows of a page; the default and the most are settings.")
]


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list goes on.

    Attributes:
        corpus: The corpus's key.
        version: The version that the list began in.
        after: The sort key of the last row.
        filters: The list's own filters, which the cursor carries on.
    """

    corpus: str
    version: str
    after: Any
    filters: dict[str, Any]


class CursorShape:
    """What the cursors of one list hold. Anybody can compute a digest, so that what is inside is checked like any input.

    Args:
        after: The type of the last row's sort key.
        filters: The type of each filter that the list has; each may be None.
    """

    def __init__(self, after: Any, **filters: Any) -> None:
        self._after = TypeAdapter(after)
        self._filters = {name: TypeAdapter(kind | None) for name, kind in filters.items()}

    def read(self, after: Any, filters: Any) -> tuple[Any, dict[str, Any]]:
        """Return both with their types.

        Raises:
            ValueError: They are of others.
        """
        if not isinstance(filters, dict) or filters.keys() - self._filters.keys():
            raise ValueError
        found = {name: kind.validate_python(filters.get(name)) for name, kind in self._filters.items()}
        return self._after.validate_python(after), found


_PLAIN = CursorShape(PlaceText)
_BODY = TypeAdapter(tuple[PlaceText, PlaceText, PlaceText, Any, dict[str, Any]])


def foreign_cursor(given: str) -> InputError:
    """Return the error for a cursor that was not made here."""
    return InputError(f"cursor {given[:60]!r} is not one of ours; begin the list again without it")


def next_cursor(list_name: str, corpus: str, version: str, after: Any, filters: dict[str, Any]) -> str:
    """Return the opaque form of a cursor."""
    body = orjson.dumps([list_name, corpus, version, after, filters], option=orjson.OPT_SORT_KEYS)
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()[:6] + body).decode().rstrip("=")


def read_cursor(
    list_name: str,
    given: str,
    *,
    corpus: str | None,
    version: str | None,
    filters: dict[str, Any],
    shape: CursorShape = _PLAIN,
) -> Cursor:
    """Read a cursor and check that it goes with the rest of the request.

    Args:
        list_name: The list that is asked for.
        given: The cursor.
        corpus: The request's corpus, if it names one.
        version: The request's version, if it names one.
        filters: The request's filters; those that are None are taken from the cursor.
        shape: What cursors of that list hold; by default a text and no filters.

    Raises:
        InputError: It is not a cursor of ours, or of another list.
        ConflictError: The request names another corpus, version or filter than the cursor's own.
    """
    try:
        data = base64.urlsafe_b64decode(given + "=" * (-len(given) % 4))
        digest, body = data[:6], data[6:]
        if hashlib.sha256(body).digest()[:6] != digest:
            raise ValueError
        of_list, of_corpus, of_version, after, of_filters = _BODY.validate_json(body)
    except (ValueError, binascii.Error):
        raise foreign_cursor(given) from None
    if of_list != list_name:
        raise InputError(f"cursor is of the list {of_list!r}, not of {list_name!r}; begin the list again without it")
    try:
        after, of_filters = shape.read(after, of_filters)
    except ValueError:
        raise foreign_cursor(given) from None
    for name, asked, own in (("corpus", corpus, of_corpus), ("version", version, of_version)):
        if asked is not None and not own.startswith(asked):
            raise ConflictError(
                f"cursor belongs to {name} {own!r}, the request names {asked!r}; "
                f"send the cursor alone to go on in its own, or begin again without it",
                choices=(own,),
            )
    for name, asked in filters.items():
        if asked is not None and asked != of_filters.get(name):
            raise ConflictError(
                f"cursor belongs to {name}={of_filters.get(name)!r}, the request names {asked!r}; "
                "send the cursor alone to go on, or begin again without it"
            )
    return Cursor(of_corpus, of_version, after, of_filters)


def page_limit(limit: int | None, settings: Settings) -> int:
    """Return how many rows a page has.

    Raises:
        InputError: More are asked for than the setting allows.
    """
    if limit is None:
        return settings.page_limit
    if limit > settings.page_limit_max:
        raise InputError(
            f"limit {limit} is above {settings.page_limit_max} (LEXHOP_PAGE_LIMIT_MAX); page by the cursor"
        )
    return limit


def page_of(
    list_name: str,
    rows: Sequence[_T],
    key: Callable[[_T], str],
    *,
    limit: int | None,
    cursor: str | None,
    settings: Settings,
) -> tuple[Sequence[_T], str | None]:
    """Cut a page from a short list that is in memory anyway.

    Returns:
        The page's rows and the cursor of the next page, None on the last.
    """
    begin = 0
    if cursor is not None:
        last = read_cursor(list_name, cursor, corpus=None, version=None, filters={}).after
        places = [place for place, row in enumerate(rows) if key(row) == last]
        if not places:
            raise ConflictError(f"the row {last!r}, at which the cursor stands, is gone; begin the list again")
        begin = places[0] + 1
    end = begin + page_limit(limit, settings)
    following = next_cursor(list_name, "", "", key(rows[end - 1]), {}) if end < len(rows) else None
    return rows[begin:end], following
