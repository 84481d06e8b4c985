"""How an answer to a task came about."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Outcome"]


class Outcome(StrEnum):
    """What became of one task (mhgb.md 5). Only the first four are answers; the others never score."""

    ANSWERED = "answered"
    EMPTY = "empty"
    CUT = "cut"
    REFUSED_BY_PROVIDER = "refused_by_provider"
    CONTEXT_OVERFLOW = "context_overflow"
    NOT_ATTEMPTED = "not_attempted"
    ERROR = "error"

    @property
    def is_answer(self) -> bool:
        """Whether it is scored and closes its task; the rest is kept and counted, and the task stays open."""
        return self in _ANSWERS

    @property
    def may_have_text(self) -> bool:
        """Whether an answer's text goes with it."""
        return self in _TEXTS


_TEXTS = frozenset({Outcome.ANSWERED, Outcome.CUT, Outcome.REFUSED_BY_PROVIDER})
_ANSWERS = _TEXTS | {Outcome.EMPTY}
