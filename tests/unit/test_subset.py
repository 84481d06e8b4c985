"""The public subset of a task set."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from service.domain import Depth, Mode, TaskType
from service.errors import InputError
from service.tasks import TaskKey, public_fabulas, public_subset


def task_set(per_cell: int = 7) -> list[TaskKey]:
    return [
        TaskKey(f"{kind.value[:2]}{depth.value[:2]}{number:02d}", mode, kind, depth)
        for number in range(per_cell)
        for depth in Depth
        for kind in TaskType
        for mode in Mode
    ]


def test_the_draw_is_the_published_one() -> None:
    generator = random.Random(42)
    expected = {
        f"{kind[:2]}{depth[:2]}{number:02d}"
        for kind in ("issue_spotting", "rule_selection", "conflict_resolution", "temporal_validity")
        for depth in ("shallow", "medium", "deep")
        for number in generator.sample(range(7), 5)
    }
    assert {task.fabula for task in public_subset(task_set())} == expected


def test_pairs_stay_together_sorted_by_fabula_then_mode() -> None:
    found = public_subset(task_set())
    assert len(found) == 120
    assert [(task.fabula, task.mode.value) for task in found] == sorted(
        (task.fabula, task.mode.value) for task in found
    )


def test_the_order_given_does_not_matter() -> None:
    shuffled = task_set()
    random.Random(3).shuffle(shuffled)
    assert public_subset(shuffled) == public_subset(task_set())


def test_a_fabula_without_both_modes_is_refused_by_name() -> None:
    tasks = task_set()
    lacking = tasks.pop(0)
    with pytest.raises(InputError, match=f"{lacking.fabula!r} has no {lacking.mode.value}"):
        public_subset(tasks)


def test_a_task_twice_is_refused_by_name() -> None:
    tasks = task_set()
    with pytest.raises(InputError, match="twice"):
        public_subset([*tasks, tasks[0]])


def test_a_fabula_in_two_cells_is_refused_by_name() -> None:
    tasks = task_set()
    tasks[0] = tasks[0]._replace(depth=Depth.DEEP if tasks[0].depth is not Depth.DEEP else Depth.SHALLOW)
    with pytest.raises(InputError, match=f"{tasks[0].fabula!r} is"):
        public_subset(tasks)


def test_a_cell_with_too_few_fabulas_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="issue_spotting/shallow has 4 fabulas where 5"):
        public_subset(task_set(4))
    with pytest.raises(InputError, match="per_cell 0"):
        public_fabulas({}, 0)


@pytest.mark.data
def test_the_released_ids_yield_the_published_matrix(data: Path) -> None:
    """On the 300 ids of the released results: 60 fabulas with both modes, the same everywhere."""
    cells: dict[str, tuple[TaskType, Depth]] = {}
    for file in sorted((data / "mhgb" / "results").glob("*/gap_records.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            cells[record["task_id"]] = TaskType(record["task_type"]), Depth(record["hop_group"])
    assert len(cells) == 300
    found = public_subset([TaskKey(fabula, mode, *cell) for fabula, cell in cells.items() for mode in Mode])
    published = json.loads((data / "mhgb" / "tasks_public_120_meta.json").read_text(encoding="utf-8"))
    assert len({task.fabula for task in found}) == published["n_fabulas"]
    assert sum(task.mode is Mode.CLOSED for task in found) == published["n_closed"]
    assert Counter(f"{task.task_type.value}/{task.depth.value}" for task in found) == published["matrix"]
    digest = hashlib.sha256("\n".join(f"{task.fabula}_{task.mode.value}" for task in found).encode()).hexdigest()
    assert digest[:16] == "b69529f2440706fe"
