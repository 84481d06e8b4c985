"""kill -9 in the middle, and the same command again: at most the calls in flight are repeated."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL

from service.db import Database, spending
from tests.fake_models import FakeModels

pytestmark = pytest.mark.anyio
_ROOT = Path(__file__).resolve().parents[3]
ITEMS, CONCURRENCY = 150, 6


async def test_killed_and_resumed(server: FakeModels, tmp_path: Path) -> None:
    server.latency = 0.02
    file = tmp_path / "ledger.sqlite3"

    async def start() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.integration.models.runner",
            str(file),
            server.url,
            str(ITEMS),
            str(CONCURRENCY),
            cwd=_ROOT,
            stdout=asyncio.subprocess.PIPE,
        )

    for killed_at in (40, 80):
        process = await start()
        while server.counts["ok"] < killed_at and process.returncode is None:
            server.arrived.clear()
            await asyncio.wait_for(server.arrived.wait(), 60)
        process.kill()
        await process.wait()
    before = server.counts["ok"]
    process = await start()
    output = (await process.communicate())[0]
    assert (process.returncode, output) == (0, b"%d\n" % ITEMS)
    made = server.counts["ok"]
    assert before < ITEMS < made + 1
    assert made <= ITEMS + 2 * CONCURRENCY
    database = Database(URL.create("sqlite+aiosqlite", database=str(file)))
    async with database.read() as session:
        (line,) = await spending(session)
    await database.close()
    # Every call that the server saw is on record before it was made; those lost with their process stay in flight.
    assert line.attempts >= made
    assert line.attempts - line.in_flight == ITEMS
    assert line.in_flight <= 2 * CONCURRENCY
