"""Takes in the scores of finished runs that were made and judged elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import insert, select, update

from service.db._base import now_ms
from service.db._queue import WorkState
from service.db._run_tables import RunItemRow, ScoreRow, SubmissionRow
from service.db._runs import touch_run

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["ReleasedScore", "import_scores"]

_CHUNK = 400


@dataclass(frozen=True, slots=True)
class ReleasedScore:
    """A score without its answer.

    Attributes:
        components: None each, where only the final score was released.
        reason: Why they are.
        details: What was recorded besides, such as gaps.
    """

    task_id: str
    final: float | None
    components: Mapping[str, float | None]
    reason: str | None
    details: Mapping[str, Any]


async def import_scores(session: AsyncSession, run_id: str, scores: Sequence[ReleasedScore]) -> None:
    """Put scores into a run that has the tasks already; each stands for an answer whose text is not at hand."""
    rows = await session.execute(select(RunItemRow.task_id, RunItemRow.id).where(RunItemRow.run_id == run_id))
    items = {row.task_id: row.id for row in rows}
    moment = await session.scalar(select(now_ms()))
    for start in range(0, len(scores), _CHUNK):
        part = scores[start : start + _CHUNK]
        ids = await session.scalars(
            insert(SubmissionRow).returning(SubmissionRow.id, sort_by_parameter_order=True),
            [
                {
                    "run_id": run_id,
                    "item_id": items[score.task_id],
                    "attempt_key": score.task_id[:100],
                    "digest": "",
                    "outcome": "answered",
                    "repeat": 1,
                    "text": "",
                    "received_at": moment,
                    "state": WorkState.DONE.value,
                    "attempts": 0,
                    "fence": 0,
                }
                for score in part
            ],
        )
        await session.execute(
            insert(ScoreRow),
            [
                {
                    "submission_id": submission,
                    "run_id": run_id,
                    "item_id": items[score.task_id],
                    "zero": None,
                    "keys_json": "[]",
                    "known_json": "{}",
                    "reading_json": "{}",
                    "details_json": orjson.dumps(dict(score.details), option=orjson.OPT_SORT_KEYS).decode(),
                    "components_json": orjson.dumps(dict(score.components)).decode(),
                    "final": score.final,
                    "reason": score.reason,
                    "error": None,
                }
                for submission, score in zip(ids.all(), part, strict=True)
            ],
        )
        await session.execute(
            update(RunItemRow)
            .where(RunItemRow.id.in_([items[score.task_id] for score in part]))
            .values(answered=1, state=WorkState.DONE.value)
            .execution_options(synchronize_session=False)
        )
    await touch_run(session, run_id)
