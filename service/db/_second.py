"""Further judges of a run: what they are to be asked, and that they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from sqlalchemy import select, update

from service.db._base import now_ms
from service.db._run_tables import RunRow, ScoreRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["name_second_judge", "questions_of_run"]


async def questions_of_run(session: AsyncSession, run_id: str) -> list[tuple[int, str]]:
    """Return (submission, item key) of everything that a judge is asked about a run's answers, as far as they are read."""
    rows = await session.execute(
        select(ScoreRow.submission_id, ScoreRow.keys_json)
        .where(ScoreRow.run_id == run_id, ScoreRow.zero.is_(None))
        .order_by(ScoreRow.submission_id)
    )
    return [(submission, str(key)) for submission, keys in rows for key in orjson.loads(keys)]


async def name_second_judge(session: AsyncSession, run_id: str, name: str) -> None:
    """Write down that a further profile judges a run; nothing changes when it is there."""
    kept = await session.scalar(select(RunRow.settings_json).where(RunRow.id == run_id).with_for_update())
    settings = orjson.loads(kept or "{}")
    names = settings.get("second_judges", [])
    if name not in names:
        settings["second_judges"] = [*names, name]
        await session.execute(
            update(RunRow)
            .where(RunRow.id == run_id)
            .values(
                settings_json=orjson.dumps(settings, option=orjson.OPT_SORT_KEYS).decode(),
                change=RunRow.change + 1,
                changed_at=now_ms(),
            )
            .execution_options(synchronize_session=False)
        )
