"""What the open contexts of a board give away: the benchmark's scripted participants beside its rows (mhgb.md 6)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from service.benchmarks import test_participants_of
from service.context import Configuration
from service.db import RunKind
from service.domain import Mode
from service.errors import NotFoundError, UnavailableError
from service.tasks import Conditions, task_context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.db import Run
    from service.evaluation._sources import LedgerRecords
    from service.graph.store import GraphStore
    from service.graph.watch import CatalogWatcher

__all__ = ["GivenAway"]

_KEPT: Final = 64
_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class _Reach:
    """Mean score of each scripted participant over the open tasks of a set."""

    means: Mapping[str, float]
    component: str
    tasks: int


class GivenAway:
    """Runs the scripted participants over whole task sets. Sets are frozen and versions fixed: a result holds for good.

    Args:
        least: Figures over fewer tasks that are not public would tell single norms, and are not shown.
    """

    def __init__(self, store: GraphStore, watcher: CatalogWatcher, records: LedgerRecords, *, least: int) -> None:
        self._store = store
        self._watcher = watcher
        self._records = records
        self._least = least
        self._kept: OrderedDict[tuple[Any, ...], _Reach] = OrderedDict()
        self._working = asyncio.Lock()

    async def beside(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Return a row for each scripted participant and token budget of runs over one set in one configuration.

        Empty where the configuration gives nothing away, and for runs without open contexts of ours.
        """
        configuration = runs[0].settings.get("configuration")
        scripted = test_participants_of(runs[0].benchmark)
        if scripted is None or configuration in (None, Configuration.FULL_GRAPH.value):
            return []
        if runs[0].kind is RunKind.RELEASE:
            # Made elsewhere, over contexts that nobody here has.
            return []
        budgets = sorted({int(run.settings["token_budget"]) for run in runs if Mode.OPEN.value in run.modes})
        rows: list[dict[str, Any]] = []
        for budget in budgets:
            conditions = Conditions(Configuration(configuration), budget, int(runs[0].settings["max_chunks"]))
            shown = {"token_budget": budget, "component": scripted.component}
            try:
                reach = await self._reach(runs[0], conditions)
            except (NotFoundError, UnavailableError) as error:
                # A board is served without its graph; what cannot be known now is said to be so.
                rows.append({**shown, "participant": None, "mean": None, "tasks": None, "reason": str(error)})
                continue
            few = reach.tasks < self._least and not all(run.settings.get("all_public") for run in runs)
            reason = f"over fewer than {self._least} tasks that are not public" if few else None
            rows += [
                {
                    **shown,
                    "participant": name,
                    "mean": None if few else mean,
                    "tasks": reach.tasks,
                    "reason": reason,
                }
                for name, mean in reach.means.items()
            ]
        return rows

    async def _reach(self, run: Run, conditions: Conditions) -> _Reach:
        key = (run.benchmark, run.task_set, conditions)
        # One at a time: two readers of a board must not walk the same 300 contexts at once.
        async with self._working:
            if key not in self._kept:
                self._kept[key] = await self._walk(run, conditions)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    async def _walk(self, run: Run, conditions: Conditions) -> _Reach:
        scripted = test_participants_of(run.benchmark)
        assert scripted is not None  # noqa: S101 - asked before
        tasks = [task for task in (await self._records.tasks(run.task_set)).values() if task.mode is Mode.OPEN]
        contents = await self._watcher.contents(self._watcher.catalog.find(run.corpus, run.version))
        scores: list[Mapping[str, float]] = []
        for start in range(0, len(tasks), _AT_ONCE):
            part = tasks[start : start + _AT_ONCE]
            built = await asyncio.gather(*(task_context(self._store, contents, task, conditions) for task in part))
            scores += [scripted.reach(task.record, context.chunks) for task, context in zip(part, built, strict=True)]
        names = list(scores[0]) if scores else []
        means = {name: fmean(score[name] for score in scores) for name in names}
        return _Reach(means, scripted.component, len(tasks))
