"""Scores: one row an answer, read as a run's whole table by one indexed query; frozen boards."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import select, update

from service.db._audit import AuditAction, record_audit
from service.db._base import now_ms
from service.db._many import among, insert_rows, update_rows
from service.db._queue import WorkState
from service.db._run_tables import BoardRow, RunItemRow, ScoreRow, SubmissionRow
from service.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "NewScore",
    "ScoreLine",
    "StoredScore",
    "database_now",
    "finish_reading",
    "freeze_board",
    "read_board",
    "run_scores",
    "stored_scores",
    "write_scores",
]


@dataclass(frozen=True, slots=True)
class NewScore:
    """What reading an answer gave, and its scores so far.

    Attributes:
        fence: The token of the reader's lease.
    """

    submission_id: int
    fence: int
    run_id: str
    item_id: int
    zero: str | None
    keys: Sequence[str]
    known: Mapping[str, float]
    reading: Mapping[str, Any]
    details: Mapping[str, Any]
    components: Mapping[str, float | None]
    final: float | None
    reason: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A score with what it is recomputed from."""

    submission_id: int
    run_id: str
    keys: tuple[str, ...]
    known: dict[str, float]
    details: dict[str, Any]
    reading: dict[str, Any]
    zero: str | None
    components: dict[str, float | None]
    final: float | None
    reason: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One row of a run's table: a task, one of its answers, and that answer's scores.

    Attributes:
        submission_id: None where the task has no answer yet.
        repeat: Which answer of the task it is, from 1; None without one.
        outcome: Of the answer; None without one.
        scored: The answer is read; its components may still be None.
    """

    item_id: int
    task_id: str
    fabula_id: str
    mode: str
    task_type: str
    depth: str
    branch: str
    act: str
    submission_id: int | None
    repeat: int | None
    outcome: str | None
    scored: bool
    zero: str | None
    components: dict[str, float | None]
    final: float | None
    reason: str | None
    error: str | None
    details: dict[str, Any]


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


async def finish_reading(session: AsyncSession, scores: Sequence[NewScore]) -> set[int]:
    """Write the scores of answers just read and end their reading, where the reader's lease still holds.

    Returns:
        The ids of the submissions that were written; of others somebody else has the lease.
    """
    fences = {score.submission_id: score.fence for score in scores}
    rows = await session.execute(
        select(SubmissionRow.id, SubmissionRow.fence, SubmissionRow.state)
        .where(among(SubmissionRow.id, fences))
        .order_by(SubmissionRow.id)
        .with_for_update()
    )
    held = {row_id for row_id, fence, state in rows if state == WorkState.LEASED.value and fence == fences[row_id]}
    written = [score for score in scores if score.submission_id in held]
    if not written:
        return set()
    new = [
        {
            "submission_id": score.submission_id,
            "run_id": score.run_id,
            "item_id": score.item_id,
            "zero": score.zero,
            "keys_json": _json(list(score.keys)),
            "known_json": _json(dict(score.known)),
            "reading_json": _json(dict(score.reading)),
            "details_json": _json(dict(score.details)),
            "components_json": _json(dict(score.components)),
            "final": score.final,
            "reason": score.reason,
            "error": score.error,
        }
        for score in written
    ]
    await insert_rows(session, ScoreRow, new)
    await session.execute(
        update(SubmissionRow)
        .where(among(SubmissionRow.id, [score.submission_id for score in written]))
        .values(state=WorkState.DONE.value, leased_until=None, reason=None)
        .execution_options(synchronize_session=False)
    )
    return {score.submission_id for score in written}


async def stored_scores(session: AsyncSession, submissions: Sequence[int], *, lock: bool = False) -> list[StoredScore]:
    """Return scores of some submissions; with ``lock`` until they are written anew."""
    statement = (
        select(
            ScoreRow.submission_id,
            ScoreRow.run_id,
            ScoreRow.keys_json,
            ScoreRow.known_json,
            ScoreRow.details_json,
            ScoreRow.reading_json,
            ScoreRow.zero,
            ScoreRow.components_json,
            ScoreRow.final,
            ScoreRow.reason,
            ScoreRow.error,
        )
        .where(among(ScoreRow.submission_id, set(submissions)))
        .order_by(ScoreRow.submission_id)
    )
    if lock:
        statement = statement.with_for_update()
    return [
        StoredScore(
            submission_id=submission_id,
            run_id=run_id,
            keys=tuple(orjson.loads(keys)),
            known=orjson.loads(known),
            details=orjson.loads(details),
            reading=orjson.loads(reading),
            zero=zero,
            components=orjson.loads(components),
            final=final,
            reason=reason,
            error=error,
        )
        for submission_id, run_id, keys, known, details, reading, zero, components, final, reason, error in (
            await session.execute(statement)
        )
    ]


async def write_scores(
    session: AsyncSession,
    scores: Sequence[tuple[int, Mapping[str, float | None], float | None, str | None, str | None]],
) -> None:
    """Write scores anew: (submission, components, final, reason, error)."""
    rows = [
        {
            "submission_id": submission_id,
            "components_json": _json(dict(components)),
            "final": final,
            "reason": reason,
            "error": error,
        }
        for submission_id, components, final, reason, error in scores
    ]
    await update_rows(session, ScoreRow, rows, key="submission_id")


async def run_scores(session: AsyncSession, run_id: str) -> list[ScoreLine]:
    """Return a run's whole table: every task, with each of its answers; a task without one has a line of its own."""
    item, sub, score = RunItemRow, SubmissionRow, ScoreRow
    statement = (
        select(
            item.id,
            item.task_id,
            item.fabula_id,
            item.mode,
            item.task_type,
            item.depth,
            item.branch,
            item.act,
            sub.id,
            sub.repeat,
            sub.outcome,
            score.submission_id,
            score.zero,
            score.components_json,
            score.final,
            score.reason,
            score.error,
            score.details_json,
        )
        .select_from(item)
        .outerjoin(sub, (sub.item_id == item.id) & sub.repeat.is_not(None))
        .outerjoin(score, score.submission_id == sub.id)
        .where(item.run_id == run_id)
        .order_by(item.id, sub.repeat)
    )
    rows: Sequence[Any] = (await session.execute(statement)).all()
    return [
        ScoreLine(
            item_id=row[0],
            task_id=row[1],
            fabula_id=row[2],
            mode=row[3],
            task_type=row[4],
            depth=row[5],
            branch=row[6],
            act=row[7],
            submission_id=row[8],
            repeat=row[9],
            outcome=row[10],
            scored=row[11] is not None,
            zero=row[12],
            components=orjson.loads(row[13]) if row[13] else {},
            final=row[14],
            reason=row[15],
            error=row[16],
            details=orjson.loads(row[17]) if row[17] else {},
        )
        for row in rows
    ]


async def database_now(session: AsyncSession) -> int:
    """Return the database's clock, milliseconds UTC."""
    return int(await session.scalar(select(now_ms())) or 0)


async def freeze_board(session: AsyncSession, benchmark: str, body: Mapping[str, Any], *, actor: str) -> str:
    """Keep a board as it is now, and return the id of its permalink."""
    board_id = secrets.token_hex(6)
    session.add(
        BoardRow(
            id=board_id,
            benchmark=benchmark,
            body_json=orjson.dumps(dict(body)).decode(),
            created_at=await session.scalar(select(now_ms())),
            created_by=actor,
        )
    )
    await session.flush()
    await record_audit(session, actor, AuditAction.BOARD_FROZEN, board_id, {"benchmark": benchmark})
    return board_id


async def read_board(session: AsyncSession, board_id: str) -> tuple[str, dict[str, Any], int]:
    """Return (benchmark, board, when it was frozen).

    Raises:
        NotFoundError: There is no such permalink.
    """
    row = await session.get(BoardRow, board_id)
    if row is None:
        raise NotFoundError(f"board {board_id!r} does not exist; a permalink is made by freezing a board")
    return row.benchmark, orjson.loads(row.body_json), row.created_at
