"""Hourly limits, counted in SQL so that they hold for all API processes together."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from sqlalchemy import delete, select

from service.db._base import HOUR_MS, insert_into, now_ms
from service.db._tables import HourlyRow
from service.errors import InputError, LimitError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from service.db._engine import Database

__all__ = ["HourlyLimiter", "spend"]


async def spend(session: AsyncSession, *, subject: str, limit_name: str, limit: int, amount: int = 1) -> int:
    """Use up ``amount`` of a subject's hour and return what is left of it.

    One statement counts and checks: of two processes at the last unit exactly one gets it. ``subject`` is a key's
    prefix or an address; ``limit_name`` is the setting that holds the limit, for the message.

    Raises:
        LimitError: Less than ``amount`` is left; nothing is used up then.
    """
    if amount < 1:
        raise InputError(f"amount {amount!r} of {limit_name} is not above 0; count at least one")
    hour, left_ms = await _hour(session)
    if amount <= limit:
        row = insert_into(session, HourlyRow).values(subject=subject, limit_name=limit_name, hour=hour, used=amount)
        counted = row.on_conflict_do_update(
            index_elements=["subject", "limit_name", "hour"],
            set_={"used": HourlyRow.used + amount},
            where=HourlyRow.used + amount <= limit,
        ).returning(HourlyRow.used)
        used = await session.scalar(counted)
        if used is not None:
            return limit - int(used)
    seconds = max(1, -(-left_ms // 1000))
    raise LimitError(
        f"{subject!r} has used up the hourly limit {limit_name}={limit!r}; wait {seconds} s for the next hour",
        retry_after=seconds,
    )


async def _hour(session: AsyncSession) -> tuple[int, int]:
    now = int((await session.execute(select(now_ms()))).scalar_one())
    return now // HOUR_MS, HOUR_MS - now % HOUR_MS


@dataclass(slots=True)
class _Block:
    left: int
    ends: float


class HourlyLimiter:
    """Hourly limits for a process that serves many requests.

    A large limit is drawn from SQL in blocks of a thousandth, so that not every request writes. All processes together
    never pass the limit; a process that dies, or an hour that ends, loses what is left of its block.
    """

    def __init__(self, database: Database, *, subjects: int = 4096) -> None:
        self._database = database
        self._subjects = subjects
        self._blocks: OrderedDict[tuple[str, str], _Block] = OrderedDict()
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._cleaned: int | None = None

    async def spend(self, *, subject: str, limit_name: str, limit: int) -> None:
        """Use up one unit of a subject's hour.

        Raises:
            LimitError: Nothing is left of it.
        """
        key = (subject, limit_name)
        if self._from_block(key):
            return
        # One draws, the others wait for its block: each drawing one of its own would waste what they do not use.
        async with self._turns.setdefault(key, asyncio.Lock()):
            if not self._from_block(key):
                await self._draw(key, limit)

    def _from_block(self, key: tuple[str, str]) -> bool:
        block = self._blocks.get(key)
        if block is None or block.left < 1 or time.monotonic() >= block.ends:
            return False
        block.left -= 1
        self._blocks.move_to_end(key)
        return True

    async def _draw(self, key: tuple[str, str], limit: int) -> None:
        subject, limit_name = key
        size = max(1, limit // 1000)
        async with self._database.write() as session:
            hour, left_ms = await _hour(session)
            await self._clean(session, hour)
            try:
                await spend(session, subject=subject, limit_name=limit_name, limit=limit, amount=size)
            except LimitError:
                if size == 1:
                    raise
                size = 1
                await spend(session, subject=subject, limit_name=limit_name, limit=limit)
        self._blocks[key] = _Block(left=size - 1, ends=time.monotonic() + left_ms / 1000)
        while len(self._blocks) > self._subjects:
            self._blocks.popitem(last=False)

    async def _clean(self, session: AsyncSession, hour: int) -> None:
        if self._cleaned != hour:
            await session.execute(delete(HourlyRow).where(HourlyRow.hour < hour - 1))
            self._cleaned = hour
