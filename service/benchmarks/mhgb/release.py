"""The public release's results as finished runs: scores without answers (mhgb 7)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from service.analysis import COMPONENTS
from service.benchmarks.mhgb.models import MODELS, display_name
from service.db import NewRun, ReleasedScore, RunItem, RunKind
from service.domain import Mode

if TYPE_CHECKING:
    from service.analysis import GapTable
    from service.benchmarks.mhgb.records import Experiment

__all__ = ["released_runs"]

_REASON: Final = "the release has no components of single answers"
_DIGITS: Final = 48


def released_runs(experiments: Sequence[Experiment]) -> list[tuple[NewRun, list[ReleasedScore]]]:
    """Return a run and its scores for each model.

    All runs are over all fabulas that occur for any model, so that what a model lacks shows in its coverage. One digest
    over all files makes them one board, apart from everything that was scored here.
    """
    digest = hashlib.sha256("".join(sorted(one.sha256 for one in experiments)).encode()).hexdigest()[:_DIGITS]
    items: dict[str, RunItem] = {}
    for one in experiments:
        for item in _items(one.table):
            items.setdefault(item.task_id, item)
    found = []
    for one in experiments:
        for model, table in one.table.by_model().items():
            # Its own fabulas in the order of its own file: a bootstrap depends on it.
            own = {item.task_id: item for item in _items(table)}
            of_run = [*own.values(), *(item for task, item in items.items() if task not in own)]
            found.append((_run(one.key, model, digest, of_run), _scores(table)))
    return found


def _items(table: GapTable) -> list[RunItem]:
    rows = zip(table.task.values(), table.task_type.values(), table.depth.values(), table.branch.values(), strict=True)
    return [
        RunItem(f"{fabula}_{mode.value}", fabula, mode.value, kind, depth, branch, "unknown")
        for fabula, kind, depth, branch in rows
        for mode in Mode
    ]


def _run(experiment: str, model: str, digest: str, items: list[RunItem]) -> NewRun:
    conditions: dict[str, Any] = {"model": model}
    if model in MODELS:
        conditions["slice"] = MODELS[model].slice
    facts = {"benchmark": "mhgb", "release": digest, "configuration": "full_graph_edges"}
    return NewRun(
        owner="command-line",
        benchmark="mhgb",
        task_set="mhgb-release",
        corpus="mhgb",
        version="release",
        participant=display_name(model),
        model_id=model,
        conditions=conditions,
        settings={"experiment": experiment, "configuration": "full_graph_edges", "all_public": True},
        modes=tuple(mode.value for mode in Mode),
        repeats=1,
        partial=False,
        fingerprint=f"release:{digest}",
        score_fingerprint=f"release:{digest}",
        score_facts=facts,
        profile_id=None,
        items=items,
        kind=RunKind.RELEASE,
    )


def _scores(table: GapTable) -> list[ReleasedScore]:
    nothing = {component.value: None for component in COMPONENTS}
    found = []
    rows = zip(
        table.task.values(),
        table.closed.tolist(),
        table.open.tolist(),
        table.gap.tolist(),
        table.component_gaps.tolist(),
        strict=True,
    )
    for fabula, closed, opened, gap, parts in rows:
        details = {"final_score_gap": _there(gap)}
        details |= {f"{component.value}_gap": _there(part) for component, part in zip(COMPONENTS, parts, strict=True)}
        found.append(ReleasedScore(f"{fabula}_closed", _there(closed), nothing, _REASON, {}))
        found.append(ReleasedScore(f"{fabula}_open", _there(opened), nothing, _REASON, details))
    return found


def _there(value: float) -> float | None:
    return None if math.isnan(value) else value
