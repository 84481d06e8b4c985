"""The public subset: a sample of fabulas, the same number in each cell of type and depth."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from service.domain import Depth, Mode, TaskType
from service.errors import InputError

__all__ = ["PER_CELL", "SEED", "TaskKey", "public_fabulas", "public_subset"]

PER_CELL: Final = 5
"""Fabulas a cell in MHGB's public subset (mhgb 3)."""

SEED: Final = 42
"""Its seed."""


class TaskKey(NamedTuple):
    """What the subset needs to know of a task.

    Attributes:
        fabula: Its id without the mode.
        mode: Closed or open.
        task_type: Its type.
        depth: Its group of depth.
    """

    fabula: str
    mode: Mode
    task_type: TaskType
    depth: Depth


def public_fabulas(
    cells: Mapping[str, tuple[TaskType, Depth]], per_cell: int = PER_CELL, seed: int = SEED
) -> frozenset[str]:
    """Return the fabulas of the public subset.

    One ``random.Random(seed)``; cells in the order of `TaskType`, each in the order of `Depth`; ``sample`` of the cell's
    sorted ids (mhgb 3). ``sample`` gives the same on every Python from 3.11 on.

    Args:
        cells: Type and depth of each fabula, by its id.
        per_cell: Fabulas to take from each cell, at least 1.
        seed: Seed of the sample.

    Raises:
        InputError: ``per_cell`` is less than 1, or a cell has fewer fabulas.
    """
    if per_cell < 1:
        raise InputError(f"per_cell {per_cell!r} is less than 1; the published subset takes {PER_CELL}")
    members: dict[tuple[TaskType, Depth], list[str]] = defaultdict(list)
    for fabula, cell in cells.items():
        members[cell].append(fabula)
    generator = random.Random(seed)
    chosen: set[str] = set()
    for task_type in TaskType:
        for depth in Depth:
            fabulas = sorted(members[task_type, depth])
            if len(fabulas) < per_cell:
                raise InputError(
                    f"cell {task_type.value}/{depth.value} has {len(fabulas)} fabulas where {per_cell} are to be taken; "
                    "take fewer a cell or add fabulas"
                )
            chosen.update(generator.sample(fabulas, per_cell))
    return frozenset(chosen)


def public_subset(tasks: Iterable[TaskKey], per_cell: int = PER_CELL, seed: int = SEED) -> list[TaskKey]:
    """Return the tasks of the public subset, sorted by fabula, then mode; both modes of a fabula stay together.

    Args:
        tasks: All tasks of the set, each fabula in both modes.
        per_cell: Fabulas to take from each cell.
        seed: Seed of the sample.

    Raises:
        InputError: A fabula lacks a mode, has one twice, or stands in two cells; or a cell has too few fabulas.
    """
    by_fabula: dict[str, dict[Mode, TaskKey]] = defaultdict(dict)
    for task in tasks:
        modes = by_fabula[task.fabula]
        if task.mode in modes:
            raise InputError(f"fabula {task.fabula!r} has mode {task.mode.value!r} twice; keep one task of each mode")
        modes[task.mode] = task
    cells: dict[str, tuple[TaskType, Depth]] = {}
    for fabula, modes in by_fabula.items():
        for mode in Mode:
            if mode not in modes:
                raise InputError(f"fabula {fabula!r} has no {mode.value} task; give both modes or leave the fabula out")
        closed, opened = modes[Mode.CLOSED], modes[Mode.OPEN]
        if closed[2:] != opened[2:]:
            raise InputError(
                f"fabula {fabula!r} is {closed[2:]!r} closed and {opened[2:]!r} open; give both one type and depth"
            )
        cells[fabula] = (closed.task_type, closed.depth)
    return [by_fabula[fabula][mode] for fabula in sorted(public_fabulas(cells, per_cell, seed)) for mode in Mode]
