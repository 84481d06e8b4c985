"""Hourly limits and permits, with several parties at once."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select, update

from service.db import Base, Database, HourlyLimiter, PaceLimits, draw_permits, pace_of, report_refusal, spend
from service.errors import InputError, LimitError
from tests.integration.conftest import keep_clear_of_the_hours_end

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def within_an_hour() -> None:
    keep_clear_of_the_hours_end()


_HOURLY = Base.metadata.tables["hourly_counts"]
_PACES = Base.metadata.tables["paces"]


async def test_an_hour_ends_at_its_limit_and_says_when_to_come_back(ledger: Database) -> None:
    async def once(amount: int = 1) -> int:
        async with ledger.write() as session:
            return await spend(session, subject="abc", limit_name="hourly_submissions", limit=3, amount=amount)

    assert [await once(), await once()] == [2, 1]
    with pytest.raises(LimitError):
        await once(2)
    assert await once() == 0
    with pytest.raises(LimitError, match="hourly_submissions=3") as caught:
        await once()
    assert 1 <= caught.value.retry_after <= 3600
    async with ledger.write() as session:
        await session.execute(update(_HOURLY).values(hour=_HOURLY.c.hour - 1))
    assert await once() == 2


async def test_more_than_the_whole_limit_is_never_given(ledger: Database) -> None:
    async with ledger.write() as session:
        with pytest.raises(LimitError):
            await spend(session, subject="abc", limit_name="hourly_submissions", limit=3, amount=4)
        with pytest.raises(InputError, match="amount 0"):
            await spend(session, subject="abc", limit_name="hourly_submissions", limit=3, amount=0)


async def test_several_processes_together_never_pass_the_limit(ledger: Database) -> None:
    databases = [Database(ledger.url) for _ in range(4)]
    limiters = [HourlyLimiter(database) for database in databases]
    granted = 0

    async def client(limiter: HourlyLimiter) -> None:
        nonlocal granted
        for _ in range(1000):
            try:
                await limiter.spend(subject="10.0.0.1", limit_name="hourly_public", limit=2500)
            except LimitError:
                return
            granted += 1

    await asyncio.gather(*(client(limiter) for limiter in limiters))
    # Each limiter may sit on the rest of one block of 2.
    assert 2500 - 4 <= granted <= 2500
    for database in databases:
        await database.close()


async def test_requests_at_once_waste_nothing_of_the_hour(ledger: Database) -> None:
    limiter = HourlyLimiter(ledger)

    async def one() -> bool:
        try:
            await limiter.spend(subject="a", limit_name="x", limit=5000)
        except LimitError:
            return False
        return True

    assert all(await asyncio.gather(*(one() for _ in range(200))))
    async with ledger.read() as session:
        assert await session.scalar(select(_HOURLY.c.used)) == 200


async def test_subjects_and_limits_do_not_touch_each_other(ledger: Database) -> None:
    limiter = HourlyLimiter(ledger)
    for subject in ("a", "b"):
        for name in ("x", "y"):
            await limiter.spend(subject=subject, limit_name=name, limit=1)
    async with ledger.read() as session:
        assert list(await session.scalars(select(_HOURLY.c.used))) == [1, 1, 1, 1]


async def test_workers_draw_from_one_pace(ledger: Database) -> None:
    limits = PaceLimits(start=20, burst_seconds=1)
    async with ledger.write() as session:
        first = await draw_permits(session, "judge", wanted=50, limits=limits)
    async with ledger.write() as session:
        await session.execute(update(_PACES).values(updated_at=_PACES.c.updated_at - 10_000))
    async with ledger.write() as session:
        second = await draw_permits(session, "judge", wanted=50, limits=limits)
        third = await draw_permits(session, "judge", wanted=50, limits=limits)
    assert (first.granted, second.granted) == (1, 20)
    assert third.granted <= 2
    assert third.granted or third.wait > 0


async def test_a_refusal_slows_all_workers_down(ledger: Database) -> None:
    limits = PaceLimits(start=20)
    async with ledger.write() as session:
        await report_refusal(session, "judge", limits=limits, retry_after=60)
    other = Database(ledger.url)
    async with other.write() as session:
        permits = await draw_permits(session, "judge", wanted=5, limits=limits)
        assert permits.granted == 0
        assert 50 < permits.wait <= 60
        pace = await pace_of(session, "judge")
    assert pace is not None
    assert pace.rate == 10
    await other.close()


async def test_workers_drawing_at_once_are_served_one_after_another(ledger: Database) -> None:
    limits = PaceLimits(start=0.5, burst_seconds=100)
    async with ledger.write() as session:
        await draw_permits(session, "judge", wanted=1, limits=limits)
        await session.execute(update(_PACES).values(tokens=40.0))

    async def draw() -> int:
        async with ledger.write() as session:
            return (await draw_permits(session, "judge", wanted=10, limits=limits)).granted

    granted = await asyncio.gather(*(draw() for _ in range(8)))
    # 40 saved up, and what the seconds of the test earn.
    assert 40 <= sum(granted) <= 50
