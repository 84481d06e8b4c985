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
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from service.errors import InputError

__all__ = [
    "BLOCK_DRAWS",
    "BLOCK_ROWS",
    "Floats",
    "Indices",
    "add_drawn",
    "choice_blocks",
    "interleaved_blocks",
    "ordered_mean",
    "ordered_std",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

BLOCK_DRAWS: Final = 1 << 15
"""Draws held at a time, whatever the number of values and resamples: 256 KiB of indices, which stay near the processor."""

BLOCK_ROWS: Final = 256
"""Resamples held at a time all the same, so that a sum over them is worth a call of numpy."""

_BLOCK_DRAWS_MOST: Final = 1 << 23
"""And the limit of that, 64 MiB."""

_WORD_BITS = 32

_WORDS_AT_ONCE: Final = 1 << 15
"""Words made at a time: 256 KiB, little enough for the memory to be reused; larger arrays cost a page fault every 4 KiB."""


class _Words:
    """The 32-bit words of ``Random(seed)``, in order, with a look ahead that is kept until it is consumed."""

    def __init__(self, seed: int | str) -> None:
        _, internal, _ = random.Random(seed).getstate()
        self._source = np.random.MT19937()
        self._source.state = {
            "bit_generator": "MT19937",
            "state": {"key": np.array(internal[:-1], dtype=np.uint32), "pos": internal[-1]},
        }
        self._rest: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)

    def take(self, count: int) -> NDArray[np.uint32]:
        """Return the next ``count`` words or, of words given back, all of them."""
        parts = [self._rest]
        self._rest = self._rest[:0]
        for fresh in range(count - len(parts[0]), 0, -_WORDS_AT_ONCE):
            parts.append(self._source.random_raw(min(fresh, _WORDS_AT_ONCE)).astype(np.uint32))
        return np.concatenate(parts)

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


def choice_blocks(size: int, resamples: int, seed: int | str) -> Iterator[Indices]:
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
    rest: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
    rows_a_block = _rows_a_block(size)
    while rows_left:
        rows = min(rows_a_block, rows_left)
        parts, lacking = [rest], rows * size - len(rest)
        while lacking > 0:
            drawn = words.take(min(_WORDS_AT_ONCE, _words_for((lacking, size)))) >> np.uint32(shift)
            # compress and not a mask in brackets, which takes ten times as long
            parts.append(np.compress(drawn < size, drawn))
            lacking -= len(parts[-1])
        accepted = np.concatenate(parts)
        yield accepted[: rows * size].astype(np.intp).reshape(rows, size)
        rest = accepted[rows * size :]
        rows_left -= rows


def _rows_a_block(draws_a_row: int) -> int:
    return max(1, BLOCK_DRAWS // draws_a_row, min(BLOCK_ROWS, _BLOCK_DRAWS_MOST // draws_a_row))


def _started(resamples: int, seed: int | str) -> _Words:
    if resamples < 1:
        raise InputError(f"resamples {resamples!r} is less than 1; give some, such as 2000")
    if isinstance(seed, int) and seed < 0:
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
    rows_a_block = _rows_a_block(sum(sizes))
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
    accepts = {size: values < size for size, values in drawn.items()}
    accepted = {size: np.compress(accepts[size], values).astype(np.intp) for size, values in drawn.items()}
    places = {size: np.flatnonzero(mask) for size, mask in accepts.items()}
    # ranks[size][p]: how many words before p this size accepts.
    ranks = {size: _counts_before(mask) for size, mask in accepts.items()}
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
    draws = [sliding_window_view(accepted[size], size)[starts[:, column]] for column, size in enumerate(sizes)]
    return draws, position


def _counts_before(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    counts = np.zeros(len(mask) + 1, dtype=np.int32)
    np.cumsum(mask.view(np.int8), dtype=np.int32, out=counts[1:])
    return counts


def add_drawn(totals: Floats, table: Floats, draws: Indices) -> None:
    """Add to each resample's totals what it drew, draw by draw, left to right in double precision.

    ``np.sum`` adds in pairs and the built-in ``sum`` compensates since Python 3.12; either may end in another last digit
    than the plain loop that the published figures come from. Here the loop over draws stays, and each step serves all
    resamples and all series at once.

    Args:
        totals: Shape (resamples, series); added to in place. A sum begins at 0.0, as in the plain loop.
        table: Shape (values, series).
        draws: Shape (resamples, draws): indices into ``table``.
    """
    by_draw = np.ascontiguousarray(draws.T)
    table = np.ascontiguousarray(table)
    taken = np.empty_like(totals)
    for rows in by_draw:
        # The draws are in range; "clip" spares numpy the copy that it makes to leave `taken` whole after an error.
        np.take(table, rows, axis=0, out=taken, mode="clip")
        np.add(totals, taken, out=totals)


def ordered_mean(values: Floats) -> float:
    """Return the mean of a non-empty series, summed left to right."""
    return float(np.add.accumulate(values)[-1] + 0.0) / len(values)


def ordered_std(values: Floats) -> float:
    """Return the sample standard deviation (n - 1) of at least two values, summed left to right."""
    deviations = values - ordered_mean(values)
    return float(np.sqrt(np.add.accumulate(deviations * deviations)[-1] / (len(values) - 1)))
