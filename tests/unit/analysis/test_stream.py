"""The vectorised stream draws what ``random.Random.choice`` draws."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.analysis import stream
from service.errors import InputError


def plain_draws(sizes: list[int], resamples: int, seed: int) -> list[list[list[int]]]:
    generator = random.Random(seed)
    return [[[generator.choice(range(size)) for _ in range(size)] for size in sizes] for _ in range(resamples)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 25, 255, 256, 257, 300, 1024])
def test_draws_are_those_of_choice(size: int) -> None:
    drawn = np.concatenate(list(stream.choice_blocks(size, 60, 42)))
    assert drawn.tolist() == [row[0] for row in plain_draws([size], 60, 42)]


@given(st.integers(1, 400), st.integers(1, 30), st.integers(0, 2**70), st.integers(1, 900))
@settings(max_examples=60, deadline=None)
def test_draws_do_not_depend_on_the_size_of_a_block(size: int, resamples: int, seed: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "BLOCK_DRAWS", block)
        blocks = list(stream.choice_blocks(size, resamples, seed))
    assert np.concatenate(blocks).tolist() == [row[0] for row in plain_draws([size], resamples, seed)]


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=7), st.integers(1, 30), st.integers(0, 2**40), st.integers(1, 900)
)
@settings(max_examples=60, deadline=None)
def test_samples_in_turn_share_one_stream(sizes: list[int], resamples: int, seed: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "BLOCK_DRAWS", block)
        blocks = list(stream.interleaved_blocks(sizes, resamples, seed))
    plain = plain_draws(sizes, resamples, seed)
    for place in range(len(sizes)):
        assert np.concatenate([drawn[place] for drawn in blocks]).tolist() == [row[place] for row in plain]


@pytest.mark.parametrize("size", [300, 30_000, 3_000_000])
def test_a_block_holds_no_more_than_it_may(size: int) -> None:
    first = next(iter(stream.choice_blocks(size, 2000, 1)))
    assert first.nbytes <= 64 << 20


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
@settings(deadline=None)
def test_sums_run_from_left_to_right(values: list[float]) -> None:
    total = 0.0
    for value in values:
        total += value
    assert stream.ordered_mean(np.array(values)) == total / len(values)
    totals = np.zeros((2, 2))
    backwards = np.arange(len(values))[::-1]
    stream.add_drawn(totals, np.column_stack([values[::-1], values[::-1]]), np.stack([backwards, backwards]))
    assert totals.tolist() == [[total, total]] * 2


def test_a_sum_of_negative_zeros_is_zero_as_in_a_loop() -> None:
    assert str(stream.ordered_mean(np.array([-0.0, -0.0]))) == "0.0"


@pytest.mark.parametrize(("size", "resamples", "seed"), [(0, 5, 1), (-3, 5, 1), (1 << 32, 5, 1), (3, 0, 1), (3, 5, -1)])
def test_what_cannot_be_drawn_is_refused_by_name(size: int, resamples: int, seed: int) -> None:
    wrong = size if not 0 < size < 1 << 32 else resamples if resamples < 1 else seed
    with pytest.raises(InputError, match=repr(wrong)):
        list(stream.choice_blocks(size, resamples, seed))


def test_no_samples_in_turn_are_refused() -> None:
    with pytest.raises(InputError, match="given none"):
        list(stream.interleaved_blocks([], 5, 1))
