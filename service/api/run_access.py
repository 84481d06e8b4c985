"""Whose run it is, and how much of its scores a caller may see."""

from __future__ import annotations

from service.api.state import ServiceState
from service.db import Principal, Run, Scope, Tier, read_run, tier_of
from service.errors import ConflictError, ForbiddenError, NotFoundError

__all__ = ["check_figures", "own_run", "sees_items", "visible_run"]


def _owns(asker: Principal, run: Run) -> bool:
    return Scope.ADMIN in asker.scopes or (asker.key is not None and asker.key == run.owner)


async def visible_run(state: ServiceState, asker: Principal, run_id: str) -> Run:
    """Return a run that the caller may see: its own, or a published one that was not withdrawn.

    Raises:
        NotFoundError: There is none, or it is private: the two cannot be told apart.
    """
    async with state.ledger.read() as session:
        run = await read_run(session, run_id)
    if not _owns(asker, run) and not run.listed:
        raise NotFoundError(f"run {run_id!r} does not exist; GET /v1/runs lists yours")
    return run


async def own_run(state: ServiceState, asker: Principal, run_id: str) -> Run:
    """Return a run of the caller's own.

    Raises:
        NotFoundError: There is none that the caller may see.
        ForbiddenError: It is another's.
    """
    run = await visible_run(state, asker, run_id)
    if not _owns(asker, run):
        raise ForbiddenError(f"run {run_id!r} belongs to another key; only its owner and administrators may do this")
    return run


async def sees_items(state: ServiceState, asker: Principal, run: Run) -> bool:
    """Tell whether a caller may see the scores of single tasks: tier full, or all of the run's tasks are public."""
    if run.settings.get("all_public") or Scope.ADMIN in asker.scopes:
        return True
    async with state.ledger.read() as session:
        return await tier_of(session, asker, run.task_set.partition("@")[0]) is Tier.FULL


async def check_figures(state: ServiceState, asker: Principal, run: Run) -> bool:
    """Check that a run's figures may be shown, and tell whether those of few tasks may be too.

    Figures that change with every answer would tell each answer's score, which is gold.

    Raises:
        ConflictError: The run is still open and its tasks are not public.
    """
    everything = await sees_items(state, asker, run)
    if not everything and run.closed_at is None:
        raise ConflictError(
            f"run {run.id!r} is open and its tasks are not public: its figures are shown once it is closed "
            f"(POST /v1/runs/{run.id}/close)"
        )
    return everything
