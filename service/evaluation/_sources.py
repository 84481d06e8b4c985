"""What an evaluation needs from elsewhere: the tasks of a set, and the law that it is pinned to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from service.benchmarks import Law
from service.domain import Jurisdiction, Language
from service.errors import NotFoundError
from service.tasks import Task, get_task_set, list_tasks

if TYPE_CHECKING:
    from service.db import Database
    from service.graph.watch import CatalogWatcher

__all__ = ["GraphLaws", "Laws", "LedgerRecords", "Records"]

_SETS_KEPT = 4


class Records(Protocol):
    """Finds tasks in their benchmark's own exchange format."""

    async def records(self, task_set: str, task_ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of some tasks of a set (``key@version``), by id.

        Raises:
            NotFoundError: One of them is not in the set.
        """


class Laws(Protocol):
    """Finds the version of a corpus that answers are read against."""

    async def law(self, corpus: str, version: str) -> Law:
        """Return it.

        Raises:
            NotFoundError: The graph does not hold it.
        """


class LedgerRecords:
    """Tasks of the ledger; a frozen set never changes, so the last ones used are kept."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: OrderedDict[str, dict[str, Task]] = OrderedDict()

    async def tasks(self, task_set: str) -> Mapping[str, Task]:
        """Return all tasks of a set by id, in its order."""
        if task_set in self._kept:
            self._kept.move_to_end(task_set)
            return self._kept[task_set]
        async with self._database.read() as session:
            found = await get_task_set(session, task_set)
            tasks = {task.id: task for task in await list_tasks(session, found)}
        if found.frozen and found.name == task_set:
            self._kept[task_set] = tasks
            while len(self._kept) > _SETS_KEPT:
                self._kept.popitem(last=False)
        return tasks

    async def task(self, task_set: str, task_id: str) -> Task:
        """Return one task.

        Raises:
            NotFoundError: It is not in the set.
        """
        tasks = await self.tasks(task_set)
        if task_id not in tasks:
            raise NotFoundError(f"task {task_id!r} is not in task set {task_set!r}; the set was changed or removed")
        return tasks[task_id]

    async def records(self, task_set: str, task_ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of some tasks of a set, by id."""
        return {task_id: (await self.task(task_set, task_id)).record for task_id in task_ids}


class GraphLaws:
    """Versions of corpora in the graph."""

    def __init__(self, watcher: CatalogWatcher) -> None:
        self._watcher = watcher
        self._kept: dict[str, Law] = {}

    async def law(self, corpus: str, version: str) -> Law:
        """Return what a version holds."""
        uid = f"{corpus}@{version}"
        if uid not in self._kept:
            if not self._watcher.healthy:
                await self._watcher.refresh()
            try:
                found = self._watcher.catalog.find(corpus, version)
            except NotFoundError:
                # Loaded by another process a moment ago.
                found = (await self._watcher.refresh()).find(corpus, version)
            contents = await self._watcher.contents(found)
            languages, jurisdictions = found.languages, found.jurisdictions
            self._kept[uid] = Law(
                contents.coverage,
                contents.ref,
                fold_inserted=found.fold_inserted,
                language=Language(languages[0]) if languages else Language.RU,
                jurisdiction=Jurisdiction(jurisdictions[0]) if len(jurisdictions) == 1 else None,
            )
        return self._kept[uid]
