"""How MHGB evaluates an answer: what is read, what judges are asked, and how it is scored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from service.analysis import Component, Weights
from service.benchmarks._protocol import AnswerPlan, Law, Scored
from service.benchmarks.mhgb.reading import read_answer, seed_of
from service.benchmarks.mhgb.scoring import (
    ANSWER,
    ANSWER_VALUES,
    EQUAL,
    STEP_VALUES,
    coverage_f1,
    error_kind,
    scored,
    step_key,
)
from service.benchmarks.mhgb.shapes import said
from service.domain import Language, Outcome
from service.errors import InputError
from service.judging import Question, judging_digest, prompt_sections
from service.resources import code_digest, resources_below

__all__ = ["EVALUATION", "MhgbEvaluation"]

_STEP_SECTIONS: Final = frozenset({"system", "facts", "question", "norm", "reference"})
_ANSWER_SECTIONS: Final = frozenset({"system", "facts", "question", "reference"})
_READS_AND_SCORES: Final = (
    "service.citations",
    "service.domain.citations",
    "service.domain.names",
    "service.text.normalise",
    "service.models._reading",
    "service.benchmarks.mhgb.layout",
    "service.benchmarks.mhgb.reading",
    "service.benchmarks.mhgb.scoring",
    "service.benchmarks.mhgb.sections",
    "service.benchmarks.mhgb.shapes",
)
"""The code on which it depends what an answer's score is: scores of another one do not compare."""


class MhgbEvaluation:
    """NC, SC and AC of mhgb.md 5."""

    components: tuple[str, ...] = tuple(component.value for component in Component)
    weights: Weights = EQUAL
    values: Mapping[str, tuple[float, ...]] = {"step": STEP_VALUES, "answer": ANSWER_VALUES}

    def digest(self, language: Language) -> str:
        """Return the SHA-256 of reader, registries, prompts and values."""
        prompts = [text for name in ("step", "answer") for _, text in sorted(_prompts(name).items())]
        return judging_digest(language, _code(), _registries(), repr(sorted(self.values.items())), *prompts)

    def read(self, text: str, law: Law) -> Mapping[str, Any]:
        """Return how an answer would be read, without a task."""
        reading = read_answer(text, law)
        return {**reading.as_json(), "text": reading.text, "blank": reading.blank}

    def plan(self, record: Mapping[str, Any], outcome: Outcome, text: str, law: Law) -> AnswerPlan:
        """Read an answer to a task: norm coverage, and one judgement for each gold step with a norm and the conclusion.

        Raises:
            InputError: The outcome is no answer.
        """
        if not outcome.is_answer:
            raise InputError(f"outcome {outcome.value!r} is no answer and has no score; count it")
        reading = read_answer(text, law)
        if reading.blank or outcome in (Outcome.EMPTY, Outcome.REFUSED_BY_PROVIDER):
            zero = Outcome.EMPTY if outcome is Outcome.ANSWERED else outcome
            return AnswerPlan(zero.value, reading.as_json(), dict.fromkeys(self.components, 0.0), {}, ())
        seeds = [seed_of(law, norm) for norm in record["norm_ids"]]
        coverage = coverage_f1(reading.named, seeds)
        details = {
            "nc_list_only": None if reading.unstructured else coverage_f1(reading.listed, seeds),
            "nc_reasoning": coverage if reading.unstructured else coverage_f1(reading.reasoned, seeds),
        }
        keys = (*(step_key(step["step"]) for step in _steps(record)), ANSWER)
        return AnswerPlan(None, reading.as_json(), {Component.NORM_COVERAGE.value: coverage}, details, keys)

    def question(self, record: Mapping[str, Any], text: str, key: str) -> Question:
        """Return what a judge is asked: the whole answer without its think block, never the mode or the context."""
        answer, _ = said(text)
        if key == ANSWER:
            prompts, reference = _prompts("answer"), _conclusion(record)
            norm: tuple[tuple[str, str], ...] = ()
        else:
            step = next((step for step in _steps(record) if step_key(step["step"]) == key), None)
            if step is None:
                raise InputError(
                    f"judgement {key!r} is none of task {record.get('id')!r}; its gold chain has no such step"
                )
            prompts, reference = _prompts("step"), str(step.get("reasoning") or "")
            norm = ((prompts["norm"], str(step["norm_id"])),)
        level = key.partition(":")[0]
        material = (
            (prompts["facts"], str(record["fabula"])),
            (prompts["question"], str(record["question"])),
            *norm,
            (prompts["reference"], reference),
        )
        return Question(key, level, self.values[level], prompts["system"], material, reference, answer)

    def score(self, known: Mapping[str, float], verdicts: Mapping[str, float | None]) -> Scored:
        """Return the scores."""
        return scored(known, verdicts)

    def error(self, components: Mapping[str, float | None], details: Mapping[str, Any], final: float) -> str | None:
        """Return the kind of a failed answer (the taxonomy of mhgb.md 5)."""
        kind = error_kind(components, details, final)
        return kind.value if kind else None


EVALUATION: Final = MhgbEvaluation()


def _steps(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [step for step in record["gold_chain"] if step.get("norm_id")]


def _conclusion(record: Mapping[str, Any]) -> str:
    """Return the concluding step's words, or the reference answer where the chain has none."""
    for step in reversed(record["gold_chain"]):
        if not step.get("norm_id"):
            return str(step.get("conclusion") or step.get("reasoning") or record["answer"])
    return str(record["answer"])


@lru_cache(maxsize=2)
def _prompts(name: str) -> dict[str, str]:
    return prompt_sections(f"data/prompts/mhgb/judge-{name}.md", _STEP_SECTIONS if name == "step" else _ANSWER_SECTIONS)


@lru_cache(maxsize=1)
def _code() -> str:
    return code_digest(*_READS_AND_SCORES)


@lru_cache(maxsize=1)
def _registries() -> str:
    digest = hashlib.sha256()
    for path in resources_below("data/acts", ".yaml"):
        digest.update(path.name.encode() + b"\x00" + path.read_bytes())
    return digest.hexdigest()
