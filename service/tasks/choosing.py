"""Which tasks of a set a run is over, and a stratified sample of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Sequence

from service.domain import Depth, Mode, TaskType
from service.errors import InputError
from service.tasks.record import Task

__all__ = ["cell_sample", "chosen_tasks"]


def chosen_tasks(
    tasks: Sequence[Task], *, modes: Collection[Mode] = tuple(Mode), limit: int | None = None, public: bool = False
) -> list[Task]:
    """Return the tasks of the first ``limit`` fabulas, in the modes asked for; with ``public`` only of public ones."""
    fabulas = dict.fromkeys(task.fabula_id for task in tasks if task.public or not public)
    kept = set(list(fabulas)[:limit])
    return [task for task in tasks if task.fabula_id in kept and task.mode in modes]


def cell_sample(tasks: Sequence[Task], per_cell: int, seed: int = 42) -> list[tuple[Task, int]]:
    """Return up to ``per_cell`` tasks of each cell of type, depth and mode, each with how many tasks its cell has.

    One ``random.Random(seed)``; cells in the order of types, depths and modes, ``sample`` of the cell's sorted ids. A cell
    with fewer tasks is taken whole.

    Raises:
        InputError: ``per_cell`` is less than 1.
    """
    if per_cell < 1:
        raise InputError(f"per_cell {per_cell!r} is less than 1; a sample of nothing tells nothing")
    cells: dict[tuple[TaskType, Depth, Mode], list[Task]] = defaultdict(list)
    for task in tasks:
        cells[task.task_type, task.depth, task.mode].append(task)
    generator = random.Random(seed)
    found: list[tuple[Task, int]] = []
    for task_type in TaskType:
        for depth in Depth:
            for mode in Mode:
                members = sorted(cells[task_type, depth, mode], key=lambda task: task.id)
                drawn = generator.sample(members, min(per_cell, len(members)))
                found += [(task, len(members)) for task in drawn]
    return found
