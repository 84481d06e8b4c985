"""Where a run stands, as its owner and, once it is published, everybody sees it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from service.db import (
    Run,
    WorkState,
    database_now,
    iso_moment,
    item_counts,
    judged_answer_counts,
    judgement_counts,
    outcome_counts,
    unread_count,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["RunState", "run_line", "run_view"]


class RunState(StrEnum):
    """Where a run stands.

    ``open``: tasks lack answers. ``awaiting_judge``: all is answered or the run is closed, no judge is at work.
    ``judging``: judges are. ``complete``: every answer is judged as far as it can be. ``closed``: complete, and its
    owner takes no more answers.
    """

    OPEN = "open"
    AWAITING_JUDGE = "awaiting_judge"
    JUDGING = "judging"
    COMPLETE = "complete"
    CLOSED = "closed"


def run_line(run: Run) -> dict[str, Any]:
    """Return what a list shows of a run."""
    return {
        "id": run.id,
        "kind": run.kind.value,
        "benchmark": run.benchmark,
        "task_set": run.task_set,
        "corpus": run.corpus,
        "version": run.version,
        "participant": run.participant,
        "conditions": run.conditions,
        "settings": {name: value for name, value in run.settings.items() if not name.startswith("judge_")},
        "modes": list(run.modes),
        "repeats": run.repeats,
        "partial": run.partial,
        "tasks": run.items,
        "fingerprint": run.fingerprint,
        "score_fingerprint": run.score_fingerprint,
        "change": run.change,
        "created_at": iso_moment(run.created_at),
        "closed_at": iso_moment(run.closed_at),
        "published_at": iso_moment(run.published_at),
        "withdrawn_at": iso_moment(run.withdrawn_at),
        "withdrawn_why": run.withdrawn_why,
    }


async def run_view(session: AsyncSession, run: Run, *, by_answer: bool = False) -> dict[str, Any]:
    """Return a run with its state, its counts, and when it may be done.

    Args:
        session: The ledger.
        run: The run.
        by_answer: Count answers and not questions to the judge: their number tells the steps of a gold chain.
    """
    items = await item_counts(session, run.id)
    counted = judged_answer_counts if by_answer else judgement_counts
    judgements = await counted(session, run.id, run.profile_id) if run.profile_id is not None else {}
    unread = await unread_count(session, run.id)
    outcomes: dict[str, dict[str, int]] = {}
    for mode, _, outcome, count in await outcome_counts(session, run.id):
        outcomes.setdefault(mode, {}).setdefault(outcome, 0)
        outcomes[mode][outcome] += count
    answered = sum(states[WorkState.DONE] for states in items.values())
    total = sum(sum(states.values()) for states in items.values())
    done, waiting = _done(judgements), judgements.get(WorkState.PENDING, 0) + judgements.get(WorkState.LEASED, 0)
    state = _state(run, answered=answered, total=total, unread=unread, judgements=judgements)
    return {
        **run_line(run),
        "state": state.value,
        "answered": answered,
        "received": sum(sum(counts.values()) for counts in outcomes.values()),
        "outcomes": outcomes,
        "leased": {mode: states[WorkState.LEASED] for mode, states in items.items()},
        "left": {mode: total_of - states[WorkState.DONE] for mode, states, total_of in _totals(items)},
        "unread": unread,
        "judgements": {
            "total": done + waiting,
            "judged": judgements.get(WorkState.DONE, 0),
            "unavailable": judgements.get(WorkState.UNAVAILABLE, 0),
            "leased": judgements.get(WorkState.LEASED, 0),
            "waiting": judgements.get(WorkState.PENDING, 0),
        },
        "judgements_of": "answers" if by_answer else "questions",
        "eta_seconds": await _eta(
            session, run, answered=answered, total=total, unread=unread, done=done, waiting=waiting
        ),
    }


def _totals(items: dict[str, dict[WorkState, int]]) -> list[tuple[str, dict[WorkState, int], int]]:
    return [(mode, states, sum(states.values())) for mode, states in items.items()]


def _done(judgements: dict[WorkState, int]) -> int:
    return sum(judgements.get(state, 0) for state in (WorkState.DONE, WorkState.UNAVAILABLE, WorkState.EXCLUDED))


def _state(run: Run, *, answered: int, total: int, unread: int, judgements: dict[WorkState, int]) -> RunState:
    if run.closed_at is None and answered < total:
        return RunState.OPEN
    if judgements.get(WorkState.LEASED, 0) or (judgements.get(WorkState.PENDING, 0) and _done(judgements)):
        return RunState.JUDGING
    if unread or judgements.get(WorkState.PENDING, 0):
        return RunState.AWAITING_JUDGE
    return RunState.COMPLETE if run.closed_at is None else RunState.CLOSED


async def _eta(
    session: AsyncSession, run: Run, *, answered: int, total: int, unread: int, done: int, waiting: int
) -> float | None:
    """Return the seconds that the rest takes at the pace so far: answers while tasks are open, else judgements.

    None while nobody can tell: what an answer that nobody has read yet will ask of judges is not known.
    """
    if unread and (run.closed_at is not None or answered == total):
        return None
    elapsed = max(1, await database_now(session) - run.created_at) / 1000
    left, made = (total - answered, answered) if run.closed_at is None and answered < total else (waiting, done)
    if not left:
        return 0.0
    return round(left * elapsed / made, 1) if made else None
