"""Task sets in both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.db import Database
from service.domain import Depth, Mode, TaskType
from service.errors import ConflictError, InputError, NotFoundError
from service.tasks import (
    create_task_set,
    find_task,
    get_task_set,
    list_fabulas,
    list_task_sets,
    list_tasks,
    replace_fabulas,
    sample_fabulas,
    sample_info,
    set_digest,
)

pytestmark = pytest.mark.anyio
INFO = sample_info("0123456789ab")


async def test_a_set_keeps_its_fabulas_and_their_order(ledger: Database) -> None:
    fabulas = sample_fabulas()
    async with ledger.write() as session:
        made = await create_task_set(session, INFO, fabulas)
    async with ledger.read() as session:
        found = await get_task_set(session, "sample")
        assert found == made
        kept = await list_fabulas(session, found)
        assert [one.id for one in kept] == [one.id for one in fabulas]
        assert [one.record(Mode.OPEN) for one in kept] == [one.record(Mode.OPEN) for one in fabulas]
        tasks = await list_tasks(session, found)
        assert [task.mode for task in tasks[:2]] == [Mode.CLOSED, Mode.OPEN]
        assert len(tasks) == 48
        assert {task.cell for task in tasks} == {(one, two) for one in TaskType for two in Depth}
        assert len(await list_tasks(session, found, mode=Mode.OPEN)) == 24
        assert await list_tasks(session, found, public=False) == []
    assert set_digest(found, kept) == set_digest(found, fabulas[::-1])


async def test_versions_and_names(ledger: Database) -> None:
    async with ledger.write() as session:
        first = await create_task_set(session, INFO, sample_fabulas()[:3])
        second = await create_task_set(session, INFO, sample_fabulas()[:2])
        other = await create_task_set(session, replace(INFO, key="other"), sample_fabulas()[:1])
        assert (first.version, second.version, other.version) == (1, 2, 1)
        assert len({first.canary, second.canary, other.canary}) == 3
    async with ledger.read() as session:
        assert (await get_task_set(session, "sample")).version == 2
        assert (await get_task_set(session, "sample@1")).version == 1
        assert [one.name for one in await list_task_sets(session)] == ["other@1", "sample@2", "sample@1"]
        shared, of_both = sample_fabulas()[0].id, sample_fabulas()[1].id
        assert (await find_task(session, f"{of_both}_open"))[0].name == "sample@2"
        assert (await find_task(session, f"{of_both}_open", "sample@1"))[0].name == "sample@1"
        with pytest.raises(ConflictError, match="several task sets") as conflict:
            await find_task(session, f"{shared}_open")
        assert conflict.value.choices == ("other", "sample")
        for wanted, said in (
            ("samples", "no task set 'samples'; there is other, sample"),
            ("sample@7", "no version 7; it has sample@2, sample@1"),
            ("sample@x", "a version is a number"),
        ):
            with pytest.raises(NotFoundError, match=said):
                await get_task_set(session, wanted)
        for wanted in ("nothing_open", "nothing"):
            with pytest.raises(NotFoundError, match=f"no task '{wanted}'"):
                await find_task(session, wanted)


async def test_what_cannot_be_a_set(ledger: Database) -> None:
    async with ledger.write() as session:
        with pytest.raises(InputError, match="no usable key"):
            await create_task_set(session, replace(INFO, key="a/b"))
        with pytest.raises(InputError, match="stands twice in task set"):
            await create_task_set(session, INFO, [sample_fabulas()[0]] * 2)
        made = await create_task_set(session, replace(INFO, key="c"), sample_fabulas()[:1])
        with pytest.raises(ConflictError, match="'c@1' is frozen"):
            await replace_fabulas(session, replace(made, digest="0" * 64), [])
