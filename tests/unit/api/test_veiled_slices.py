"""Slices too small to be shown are hidden together with others, so that subtraction tells no single score."""

from __future__ import annotations

from typing import Any

from service.api.routers.scores import _veiled


def part(name: str, pairs: int, scored: int | None = None) -> dict[str, Any]:
    told = pairs if scored is None else scored
    means = {"mean": 0.5, "scored": told}
    return {"slice": {"type": name}, "pairs": pairs, "n_pairs": pairs, "closed": means, "open": means, "gap": 0.0}


def hidden(*parts: dict[str, Any], least: int = 5) -> set[str]:
    found = _veiled(list(parts), ("closed", "open"), least)
    assert [one["slice"] for one in found] == [one["slice"] for one in parts]
    for one in found:
        assert not (one.get("too_few_to_show") and {"closed", "open", "gap"} & one.keys())
    return {one["slice"]["type"] for one in found if one.get("too_few_to_show")}


def test_nothing_is_hidden_where_all_are_large() -> None:
    assert hidden(part("a", 5), part("b", 9)) == set()


def test_a_single_small_slice_takes_the_next_larger_one_with_it() -> None:
    assert hidden(part("a", 30), part("b", 1), part("c", 9)) == {"b", "c"}


def test_small_slices_that_are_many_enough_together_hide_no_other() -> None:
    assert hidden(part("a", 30), part("b", 3), part("c", 2)) == {"b", "c"}
    assert hidden(part("a", 30), part("b", 3), part("c", 1)) == {"a", "b", "c"}


def test_what_is_scored_counts_and_not_what_there_is() -> None:
    assert hidden(part("a", 30), part("b", 20, scored=1), part("c", 6)) == {"b", "c"}


def test_a_run_of_one_mode_has_slices_without_pairs() -> None:
    parts = [part("a", 0, scored=9), part("b", 0, scored=7)]
    assert _veiled(parts, ("open",), 5) == parts
    assert all(one.get("too_few_to_show") for one in _veiled(parts, ("closed", "open"), 5))
