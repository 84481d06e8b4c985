"""A run's own figures: scores, gap, slices, errors. Every mean stands beside how much of the run it rests on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from service.analysis import Quadrant, moments, quadrants
from service.benchmarks import evaluation_of
from service.domain import Mode, Outcome
from service.errors import InputError
from service.evaluation._figures import BOOTSTRAP, ItemScore, Pair, RunTable

_COUNTS = re.compile(r"(^|; )\d+(?: of \d+)? ")
"""How many questions or steps a reason is about: it differs from answer to answer, and tells the length of the chain."""

__all__ = [
    "SLICES",
    "gap_view",
    "interval",
    "item_views",
    "mode_view",
    "run_errors",
    "run_scores_view",
    "run_slices",
    "without_zeros",
]

SLICES: Final = {
    "type": "task_type",
    "depth": "depth",
    "branch": "branch",
    "act": "act",
}
"""What a run can be sliced by."""


def interval(values: Sequence[float]) -> list[float] | None:
    """Return the bootstrap interval of a mean; None without values."""
    if not len(values):
        return None
    found = BOOTSTRAP.mean(np.asarray(values, dtype=np.float64))
    return [found.low, found.high]


def _mean(values: Iterable[float | None]) -> dict[str, Any]:
    series = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    found = moments(series)
    return {"mean": found.mean, "std": found.std, "scored": found.scored, "total": found.total}


def mode_view(table: RunTable, mode: str) -> dict[str, Any]:
    """Return the figures of one mode: over all of its tasks, and over those where something was said."""
    items = table.of_mode(mode)
    answered = [item for item in items if item.answers]
    spoke = [item for item in answered if item.zero is None]
    reasons = Counter(_COUNTS.sub(r"\1", str(item.reason)) for item in items if item.final is None)
    spreads = [item.spread for item in items if item.spread is not None]
    return {
        "tasks": len(items),
        "answered": len(answered),
        "final": _mean(item.final for item in items),
        "components": {
            name: _mean(item.components.get(name) for item in items)
            for name in evaluation_of(table.run.benchmark).components
        },
        "without_zeros": _mean(item.final for item in spoke),
        "zeros": dict(Counter(item.zero for item in answered if item.zero is not None)),
        "unavailable": dict(sorted(reasons.items())),
        "spread": _mean(spreads) if spreads else None,
        "outcomes": _outcomes(table, mode),
        "not_answered_by_depth": _no_answers(table, mode),
    }


def _outcomes(table: RunTable, mode: str) -> dict[str, int]:
    found = dict.fromkeys((one.value for one in Outcome), 0)
    for of_mode, _, outcome, count in table.counts:
        if of_mode == mode:
            found[outcome] += count
    return found


def _no_answers(table: RunTable, mode: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for of_mode, depth, outcome, count in table.counts:
        if of_mode == mode and not Outcome(outcome).is_answer:
            found[depth][outcome] = count
    return dict(found)


def run_scores_view(table: RunTable) -> dict[str, Any]:
    """Return a run's scores by mode. Nothing of a single task is in it."""
    evaluation = evaluation_of(table.run.benchmark)
    weights = table.weights or evaluation.weights
    return {
        "run": table.run.id,
        "participant": table.run.participant,
        "fingerprint": table.run.fingerprint,
        "score_fingerprint": table.run.score_fingerprint,
        "change": table.run.change,
        "weights": dict(zip(evaluation.components, weights.values, strict=True)),
        "partial": table.partial,
        "untried": table.untried,
        "repeats": table.run.repeats,
        "modes": {mode: mode_view(table, mode) for mode in table.run.modes},
    }


def item_views(table: RunTable) -> list[dict[str, Any]]:
    """Return every task's scores, for those who may see the answer key."""
    return [
        {
            "task_id": item.line.task_id,
            "submission": item.line.submission_id,
            "outcome": item.line.outcome,
            "zero": item.zero,
            "components": dict(item.components),
            "final": item.final,
            "spread": item.spread,
            "reason": item.reason,
            "error": item.line.error,
            "details": item.line.details,
        }
        for item in table.items
    ]


def without_zeros(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the means over the pairs in which both answers said something."""
    kept = [pair for pair in pairs if pair.both_spoke]
    closed = _mean(pair.closed.final if pair.closed else None for pair in kept)
    opened = _mean(pair.open.final if pair.open else None for pair in kept)
    return {"n": len(kept), "closed": closed["mean"], "open": opened["mean"], "gap": _mean(p.gap for p in kept)["mean"]}


def gap_view(table: RunTable, *, threshold: float = 0.5) -> dict[str, Any]:
    """Return GAP over complete pairs, by component, with its interval and test, and the quadrants."""
    from service.analysis import paired_test  # noqa: PLC0415 - it loads scipy, which a start can do without

    complete = table.complete
    gaps = [pair.gap for pair in complete]
    closed, opened = table.finals(complete, Mode.CLOSED.value), table.finals(complete, Mode.OPEN.value)
    places = quadrants(closed, opened, threshold)
    test = paired_test(opened - closed)
    return {
        "run": table.run.id,
        "participant": table.run.participant,
        "change": table.run.change,
        "pairs": len(table.pairs),
        "n_pairs": len(complete),
        "closed": _mean(closed.tolist())["mean"],
        "open": _mean(opened.tolist())["mean"],
        "gap": _mean(gaps)["mean"],
        "interval": interval(gaps),
        "test": {"t": test.t, "p_value": test.p_value, "reason": test.reason or None},
        "components": {
            name: _mean(_component_gap(pair, name) for pair in complete)
            for name in evaluation_of(table.run.benchmark).components
        },
        "without_zeros": without_zeros(complete),
        "threshold": threshold,
        "quadrants": {quadrant.value: int((places == place).sum()) for place, quadrant in enumerate(Quadrant)},
        "incomplete": _incomplete(table),
    }


def _component_gap(pair: Pair, name: str) -> float | None:
    assert pair.closed is not None  # noqa: S101 - only complete pairs are asked
    assert pair.open is not None  # noqa: S101
    recorded = pair.open.line.details.get(f"{name}_gap")
    if recorded is not None:
        return float(recorded)
    one, other = pair.closed.components.get(name), pair.open.components.get(name)
    return None if one is None or other is None else other - one


def _incomplete(table: RunTable) -> dict[str, dict[str, int]]:
    """Count pairs that do not count, by depth and by what their fabula lacks."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in table.pairs:
        if pair.complete:
            continue
        lacks = [
            mode
            for mode, one in ((Mode.CLOSED.value, pair.closed), (Mode.OPEN.value, pair.open))
            if one is None or one.final is None
        ]
        there = pair.closed or pair.open
        assert there is not None  # noqa: S101 - a pair has at least one side
        found[there.line.depth]["+".join(lacks)] += 1
    return {depth: dict(counts) for depth, counts in sorted(found.items())}


def run_slices(table: RunTable, by: Sequence[str]) -> list[dict[str, Any]]:
    """Return means by type, depth, branch, act of the first norm, or several of them at once.

    Raises:
        InputError: A name is none of these.
    """
    for name in by:
        if name not in SLICES:
            raise InputError(f"slice {name!r} is not known; take some of {', '.join(SLICES)}")

    def names(item: ItemScore) -> tuple[str, ...]:
        return tuple(str(getattr(item.line, SLICES[name])) for name in by)

    pairs: dict[tuple[str, ...], list[Pair]] = defaultdict(list)
    for pair in table.pairs:
        there = pair.closed or pair.open
        if there is not None:
            pairs[names(there)].append(pair)
    found = []
    for key in sorted(pairs):
        of_slice = pairs[key]
        complete = [pair for pair in of_slice if pair.complete]
        gaps = [pair.gap for pair in complete]
        found.append(
            {
                "slice": dict(zip(by, key, strict=True)),
                "pairs": len(of_slice),
                "n_pairs": len(complete),
                "closed": _mean(pair.closed.final if pair.closed else None for pair in of_slice),
                "open": _mean(pair.open.final if pair.open else None for pair in of_slice),
                "gap": _mean(gaps),
                "interval": interval(gaps),
            }
        )
    return found


def run_errors(table: RunTable) -> dict[str, Any]:
    """Return the taxonomy of failed answers by mode; what has no score has no kind and is counted."""
    found: dict[str, Any] = {}
    for mode in table.run.modes:
        items = table.of_mode(mode)
        failed = Counter(item.line.error for item in items if item.final is not None and item.line.error)
        by_depth: dict[str, Counter[str]] = defaultdict(Counter)
        for item in items:
            if item.final is not None and item.line.error:
                by_depth[item.line.depth][item.line.error] += 1
        found[mode] = {
            "scored": sum(item.final is not None for item in items),
            "unavailable": sum(item.final is None for item in items),
            "failed": sum(failed.values()),
            "kinds": dict(sorted((str(kind), count) for kind, count in failed.items())),
            "by_depth": {depth: dict(counts) for depth, counts in sorted(by_depth.items())},
        }
    return {"run": table.run.id, "participant": table.run.participant, "change": table.run.change, "modes": found}
