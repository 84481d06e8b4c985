"""From an answer's reading and its verdicts to scores, nulls with their reasons, quadrants and errors (mhgb.md 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from service.analysis import Component, Weights
from service.benchmarks._protocol import Scored

if TYPE_CHECKING:
    from service.domain import NormId

__all__ = [
    "ANSWER",
    "ANSWER_VALUES",
    "EQUAL",
    "STEP_VALUES",
    "ErrorKind",
    "coverage_f1",
    "error_kind",
    "final_score",
    "scored",
    "step_key",
]

STEP_VALUES: Final = (0.0, 0.5, 1.0)
"""What a judge may give a step (mhgb.md 5, level 2)."""

ANSWER_VALUES: Final = (0.0, 0.33, 0.67, 1.0)
"""What a judge may give the conclusion (level 3)."""

ANSWER: Final = "answer"
"""Key of the judgement of the conclusion."""

EQUAL: Final = Weights(1 / 3, 1 / 3, 1 / 3)
"""The published weights."""

_HALLUCINATED: Final = 0.3
_LOW_COVERAGE: Final = 0.3
_LOW_STEPS: Final = 0.4
_LOW_ANSWER: Final = 0.33
_FAILED: Final = 0.5


def step_key(step: int) -> str:
    """Return the key of the judgement of a gold step, by its number in the chain."""
    return f"step:{step}"


class ErrorKind(StrEnum):
    """Why an answer scored below 0.5; the first that matches wins."""

    HALLUCINATION = "hallucination"
    MULTI_FAIL = "multi_fail"
    NORM_MISS = "norm_miss"
    REASONING_FAIL = "reasoning_fail"
    ANSWER_FAIL = "answer_fail"


def coverage_f1(named: Collection[NormId], seeds: Collection[NormId]) -> float:
    """Return F1 of the norms named against the seed norms; 0 when either is empty (level 1)."""
    predicted, gold = set(named), set(seeds)
    hits = len(predicted & gold)
    return 2 * hits / (len(predicted) + len(gold)) if hits else 0.0


def final_score(components: Mapping[str, float | None], weights: Weights = EQUAL) -> float | None:
    """Return α·NC + β·SC + γ·AC; None when one of them is missing."""
    values = [components[component.value] for component in Component]
    total = 0.0
    for weight, value in zip(weights.values, values, strict=True):
        if value is None:
            return None
        total += weight * value
    return min(1.0, total)


def scored(known: Mapping[str, float], verdicts: Mapping[str, float | None]) -> Scored:
    """Return the scores of an answer whose coverage is known.

    Args:
        known: ``norm_coverage``; with ``zero`` answers, every component.
        verdicts: Aggregated value by judgement key, an entry for each; None where it is unavailable or still to come.
    """
    components: dict[str, float | None] = {component.value: known.get(component.value) for component in Component}
    reasons = []
    if Component.STEP_CORRECTNESS.value not in known:
        steps = [value for key, value in verdicts.items() if key != ANSWER]
        there = [value for value in steps if value is not None]
        if not steps:
            reasons.append("the task has no step with a norm")
        elif len(there) < len(steps):
            reasons.append(f"{len(steps) - len(there)} of {len(steps)} steps have no verdict")
        else:
            total = 0.0
            for value in there:
                total += value
            components[Component.STEP_CORRECTNESS.value] = total / len(there)
    if Component.ANSWER_CORRECTNESS.value not in known:
        components[Component.ANSWER_CORRECTNESS.value] = verdicts.get(ANSWER)
        if verdicts.get(ANSWER) is None:
            reasons.append("the conclusion has no verdict")
    return Scored(components, final_score(components), "; ".join(reasons) or None)


def error_kind(
    components: Mapping[str, float | None], details: Mapping[str, Any], final: float | None
) -> ErrorKind | None:
    """Return why an answer failed; None at 0.5 and above, and where a score is unavailable.

    The taxonomy's «NC of the list» is NC itself (mhgb.md 5). An empty answer fails on every level.
    """
    coverage, steps, answer = (components[component.value] for component in Component)
    if final is None or coverage is None or steps is None or answer is None or final >= _FAILED:
        return None
    reasoned = details.get("nc_reasoning")
    if reasoned is not None and reasoned - coverage > _HALLUCINATED:
        return ErrorKind.HALLUCINATION
    if coverage < _LOW_COVERAGE and steps < _LOW_STEPS and answer < _LOW_ANSWER:
        return ErrorKind.MULTI_FAIL
    if coverage < _LOW_COVERAGE:
        return ErrorKind.NORM_MISS
    if steps < _LOW_STEPS:
        return ErrorKind.REASONING_FAIL
    return ErrorKind.ANSWER_FAIL
