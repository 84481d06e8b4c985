"""Takes in runs that were made and judged elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.db import NewRun, ReleasedScore, close_run, create_run, find_runs, import_scores, publish_run

if TYPE_CHECKING:
    from service.db import Database

__all__ = ["import_release"]


async def import_release(
    database: Database, released: Sequence[tuple[NewRun, Sequence[ReleasedScore]]], *, actor: str
) -> list[tuple[str, str, bool]]:
    """Keep released runs, closed and published, all of them or none; those that are there already stay as they are.

    Returns:
        (run, participant, whether it is new) of each.
    """
    found = []
    async with database.write() as session:
        for new, scores in released:
            known = await find_runs(session, fingerprint=new.fingerprint, participant=new.participant)
            if known:
                found.append((known[0].id, new.participant, False))
                continue
            run = await create_run(session, new)
            await import_scores(session, run.id, scores)
            await close_run(session, run.id)
            await publish_run(session, run.id, actor=actor)
            found.append((run.id, new.participant, True))
    return found
