"""What experts say of fabulas: kept for good, the last word of each reviewer counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import orjson

from service.db import (
    AuditAction,
    ReviewRow,
    add_review,
    fabula_rows,
    record_audit,
    reviews_of,
    set_fabula_status,
)
from service.errors import InputError, NotFoundError
from service.tasks.record import ValidationStatus
from service.tasks.sets import TaskSet

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["CHECKS", "last_words", "review_task"]

CHECKS: Final = ("norms_match", "solvable", "facts_complete", "no_gap", "answer_follows")
"""The five checks of a validation (mhgb.md 3): norms of the chain are the task's, solvable from what is given, facts
complete, no gap between steps, the answer follows from the chain."""


async def review_task(
    session: AsyncSession,
    task_set: TaskSet,
    fabula_id: str,
    *,
    reviewer: str,
    approve: bool,
    checks: Mapping[str, bool],
    comment: str,
    actor: str,
) -> ValidationStatus:
    """Keep a reviewer's word and return the fabula's status by the majority of last words.

    A tie leaves the status as it was.

    Raises:
        InputError: No reviewer, or an unknown check.
        NotFoundError: The set has no such fabula.
    """
    if not reviewer.strip():
        raise InputError(f"reviewer {reviewer!r} is empty; say who reviews")
    for name in checks:
        if name not in CHECKS:
            raise InputError(f"check {name!r} is none of {', '.join(CHECKS)}; name one of them")
    rows = [row for row in await fabula_rows(session, task_set.id) if row.fabula_id == fabula_id]
    if not rows:
        raise NotFoundError(f"task set {task_set.name!r} has no fabula {fabula_id!r}; list its tasks")
    verdict = "approve" if approve else "reject"
    await add_review(
        session,
        {
            "task_set_id": task_set.id,
            "fabula_id": fabula_id,
            "reviewer": reviewer.strip(),
            "verdict": verdict,
            "checks_json": orjson.dumps(dict(checks), option=orjson.OPT_SORT_KEYS).decode(),
            "comment": comment,
        },
    )
    words = last_words(await reviews_of(session, task_set.id, fabula_id))
    approvals = sum(row.verdict == "approve" for row in words)
    status = ValidationStatus(rows[0].status)
    if approvals * 2 != len(words):
        status = ValidationStatus.EXPERT_VALIDATED if approvals * 2 > len(words) else ValidationStatus.REJECTED
    await set_fabula_status(session, task_set.id, fabula_id, status.value)
    detail = {"task_set": task_set.name, "reviewer": reviewer.strip(), "verdict": verdict, "status": status.value}
    await record_audit(session, actor, AuditAction.TASK_REVIEWED, fabula_id, detail)
    return status


def last_words(rows: Sequence[ReviewRow]) -> list[ReviewRow]:
    """Return the last review of each reviewer of each fabula, oldest first."""
    last = {(row.fabula_id, row.reviewer): row for row in rows}
    return sorted(last.values(), key=lambda row: row.id)
