"""Disks that are full and servers that go away: said clearly, nothing half-written, well again by itself."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import URL, event, insert, make_url, text

from service.db import (
    COMMAND_LINE,
    Database,
    Scope,
    WorkQueue,
    WorkState,
    create_key,
    database_url,
    list_audit,
    list_keys,
    upgrade,
)
from service.errors import SetupError, UnavailableError
from service.settings import Settings
from tests.integration.db.own_postgres import OwnPostgres, own_postgres_server
from tests.integration.db.queue_work import QueueBase, WorkRow

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.anyio
_ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
async def sqlite(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    file = tmp_path / "ledger.sqlite3"
    shutil.copy(sqlite_template, file)
    database = Database(URL.create("sqlite+aiosqlite", database=str(file)), busy_seconds=0.2)
    yield database
    await database.close()


async def add_key(database: Database, name: str) -> None:
    async with database.write() as session:
        await create_key(session, name=name, scopes=[Scope.READ], actor=COMMAND_LINE)


async def names(database: Database) -> list[str]:
    async with database.read() as session:
        return [key.name for key in await list_keys(session)]


async def test_a_full_disk_is_said_and_leaves_nothing_behind(sqlite: Database) -> None:
    pages = "PRAGMA max_page_count = {}"
    limit = [pages.format(1)]

    @event.listens_for(sqlite.engine.sync_engine, "checkout")
    def _limit(connection, _record, _proxy) -> None:
        cursor = connection.cursor()
        cursor.execute(limit[0])
        cursor.close()

    async def too_much() -> None:
        async with sqlite.write() as session:
            for number in range(200):
                await create_key(session, name=f"{number} " + "x" * 180, scopes=[Scope.READ], actor=COMMAND_LINE)

    with pytest.raises(UnavailableError, match="is full; nothing was written: free space"):
        await too_much()
    assert await names(sqlite) == []
    limit[0] = pages.format(1_000_000)
    await add_key(sqlite, "after")
    assert await names(sqlite) == ["after"]


async def test_a_disk_that_refuses_to_write_is_said(sqlite: Database) -> None:
    """A process whose files may not grow meets the same as one on a full disk."""
    program = f"""
import asyncio, resource, signal, sys
from sqlalchemy import make_url
from service.db import Database, Scope, create_key
from service.errors import UnavailableError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
async def main():
    database = Database(make_url({str(sqlite.url)!r}))
    await database.ping()
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    try:
        async with database.write() as session:
            for number in range(2000):
                await create_key(session, name="x" * 190, scopes=[Scope.READ], actor="t")
    except UnavailableError as error:
        sys.stdout.write(str(error))
    await database.engine.dispose(close=False)
asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=_ROOT, stdout=asyncio.subprocess.PIPE
    )
    output = (await process.communicate())[0].decode()
    assert "nothing was written" in output
    assert await names(sqlite) == []
    await add_key(sqlite, "after")


async def test_a_write_waits_for_its_turn_and_then_says_busy(sqlite: Database) -> None:
    other = Database(sqlite.url, busy_seconds=0.2)
    async with sqlite.write() as session:
        await create_key(session, name="first", scopes=[Scope.READ], actor=COMMAND_LINE)
        with pytest.raises(UnavailableError, match="busy with another writer"):
            await add_key(other, "second")
        # Readers are not held up by a writer.
        assert await names(other) == []
    await add_key(other, "second")
    assert await names(sqlite) == ["first", "second"]
    await other.close()


async def test_an_error_of_the_caller_rolls_back_as_a_whole(ledger: Database) -> None:
    async def fail() -> None:
        async with ledger.write() as session:
            await create_key(session, name="lost", scopes=[Scope.READ], actor=COMMAND_LINE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await names(ledger) == []
    async with ledger.read() as session:
        assert await list_audit(session, limit=1) == []


async def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    file = tmp_path / "ledger.sqlite3"
    file.write_bytes(b"no database at all, " * 500)
    database = Database(URL.create("sqlite+aiosqlite", database=str(file)))
    with pytest.raises(SetupError, match="is damaged"):
        await database.ping()
    await database.close()


@pytest.fixture
def own_postgres() -> Iterator[OwnPostgres]:
    with own_postgres_server() as postgres:
        yield postgres


async def test_a_postgresql_restarted_in_the_middle(own_postgres: OwnPostgres) -> None:
    database = Database(own_postgres.url)
    await upgrade(database)
    await add_key(database, "before")

    async def interrupted() -> None:
        async with database.write() as session:
            await create_key(session, name="during", scopes=[Scope.READ], actor=COMMAND_LINE)
            await asyncio.to_thread(own_postgres.stop)

    with pytest.raises(UnavailableError, match="does not answer"):
        await interrupted()
    with pytest.raises(UnavailableError):
        await database.ping()
    await asyncio.to_thread(own_postgres.start)
    assert await names(database) == ["before"]
    await add_key(database, "after")
    await database.close()


async def test_workers_outlive_a_restart_and_lose_no_row(own_postgres: OwnPostgres) -> None:
    database = Database(own_postgres.url)
    async with database.engine.begin() as connection:
        await connection.run_sync(QueueBase.metadata.create_all)
        await connection.execute(insert(WorkRow), [{"state": "pending", "attempts": 0, "fence": 0}] * 400)
    queue = WorkQueue(WorkRow)
    failures = 0
    halfway = asyncio.Event()

    async def work(worker: str) -> None:
        nonlocal failures
        done = 0
        while True:
            try:
                async with database.write() as session:
                    leases = await queue.claim(session, worker=worker, limit=5, lease_seconds=2)
                    if not leases and (await queue.counts(session))[WorkState.LEASED] == 0:
                        return
                async with database.write() as session:
                    for lease in leases:
                        await queue.finish(session, lease, values={"times_done": WorkRow.times_done + 1})
                done += len(leases)
                if done > 40:
                    halfway.set()
            except UnavailableError:
                failures += 1
                await asyncio.sleep(0.05)

    async def restart() -> None:
        await halfway.wait()
        await asyncio.to_thread(own_postgres.stop)
        await asyncio.to_thread(own_postgres.start)

    await asyncio.gather(restart(), *(work(f"w{number}") for number in range(4)))
    assert failures > 0
    async with database.read() as session:
        assert (await session.execute(text("SELECT state, times_done, count(*) FROM work GROUP BY 1, 2"))).all() == [
            ("done", 1, 400)
        ]
    await database.close()


def test_urls_are_checked_and_never_repeated() -> None:
    for wrong in ("mysql://u:secret@h/d", "sqlite://", "::secret::"):
        with pytest.raises(SetupError) as caught:
            database_url(Settings(database_url=wrong))
        assert "secret" not in str(caught.value)
        assert "LEXHOP_DATABASE_URL" in str(caught.value)
    database = Database(database_url(Settings(database_url="postgresql://u:secret@h/d")))
    assert database.url.drivername == "postgresql+psycopg"
    assert "secret" not in database.name
    default = database_url(Settings(home=Path("here")))
    assert default.database == str(Path("here") / "ledger.sqlite3")


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    database = Database(make_url("postgresql+psycopg://u:secret@127.0.0.1:9/d"))
    with pytest.raises(UnavailableError) as caught:
        await database.ping()
    assert "secret" not in str(caught.value)
    await database.close()
