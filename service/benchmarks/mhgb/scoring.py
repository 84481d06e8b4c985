"""From an answer's reading and its verdicts to scores, nulls with their reasons, quadrants and errors (mhgb.md 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from service.analysis import Component, Weights
from service.domain import Outcome

if TYPE_CHECKING:
    from service.benchmarks.mhgb.reading import AnswerReading
    from service.domain import NormId

__all__ = [
    "ANSWER",
    "ANSWER_VALUES",
    "EQUAL",
    "STEP_VALUES",
    "ErrorKind",
    "Score",
    "coverage_f1",
    "error_kind",
    "final_score",
    "score_answer",
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


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one answer, each 0 to 1; None is unavailable and never a zero.

    Attributes:
        components: NC, SC, AC by `Component`.
        final: With the published weights; None unless all three are there.
        zero: The whole is 0 without a judge, since nothing was said; None where that is not so.
        reason: Why something is None; None when all is there.
        details: ``nc_list_only``, ``nc_reasoning``, ``consistency`` and counts; diagnostics that no score uses.
    """

    components: Mapping[Component, float | None]
    final: float | None
    zero: str | None
    reason: str | None
    details: Mapping[str, Any]


def coverage_f1(named: Collection[NormId], seeds: Collection[NormId]) -> float:
    """Return F1 of the norms named against the seed norms; 0 when either is empty (level 1)."""
    predicted, gold = set(named), set(seeds)
    hits = len(predicted & gold)
    return 2 * hits / (len(predicted) + len(gold)) if hits else 0.0


def final_score(components: Mapping[Component, float | None], weights: Weights = EQUAL) -> float | None:
    """Return α·NC + β·SC + γ·AC; None when one of them is missing."""
    values = [components[component] for component in Component]
    total = 0.0
    for weight, value in zip(weights.values, values, strict=True):
        if value is None:
            return None
        total += weight * value
    return min(1.0, total)


def score_answer(
    outcome: Outcome,
    reading: AnswerReading,
    seeds: Collection[NormId],
    verdicts: Mapping[str, float | None],
    steps: Collection[int],
) -> Score:
    """Return the scores of an answer.

    Args:
        outcome: How it came about; one that is no answer has no score at all.
        reading: The answer as read.
        seeds: Seed norms under the corpus's folding rule.
        verdicts: Aggregated value by judgement key; None where it is unavailable, absent where it is still to come.
        steps: Numbers of the gold steps that have a norm.
    """
    if not outcome.is_answer:
        nothing: dict[Component, float | None] = dict.fromkeys(Component)
        return Score(nothing, None, None, f"outcome {outcome.value} is no answer", {})
    if outcome is Outcome.EMPTY or outcome is Outcome.REFUSED_BY_PROVIDER or reading.blank:
        why = outcome.value if outcome is not Outcome.ANSWERED else Outcome.EMPTY.value
        return Score(dict.fromkeys(Component, 0.0), 0.0, why, None, {})
    coverage = coverage_f1(reading.named, seeds)
    step_mean, missing_steps = _mean_of(verdicts, [step_key(step) for step in sorted(steps)])
    answer = verdicts.get(ANSWER)
    components: dict[Component, float | None] = {
        Component.NORM_COVERAGE: coverage,
        Component.STEP_CORRECTNESS: step_mean,
        Component.ANSWER_CORRECTNESS: answer,
    }
    reasons = []
    if step_mean is None:
        reasons.append(f"{missing_steps} of {len(steps)} steps have no verdict" if steps else "the task has no steps")
    if answer is None:
        reasons.append("the conclusion has no verdict")
    details = {
        "nc_list_only": None if reading.unstructured else coverage_f1(reading.listed, seeds),
        "nc_reasoning": coverage if reading.unstructured else coverage_f1(reading.reasoned, seeds),
        "consistency": reading.consistency,
    }
    return Score(components, final_score(components), None, "; ".join(reasons) or None, details)


def _mean_of(verdicts: Mapping[str, float | None], keys: Collection[str]) -> tuple[float | None, int]:
    values = [verdicts.get(key) for key in keys]
    there = [value for value in values if value is not None]
    if not keys or len(there) < len(values):
        return None, len(values) - len(there)
    total = 0.0
    for value in there:
        total += value
    return total / len(there), 0


def error_kind(score: Score) -> ErrorKind | None:
    """Return why an answer failed; None at 0.5 and above, and where a score is unavailable.

    The taxonomy's «NC of the list» is NC itself (mhgb.md 5). An empty answer fails on every level.
    """
    coverage, steps, answer = (score.components[component] for component in Component)
    if score.final is None or coverage is None or steps is None or answer is None or score.final >= _FAILED:
        return None
    reasoned = score.details.get("nc_reasoning")
    if reasoned is not None and reasoned - coverage > _HALLUCINATED:
        return ErrorKind.HALLUCINATION
    if coverage < _LOW_COVERAGE and steps < _LOW_STEPS and answer < _LOW_ANSWER:
        return ErrorKind.MULTI_FAIL
    if coverage < _LOW_COVERAGE:
        return ErrorKind.NORM_MISS
    if steps < _LOW_STEPS:
        return ErrorKind.REASONING_FAIL
    return ErrorKind.ANSWER_FAIL
