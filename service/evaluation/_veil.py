"""What of a run's figures would tell single scores, which are gold, and is kept from those without the tier full.

A mean over few answers tells them; so does the difference of two means. The tables of slices that one run can be asked for
are therefore looked at together: a slice is shown only where nothing that is small follows from all that is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from service.domain import Mode
from service.evaluation._summaries import SLICES

if TYPE_CHECKING:
    from service.evaluation._figures import Pair, RunTable

__all__ = [
    "HiddenSlices",
    "few_pairs",
    "few_said",
    "hidden_of",
    "hidden_slices",
    "said_counts",
    "veiled_mode",
    "veiled_slices",
]

Masks = NDArray[np.bool_]
HiddenSlices = Mapping[tuple[str, ...], frozenset[tuple[str, ...]]]
"""By the names of a table, in the order of `SLICES`: the slices of it that stay hidden."""

Tables = Mapping[tuple[int, ...], tuple[list[tuple[str, ...]], Masks]]
"""By the places of a table's names: its slices, and which cells each consists of."""

_CLOSE: Final = 1e-7
_GOLD: Final = frozenset({"act", "branch"})
"""What slices are named by and a participant may not know of a task."""


def said_counts(table: RunTable) -> dict[str, int]:
    """Return by mode how many scores rest on an answer that said something: the zero of one that did not is no secret."""
    return {
        mode: sum(item.final is not None and item.zero is None for item in table.of_mode(mode))
        for mode in table.run.modes
    }


def few_said(table: RunTable, mode: str, least: int) -> bool:
    """Return whether a mean of a mode would tell the scores of a few answers."""
    return 0 < said_counts(table)[mode] < least


def few_pairs(pairs: Sequence[Pair], least: int) -> bool:
    """Return whether a mean over complete pairs would tell the scores of a few answers."""
    closed = sum(pair.closed is not None and pair.closed.zero is None for pair in pairs)
    opened = sum(pair.open is not None and pair.open.zero is None for pair in pairs)
    both = sum(pair.both_spoke for pair in pairs)
    return any(0 < count < least for count in (closed, opened, both))


def veiled_mode(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a mode without means and without why answers lack a score; what there is stays counted."""

    def bare(mean: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return None if mean is None else {**mean, "mean": None, "std": None}

    return {
        **view,
        "final": bare(view["final"]),
        "components": {name: bare(mean) for name, mean in view["components"].items()},
        "without_zeros": bare(view["without_zeros"]),
        "spread": None,
        "too_few_to_show": True,
    }


def veiled_slices(parts: Sequence[Mapping[str, Any]], hidden: Collection[tuple[str, ...]]) -> list[dict[str, Any]]:
    """Return slices as they are shown: the hidden ones by their counts, and those named by what is gold as one.

    Args:
        parts: All slices of a table.
        hidden: Keys of those to hide, by the names in the order of `SLICES`.
    """
    found: list[dict[str, Any]] = []
    together: dict[str, Any] | None = None
    for part in parts:
        names = part["slice"]
        if tuple(names[name] for name in SLICES if name in names) not in hidden:
            found.append(dict(part))
            continue
        counts = {"pairs": part["pairs"], "n_pairs": part["n_pairs"], "too_few_to_show": True}
        if not _GOLD & names.keys():
            found.append({"slice": names, **counts})
        elif together is None:
            together = {"slice": dict.fromkeys(names), **counts}
        else:
            together |= {name: together[name] + part[name] for name in ("pairs", "n_pairs")}
    return found if together is None else [*found, together]


def hidden_slices(table: RunTable, least: int) -> HiddenSlices:
    """Return which slices of every table of a run stay hidden, whichever of the tables is asked for.

    Args:
        table: The run's scores.
        least: Answers that a figure must rest on.
    """
    cells: dict[tuple[str, ...], list[int]] = {}
    both = len(table.run.modes) > 1
    modes = list(table.run.modes)
    for pair in table.pairs:
        there = pair.closed or pair.open
        if there is None:
            continue
        key = tuple(str(getattr(there.line, name)) for name in SLICES.values())
        counts = cells.setdefault(key, [0] * (len(modes) + both))
        sides = {Mode.CLOSED.value: pair.closed, Mode.OPEN.value: pair.open}
        for place, mode in enumerate(modes):
            side = sides[mode]
            counts[place] += side is not None and side.final is not None and side.zero is None
        if both:
            counts[-1] += pair.complete
    return hidden_of(cells, tuple(SLICES), least)


def hidden_of(cells: Mapping[tuple[str, ...], Sequence[int]], names: tuple[str, ...], least: int) -> HiddenSlices:
    """Return the slices to hide of all tables over cells.

    A mean times its count is a sum over cells, and whoever has several tables can add and subtract them. So a set of cells
    is told when it is a linear combination of the sets that are shown, the whole run among them. Slices are shown one after
    the other, those of fewer names and then larger ones first, unless some small set would be told. Small sets are the small
    slices, and all small ones of a table inside a slice of a coarser one, or of the run, where they are few together.

    Args:
        cells: Scores that each smallest slice rests on, one number a series (such as closed, open, pairs).
        names: What the cells' keys are made of.
        least: Fewest that a figure may rest on.
    """
    keys = sorted(cells)
    if not keys:
        return {}
    counts = np.array([cells[key] for key in keys], dtype=np.int64)
    every = range(len(names))
    tables = {places: _table(keys, places) for size in every for places in combinations(every, size + 1)}
    large: dict[tuple[int, ...], Masks] = {
        places: np.asarray(_sums(masks, counts).min(axis=1) >= least) for places, (_, masks) in tables.items()
    }
    space = _Told(_small_sets(tables, large, counts, least), len(keys))
    shown = {places: np.zeros(len(found), dtype=np.bool_) for places, found in large.items()}
    candidates = [
        (len(places), -int(_sums(tables[places][1][row : row + 1], counts).min()), places, int(row))
        for places in tables
        for row in np.flatnonzero(large[places])
    ]
    for *_, places, row in sorted(candidates):
        shown[places][row] = space.take(tables[places][1][row])
    return {
        tuple(names[place] for place in places): frozenset(
            key for key, is_shown in zip(slice_keys, shown[places], strict=True) if not is_shown
        )
        for places, (slice_keys, _) in tables.items()
    }


def _table(keys: Sequence[tuple[str, ...]], places: tuple[int, ...]) -> tuple[list[tuple[str, ...]], Masks]:
    """Return the slices of a table and which cells each consists of."""
    of_cells = [tuple(key[place] for place in places) for key in keys]
    found = sorted(set(of_cells))
    return found, np.array([[one == name for one in of_cells] for name in found], dtype=np.bool_)


def _sums(masks: Masks, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(masks.astype(np.int64) @ counts)


def _small_sets(tables: Tables, large: Mapping[tuple[int, ...], Masks], counts: NDArray[np.int64], least: int) -> Masks:
    sets = []
    for fine, (_, fine_masks) in tables.items():
        small = fine_masks[~large[fine]]
        together = np.asarray(small.any(axis=0))
        sets += [small, together.reshape(1, -1)]
        sets += [masks & together for coarse, (_, masks) in tables.items() if set(coarse) < set(fine)]
    found = np.unique(np.concatenate(sets), axis=0)
    sums = _sums(found, counts)
    return np.asarray(found[((sums > 0) & (sums < least)).any(axis=1)])


class _Told:
    """The space that the shown sets span, and how far the small sets are from it.

    Args:
        small: Sets that must not be told.
        cells: How many cells there are; the whole of them is told from the beginning.
    """

    def __init__(self, small: Masks, cells: int) -> None:
        self._basis = np.full((1, cells), cells**-0.5)
        away = small.astype(np.float64)
        away -= np.outer(away @ self._basis[0], self._basis[0])
        # What the whole run tells, no slice can keep.
        self._away = away[np.linalg.norm(away, axis=1) > _CLOSE]

    def take(self, mask: Any) -> bool:
        """Show a set, unless a small one would be told by it; tell whether it is shown."""
        step = mask.astype(np.float64)
        for _ in range(2):  # once more for what rounding left
            step = step - self._basis.T @ (self._basis @ step)
        length = float(np.linalg.norm(step))
        if length < _CLOSE:
            return True
        step /= length
        away = self._away - np.outer(self._away @ step, step)
        if len(away) and float(np.linalg.norm(away, axis=1).min()) < _CLOSE:
            return False
        self._away = away
        self._basis = np.concatenate([self._basis, step[None, :]])
        return True
