"""The stream of ``random.Random(seed).choice``, drawn by numpy many words at a time.

Both are MT19937. ``Random(seed)`` seeds it by ``init_by_array``; we take the state over from there, so that no seeding
rule is written twice. ``choice`` of n values asks ``_randbelow(n)``: the top ``n.bit_length()`` bits of a 32-bit
word, words that give n or more are thrown away (Lib/random.py, unchanged from Python 3.2 to 3.13). Rejection
is a filter, so a whole block of words is read, shifted and filtered at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.errors import InputError

__all__ = [
    "BLOCK_DRAWS",
    "Floats",
    "Indices",
    "choice_blocks",
    "interleaved_blocks",
    "ordered_mean",
    "ordered_std",
    "row_sums",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

BLOCK_DRAWS: Final = 1 << 18
"""Draws held at a time: 2 MiB of indices, whatever the number of values and resamples."""

_WORD_BITS = 32


class _Words:
    """The 32-bit words of ``Random(seed)``, in order, with a look ahead that is kept until it is consumed."""

    def __init__(self, seed: int) -> None:
        _, internal, _ = random.Random(seed).getstate()
        self._source = np.random.MT19937()
        self._source.state = {
            "bit_generator": "MT19937",
            "state": {"key": np.array(internal[:-1], dtype=np.uint32), "pos": internal[-1]},
        }
        self._rest: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)

    def take(self, count: int) -> NDArray[np.uint32]:
        """Return the next ``count`` words or, of words given back, all of them."""
        fresh = count - len(self._rest)
        words = self._rest
        if fresh > 0:
            words = np.concatenate([words, self._source.random_raw(fresh).astype(np.uint32)])
        self._rest = words[:0]
        return words

    def give_back(self, words: NDArray[np.uint32]) -> None:
        """Keep words that were looked at and not consumed."""
        self._rest = words


def _shift(size: int) -> int:
    if not 0 < size < 1 << _WORD_BITS:
        raise InputError(f"a bootstrap needs between 1 and 2^32 - 1 values, not {size!r}; leave an empty series out")
    return _WORD_BITS - size.bit_length()


def _words_for(*draws: tuple[int, int]) -> int:
    """Return how many words so many draws below such a size most probably need, with a margin."""
    words = sum(count * (1 << size.bit_length()) / size for count, size in draws)
    return int(words + 4 * words**0.5) + 16


def choice_blocks(size: int, resamples: int, seed: int) -> Iterator[Indices]:
    """Yield what ``Random(seed).choice(range(size))`` would draw, ``size`` draws a resample.

    Args:
        size: Number of values, at least 1.
        resamples: Number of resamples, at least 1.
        seed: Seed of ``random.Random``.

    Yields:
        Indices of shape (some resamples, size); all blocks together have ``resamples`` rows, in order.

    Raises:
        InputError: No values, or no resamples.
    """
    shift = _shift(size)
    words = _started(resamples, seed)
    rows_left = resamples
    accepted: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
    rows_a_block = max(1, BLOCK_DRAWS // size)
    while rows_left:
        rows = min(rows_a_block, rows_left)
        while len(accepted) < rows * size:
            drawn = words.take(_words_for((rows * size - len(accepted), size))) >> np.uint32(shift)
            accepted = np.concatenate([accepted, drawn[drawn < size]])
        yield accepted[: rows * size].astype(np.intp).reshape(rows, size)
        accepted = accepted[rows * size :]
        rows_left -= rows


def _started(resamples: int, seed: int) -> _Words:
    if resamples < 1:
        raise InputError(f"resamples {resamples!r} is less than 1; give some, such as 2000")
    if seed < 0:
        raise InputError(f"seed {seed!r} is less than 0; give a whole number from 0 up, such as 42")
    return _Words(seed)


def interleaved_blocks(sizes: Sequence[int], resamples: int, seed: int) -> Iterator[list[Indices]]:
    """Yield the draws of one ``Random(seed)`` that serves several samples in turn.

    A resample draws ``sizes[0]`` times below ``sizes[0]``, then ``sizes[1]`` times below ``sizes[1]``, and so on. A word
    that one size throws away might serve another, so where a section begins depends on all before it: the accepted words
    are found at once for each distinct size, and only the beginnings are walked, one step a section.

    Args:
        sizes: Number of values of each sample, each at least 1.
        resamples: Number of resamples, at least 1.
        seed: Seed of ``random.Random``.

    Yields:
        One array a sample, of shape (some resamples, its size); all blocks together have ``resamples`` rows.

    Raises:
        InputError: A sample without values, no samples, or no resamples.
    """
    if not sizes:
        raise InputError("a bootstrap of several samples was given none; give at least one")
    words = _started(resamples, seed)
    shifts = {size: _shift(size) for size in sizes}
    rows_a_block = max(1, BLOCK_DRAWS // sum(sizes))
    rows_left = resamples
    while rows_left:
        rows = min(rows_a_block, rows_left)
        block = words.take(_words_for(*((rows * size, size) for size in sizes)))
        while (found := _sections(block, sizes, shifts, rows)) is None:
            words.give_back(block)
            block = words.take(len(block) + len(block) // 8 + 64)
        yield found[0]
        words.give_back(block[found[1] :])
        rows_left -= rows


def _sections(
    block: NDArray[np.uint32], sizes: Sequence[int], shifts: dict[int, int], rows: int
) -> tuple[list[Indices], int] | None:
    """Return the draws of ``rows`` resamples and the number of words consumed; None when the block is too short."""
    drawn = {size: block >> np.uint32(shift) for size, shift in shifts.items()}
    places = {size: np.flatnonzero(values < size) for size, values in drawn.items()}
    # rank[size][p]: how many words before p this size accepts.
    ranks = {size: np.concatenate([[0], np.cumsum(values < size)]) for size, values in drawn.items()}
    # Memory views give plain ints several times faster than indexing an array does.
    plan = [(size, ranks[size].data, places[size].data, len(places[size])) for size in sizes]
    firsts = [0] * (rows * len(sizes))
    position, slot = 0, 0
    for _ in range(rows):
        for size, rank, place, count in plan:
            first = rank[position]
            last = first + size - 1
            if last >= count:
                return None
            firsts[slot] = first
            slot += 1
            position = place[last] + 1
    starts = np.array(firsts, dtype=np.intp).reshape(rows, len(sizes))
    draws = []
    for column, size in enumerate(sizes):
        accepted = starts[:, column, None] + np.arange(size)
        draws.append(drawn[size][places[size][accepted]].astype(np.intp))
    return draws, position


def row_sums(values: Floats) -> Floats:
    """Return the sum of each row, left to right in double precision.

    ``np.sum`` adds in pairs and the built-in ``sum`` compensates since Python 3.12; either may end in another last digit
    than the plain loop that the published figures come from.

    Args:
        values: Shape (rows, columns), at least one column. Overwritten.
    """
    np.add.accumulate(values, axis=1, out=values)
    return np.asarray(values[:, -1] + 0.0)  # a loop that starts at 0.0 never ends at -0.0


def ordered_mean(values: Floats) -> float:
    """Return the mean of a non-empty series, summed left to right."""
    return float(np.add.accumulate(values)[-1] + 0.0) / len(values)


def ordered_std(values: Floats) -> float:
    """Return the sample standard deviation (n - 1) of at least two values, summed left to right."""
    deviations = values - ordered_mean(values)
    return float(np.sqrt(np.add.accumulate(deviations * deviations)[-1] / (len(values) - 1)))
