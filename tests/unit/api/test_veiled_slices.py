"""Slices too small to be shown are hidden together with others, so that subtraction tells no single score."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from service.evaluation import hidden_of, veiled_slices

NAMES = ("type", "depth", "branch", "act")


def part(name: str, pairs: int, scored: int | None = None) -> dict[str, Any]:
    told = pairs if scored is None else scored
    means = {"mean": 0.5, "scored": told}
    return {"slice": {"type": name}, "pairs": pairs, "n_pairs": pairs, "closed": means, "open": means, "gap": 0.0}


def hidden(*parts: dict[str, Any], least: int = 5) -> set[str]:
    counts = {
        (one["slice"]["type"],): (one["closed"]["scored"], one["open"]["scored"], one["n_pairs"]) for one in parts
    }
    found = veiled_slices(parts, hidden_of(counts, ("type",), least)[("type",)])
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
    assert hidden_of({("a",): (9,), ("b",): (7,)}, ("type",), 5)[("type",)] == frozenset()
    none = {("a",): (9, 9, 0), ("b",): (7, 7, 0)}
    assert hidden_of(none, ("type",), 5)[("type",)] == {("a",), ("b",)}


def test_a_table_of_two_names_does_not_tell_what_the_table_of_one_leaves() -> None:
    # By act all of «criminal» can be shown; by act and depth its 20 less its 19 would tell the one deep answer.
    cells = {("ГК", "deep"): (30,), ("ГК", "shallow"): (30,), ("УК", "deep"): (1,), ("УК", "shallow"): (19,)}
    found = hidden_of(cells, ("act", "depth"), 5)
    assert found[("act",)] == found[("depth",)] == frozenset()
    assert {("УК", "deep"), ("УК", "shallow")} <= found[("act", "depth")]
    # Nor may the column: deep less ГК in deep is the same answer.
    assert ("ГК", "deep") in found[("act", "depth")]


def test_without_a_score_there_is_nothing_to_hide_and_nothing_shown() -> None:
    assert hidden_of({}, NAMES, 5) == {}
    assert hidden_of({("a",): (0,)}, ("type",), 5) == {("type",): frozenset({("a",)})}


@pytest.mark.parametrize("seed", range(6))
def test_no_small_slice_follows_from_all_tables_of_a_run(seed: int) -> None:
    generator = random.Random(seed)
    cells: dict[tuple[str, ...], list[int]] = {}
    for number in range(60):
        act = generator.choices("ГСНУЖ", (20, 12, 8, 3, 1))[0]
        key = ("abcd"[number % 4], "xyz"[number // 4 % 3], "право" if act in "ГСЖ" else "кара", act)
        counts = cells.setdefault(key, [0, 0])
        counts[0] += 1
        counts[1] += generator.random() < 0.9
    found = hidden_of(cells, NAMES, 5)
    keys = sorted(cells)
    shown = [np.ones(len(keys))]
    small: list[tuple[tuple[str, ...], Any]] = []
    for size in range(1, 5):
        for names in combinations(NAMES, size):
            of_cells = [tuple(key[NAMES.index(name)] for name in names) for key in keys]
            for one in sorted(set(of_cells)):
                mask = np.array([float(key == one) for key in of_cells])
                sums = [sum(cells[key][k] for key, there in zip(keys, mask, strict=True) if there) for k in (0, 1)]
                if one not in found[names]:
                    assert min(sums) >= 5
                    shown.append(mask)
                elif any(0 < count < 5 for count in sums):
                    small.append((one, mask))
    # The reference: least squares over all that is shown at once.
    told = np.array(shown).T
    assert len(shown) > 10, "nearly all is hidden"
    for one, mask in small:
        best = told @ np.linalg.lstsq(told, mask, rcond=None)[0]
        assert np.abs(best - mask).max() > 1e-6, one


def test_slices_hidden_by_what_is_gold_are_shown_as_one_without_a_name() -> None:
    parts = [
        {"slice": {"type": "a", "act": act}, "pairs": pairs, "n_pairs": pairs - 1, "closed": {"mean": 1.0}}
        for act, pairs in (("ГК", 9), ("УК", 2), ("НК", 3))
    ]
    found = veiled_slices(parts, {("a", "УК"), ("a", "НК")})
    assert found[0] == parts[0]
    assert found[1:] == [{"slice": {"type": None, "act": None}, "pairs": 5, "n_pairs": 3, "too_few_to_show": True}]
