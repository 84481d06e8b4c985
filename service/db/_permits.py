"""Permits to call a model, drawn in batches from one shared pace by all workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from service.db._base import insert_into, now_ms
from service.db._pace import Pace, PaceLimits
from service.db._tables import PaceRow
from service.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["Permits", "draw_permits", "pace_of", "report_refusal"]


@dataclass(frozen=True, slots=True)
class Permits:
    """Calls that may start.

    Attributes:
        granted: How many; 0 when none may start now.
        expires_in: Seconds from the draw after which they are void: a worker that slept must not burst.
        wait: Seconds until a new draw is worth it, when none was granted.
    """

    granted: int
    expires_in: float
    wait: float


async def draw_permits(
    session: AsyncSession, model: str, *, wanted: int, limits: PaceLimits, expires_in: float = 5.0
) -> Permits:
    """Draw up to ``wanted`` permits in the caller's write transaction.

    All times are the database's, so workers on machines with other clocks share one pace.
    """
    if wanted < 1:
        raise InputError(f"{wanted!r} permits for model {model!r} are none; ask for 1 or more")
    row, now = await _locked(session, model, limits)
    pace, granted = _pace(row).advanced(limits, now).drawn(wanted)
    _store(row, pace)
    await session.flush()
    return Permits(granted, expires_in, 0.0 if granted else max(0.005, pace.wait(now)))


async def report_refusal(
    session: AsyncSession,
    model: str,
    *,
    limits: PaceLimits,
    retry_after: float | None = None,
    under_way: float | None = None,
) -> None:
    """Slow all workers down after a server refused a call for its rate; see ``Pace.refused`` for the arguments."""
    row, now = await _locked(session, model, limits)
    _store(row, _pace(row).advanced(limits, now).refused(limits, now, retry_after, under_way=under_way))
    await session.flush()


async def pace_of(session: AsyncSession, model: str) -> Pace | None:
    """Return the shared pace of a model; None while nobody has called it."""
    row = await session.get(PaceRow, model)
    return None if row is None else _pace(row)


async def _locked(session: AsyncSession, model: str, limits: PaceLimits) -> tuple[PaceRow, float]:
    fresh = Pace.begin(limits, 0.0)
    await session.execute(
        insert_into(session, PaceRow)
        .values(
            model=model,
            rate=fresh.rate,
            tokens=fresh.tokens,
            ceiling=None,
            updated_at=now_ms(),
            lowered_at=0,
            paused_until=0,
            used=0,
            denied=0,
        )
        .on_conflict_do_nothing()
    )
    row = (
        await session.scalars(
            select(PaceRow).where(PaceRow.model == model).with_for_update().execution_options(populate_existing=True)
        )
    ).one()
    now = int((await session.execute(select(now_ms()))).scalar_one())
    return row, now / 1000


def _pace(row: PaceRow) -> Pace:
    return Pace(
        rate=row.rate,
        tokens=row.tokens,
        updated=row.updated_at / 1000,
        ceiling=row.ceiling,
        lowered=row.lowered_at / 1000,
        paused_until=row.paused_until / 1000,
        used=row.used,
        denied=row.denied,
    )


def _store(row: PaceRow, pace: Pace) -> None:
    row.rate, row.tokens, row.ceiling = pace.rate, pace.tokens, pace.ceiling
    row.used, row.denied = pace.used, pace.denied
    row.updated_at = round(pace.updated * 1000)
    row.lowered_at = round(pace.lowered * 1000)
    row.paused_until = round(pace.paused_until * 1000)
