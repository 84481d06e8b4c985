"""When a call may start: one pace in this process, or one in the ledger for all judge workers."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from service.db import Pace, PaceLimits, draw_permits, report_refusal

if TYPE_CHECKING:
    from service.db import Database

__all__ = ["LedgerLimiter", "Limiter", "LocalLimiter"]

_QUICK_SECONDS = 0.5


class Limiter(Protocol):
    """Decides when a call may start and learns from refusals."""

    async def acquire(self, until: float) -> bool:
        """Wait for a permit; False when none comes before ``until`` (of ``time.monotonic``)."""

    async def refused(self, retry_after: float | None, *, under_way: float) -> None:
        """Learn that the server refused a call for its rate, so many seconds after the call got its permit."""


class LocalLimiter:
    """The pace of one process, as a participant's runner uses it; callers are served in their order."""

    def __init__(self, limits: PaceLimits) -> None:
        self._limits = limits
        self._pace = Pace.begin(limits, monotonic())
        self._turn = asyncio.Lock()

    @property
    def rate(self) -> float:
        """Calls a second that the pace allows now."""
        return self._pace.rate

    async def acquire(self, until: float) -> bool:
        """Wait for a permit (see ``Limiter``)."""
        if not self._turn.locked() and self._drawn():
            return True
        async with self._turn:
            while not self._drawn():
                wait = max(0.001, self._pace.wait(monotonic()))
                if monotonic() + wait > until:
                    return False
                await asyncio.sleep(wait)
        return True

    def _drawn(self) -> bool:
        self._pace, granted = self._pace.advanced(self._limits, monotonic()).drawn(1)
        return granted == 1

    async def refused(self, retry_after: float | None, *, under_way: float) -> None:
        """Slow down (see ``Limiter``)."""
        now = monotonic()
        pace = self._pace.advanced(self._limits, now)
        self._pace = pace.refused(self._limits, now, retry_after, under_way=under_way)


class LedgerLimiter:
    """Permits drawn in batches from the ledger, so that all workers together keep one pace.

    A batch is void after a few seconds: a worker that slept does not burst afterwards, and one that died holds nothing.
    One that is used up within half a second is followed by a larger one, since each costs a transaction.
    """

    def __init__(self, database: Database, model: str, limits: PaceLimits, *, batch: int = 8) -> None:
        self._database = database
        self._model = model
        self._limits = limits
        self._batch = batch
        self._wanted = batch
        self._left = 0
        self._full = False
        self._drawn = 0.0
        self._expires = 0.0
        self._turn = asyncio.Lock()

    async def acquire(self, until: float) -> bool:
        """Wait for a permit (see ``Limiter``)."""
        async with self._turn:
            while True:
                now = monotonic()
                if self._left > 0 and now < self._expires:
                    self._left -= 1
                    return True
                # More only where there was more: whoever gets less than it asks for leaves the rest to others.
                quickly = self._full and now - self._drawn < _QUICK_SECONDS
                self._wanted = self._wanted * 2 if quickly else max(self._batch, self._wanted // 2)
                async with self._database.write() as session:
                    permits = await draw_permits(session, self._model, wanted=self._wanted, limits=self._limits)
                self._full = permits.granted == self._wanted
                if permits.granted:
                    self._left, self._drawn, self._expires = permits.granted, now, now + permits.expires_in
                elif monotonic() + permits.wait > until:
                    return False
                else:
                    await asyncio.sleep(permits.wait)

    async def refused(self, retry_after: float | None, *, under_way: float) -> None:
        """Slow all workers down, and drop the permits at hand (see ``Limiter``)."""
        self._left, self._wanted, self._full = 0, self._batch, False
        async with self._database.write() as session:
            await report_refusal(
                session, self._model, limits=self._limits, retry_after=retry_after, under_way=under_way
            )
