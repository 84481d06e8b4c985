"""What of a task set a caller may see (issue: tiers). The one place where this is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.db import Principal, Scope, Tier, has_named_grant, tier_of
from service.errors import ForbiddenError, UnauthenticatedError
from service.tasks.record import Task
from service.tasks.sets import TaskSet

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["gold_view", "participant_view", "require_participation", "require_tier", "set_tier"]


async def set_tier(
    session: AsyncSession, principal: Principal, task_set: TaskSet, *, browse_anonymous: bool = False
) -> Tier:
    """Return a caller's tier for a set; without a key it is public, or browse where the operator allows that."""
    tier = await tier_of(session, principal, task_set.key)
    return Tier.BROWSE if tier is Tier.PUBLIC and browse_anonymous else tier


def require_tier(tier: Tier, needed: Tier, principal: Principal, task_set: TaskSet, what: str) -> None:
    """Check a tier.

    Raises:
        UnauthenticatedError: There is no key.
        ForbiddenError: The key has a lower tier.
    """
    if tier.rank >= needed.rank:
        return
    said = f"{what} of task set {task_set.key!r} needs the tier {needed.value!r}"
    if principal.key is None:
        raise UnauthenticatedError(f"{said}; send a key that was granted it as `Authorization: Bearer lxh_…`")
    raise ForbiddenError(f"{said}, key {principal.key!r} has {tier.value!r}; ask an administrator for a grant")


async def require_participation(
    session: AsyncSession, principal: Principal, task_set: TaskSet, *, all_public: bool
) -> None:
    """Check that a caller may run a model over a set: scope submit and, unless all of it is public, a grant that names it.

    Raises:
        UnauthenticatedError: There is no key.
        ForbiddenError: The scope or the grant is missing.
    """
    principal.require(Scope.SUBMIT)
    if all_public or (principal.key and await has_named_grant(session, principal.key, task_set.key)):
        return
    raise ForbiddenError(
        f"task set {task_set.key!r} is not public and key {principal.key!r} has no grant that names it; "
        f"ask an administrator: lexhop keys grant {principal.key} --task-set {task_set.key}"
    )


def participant_view(task: Task) -> dict[str, Any]:
    """Return all that a participant may see of a task, and nothing else (DESIGN.md: the white list)."""
    return {
        "id": task.id,
        "mode": task.mode.value,
        "type": task.task_type.value,
        "depth": task.depth.value,
        "fabula": task.fabula,
        "question": task.question,
        "expected_answer_format": task.expected_answer_format,
    }


def gold_view(task: Task) -> dict[str, Any]:
    """Return what a task's answer key holds."""
    return {
        "norm_ids": list(task.norm_ids),
        "answer": task.answer,
        "gold_chain": [
            {"step": step.step, "norm_id": step.norm_id, "text": step.text, "is_critical": step.is_critical}
            for step in task.gold_chain
        ],
        "branch_of_law": task.branch,
        "edge_meta": task.record.get("edge_meta"),
        "event_date": task.event_date,
        "norm_dates": task.record.get("norm_dates"),
        "validation_status": task.validation_status.value,
    }
