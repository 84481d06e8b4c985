"""What a benchmark must bring so that its answers can be read, judged and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from service.domain import Jurisdiction, Language, NormId

if TYPE_CHECKING:
    from service.analysis import Weights
    from service.citations import Coverage
    from service.domain import Chunk, Outcome
    from service.judging import Question

__all__ = ["AnswerPlan", "Evaluation", "Law", "Scored", "TestParticipants"]


@dataclass(frozen=True, slots=True)
class Law:
    """The version of a corpus that a task set is pinned to, as far as reading answers needs it.

    Attributes:
        coverage: What is loaded, for telling invented norms from those outside it.
        ref: (act, number) → the norm's ref in that version, or None where it has no such article.
        fold_inserted: Whether ``25.13-1`` is folded into ``25.13`` (mhgb.md 1).
        language: The language that answers are written in.
    """

    coverage: Coverage
    ref: Callable[[str, str], NormId | None]
    fold_inserted: bool = False
    language: Language = Language.RU
    jurisdiction: Jurisdiction | None = None


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """An answer as read: what is known of its scores without a judge, and what judges must be asked.

    Attributes:
        zero: Every component is 0 and no judge is asked, since nothing was said: empty, cut, refused_by_provider.
        reading: What is shown of the reading; it holds nothing of the task.
        components: Those known without a judge.
        details: Diagnostics that hold something of the task's answer key.
        keys: Keys of the judgements, in order.
    """

    zero: str | None
    reading: Mapping[str, Any]
    components: Mapping[str, float]
    details: Mapping[str, Any]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one answer; None is unavailable and never a zero.

    Attributes:
        components: By name, every component of the benchmark.
        final: With the benchmark's weights; None unless every component is there.
        reason: Why something is None; None when all is there.
    """

    components: Mapping[str, float | None]
    final: float | None
    reason: str | None


class Evaluation(Protocol):
    """How a benchmark evaluates; its package has one as ``EVALUATION``.

    A ``record`` is a task in the benchmark's own exchange format.
    """

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components of a final score, in the order of their weights."""

    @property
    def weights(self) -> Weights:
        """The published weights."""

    @property
    def values(self) -> Mapping[str, tuple[float, ...]]:
        """What a judge may give, by level: what stands before the colon of a key."""

    def digest(self, language: Language) -> str:
        """Return the SHA-256 of reader, registries, prompts and values: equal digests score equally."""

    def read(self, text: str, law: Law) -> Mapping[str, Any]:
        """Return how an answer would be read, without a task."""

    def plan(self, record: Mapping[str, Any], outcome: Outcome, text: str, law: Law) -> AnswerPlan:
        """Read an answer to a task."""

    def question(self, record: Mapping[str, Any], text: str, key: str) -> Question:
        """Return what a judge is asked for one key of an answer's plan."""

    def score(self, known: Mapping[str, float], verdicts: Mapping[str, float | None]) -> Scored:
        """Return the scores from what was known without a judge and one entry a key; None: there is no verdict."""

    def error(self, components: Mapping[str, float | None], details: Mapping[str, Any], final: float) -> str | None:
        """Return the kind of a failed answer; None for one that did not fail."""


class TestParticipants(Protocol):
    """Scripted participants that read no law and show what open contexts give away.

    A benchmark whose contexts can give something away has them as ``TEST_PARTICIPANTS``.
    """

    component: str
    """The score that they reach for."""

    def reach(self, record: Mapping[str, Any], chunks: Sequence[Chunk]) -> Mapping[str, float]:
        """Return what each of them scores on an open task, from its context alone, by name."""
