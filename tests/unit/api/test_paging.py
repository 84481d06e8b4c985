"""Cursors: anybody can compute their digest, so that what is inside is checked like any input."""

from __future__ import annotations

from typing import Any

import pytest

from service.api.paging import CursorShape, PlaceNumber, PlaceText, next_cursor, read_cursor
from service.domain import Mode
from service.errors import ConflictError, InputError

SHAPE = CursorShape(tuple[PlaceNumber, PlaceText], mode=Mode)


def read(given: str, **filters: Any) -> Any:
    return read_cursor("runs", given, corpus=None, version=None, filters=filters, shape=SHAPE)


def test_a_cursor_comes_back_with_its_types() -> None:
    place = read(next_cursor("runs", "c", "v", [5, "run_1"], {"mode": Mode.OPEN}), mode=None)
    assert (place.corpus, place.version, place.after, place.filters) == ("c", "v", (5, "run_1"), {"mode": Mode.OPEN})
    assert isinstance(place.filters["mode"], Mode)
    assert read(next_cursor("runs", "", "", [5, "x"], {})).filters == {"mode": None}
    with pytest.raises(ConflictError, match="mode="):
        read(next_cursor("runs", "", "", [5, "x"], {"mode": Mode.OPEN}), mode=Mode.CLOSED)


@pytest.mark.parametrize(
    ("after", "filters"),
    [
        ("x", {}),
        (None, {}),
        ([5], {}),
        ([5, "x", 1], {}),
        (["x", 5], {}),
        ([2**63, "x"], {}),
        ([-2, "x"], {}),
        ([1.5, "x"], {}),
        ([5, "a\0b"], {}),
        ([5, "x"], {"mode": "other"}),
        ([5, "x"], {"mode": 1}),
        ([5, "x"], {"unknown": 1}),
        ([5, "x"], []),
        ([5, "x"], None),
    ],
)
def test_a_forged_one_is_refused(after: Any, filters: Any) -> None:
    with pytest.raises(InputError, match="not one of ours"):
        read(next_cursor("runs", "", "", after, filters))


@pytest.mark.parametrize("given", ["", "x", "====", "Ж", "A" * 500])
def test_rubbish_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="not one of ours"):
        read(given)
    with pytest.raises(InputError, match="of the list 'keys'"):
        read(next_cursor("keys", "", "", [1, "x"], {}))
