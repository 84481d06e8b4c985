"""Opens the database: SQLite beside everything local by default, PostgreSQL by a URL."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sqlalchemy import URL, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from service.db._failures import stated
from service.errors import SetupError, UnavailableError
from service.redaction import hide

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from service.settings import Settings

__all__ = ["Database", "database_url"]

_WRITE = "lexhop_write"
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


def database_url(settings: Settings) -> URL:
    """Return the database's URL with its asynchronous driver.

    Raises:
        SetupError: ``LEXHOP_DATABASE_URL`` is not the URL of a PostgreSQL or an SQLite database.
    """
    if settings.database_url is None:
        return URL.create(_DRIVERS["sqlite"], database=str(settings.home / "ledger.sqlite3"))
    # The value is never named: it may hold a password.
    remedy = "write postgresql://user:password@host/name or sqlite:////folder/ledger.sqlite3"
    try:
        url = make_url(settings.database_url.get_secret_value())
    except ArgumentError:
        raise SetupError(f"LEXHOP_DATABASE_URL is not a URL; {remedy}") from None
    backend = url.get_backend_name()
    if backend not in _DRIVERS:
        raise SetupError(f"LEXHOP_DATABASE_URL names the database kind {backend!r}, which Lexhop cannot use; {remedy}")
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise SetupError(f"LEXHOP_DATABASE_URL names no file, and several processes share the ledger; {remedy}")
    if url.password:
        hide(str(url.password))
    return url.set(drivername=_DRIVERS[backend])


class Database:
    """One pool of connections; hands out transactions that read or write.

    A write on SQLite begins IMMEDIATE: it waits for its turn at the start instead of failing in the middle.
    """

    def __init__(self, url: URL, *, pool: int = 10, busy_seconds: float = 30.0) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._pool = pool
        self._busy_seconds = busy_seconds
        self._engine = self._create()
        self._writer = self._engine.execution_options(**{_WRITE: True})
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    @classmethod
    def from_settings(cls, settings: Settings) -> Database:
        """Return the database that the settings name; nothing is opened yet."""
        return cls(database_url(settings), pool=settings.database_pool, busy_seconds=settings.database_busy_seconds)

    @property
    def engine(self) -> AsyncEngine:
        """The engine, for migrations and backups."""
        return self._engine

    @property
    def file(self) -> Path | None:
        """The SQLite file, or None for PostgreSQL."""
        from pathlib import Path  # noqa: PLC0415 - at run time only here

        return Path(self.url.database) if self.is_sqlite and self.url.database else None

    @property
    def kind(self) -> str:
        """``SQLite`` or ``PostgreSQL``."""
        return "SQLite" if self.is_sqlite else "PostgreSQL"

    @property
    def name(self) -> str:
        """How messages call this database; never with a password."""
        return self.url.render_as_string(hide_password=True)

    def _create(self) -> AsyncEngine:
        if not self.is_sqlite:
            return create_async_engine(
                self.url,
                pool_size=self._pool,
                max_overflow=0,
                # A connection that died with a restarted server is noticed before it is handed out.
                pool_pre_ping=True,
                pool_recycle=1800,
                connect_args={"connect_timeout": 10, "application_name": "lexhop"},
            )
        engine = create_async_engine(self.url, pool_size=self._pool, max_overflow=0)
        milliseconds = int(self._busy_seconds * 1000)

        @event.listens_for(engine.sync_engine, "connect")
        def _prepare(connection: Any, _record: Any) -> None:
            # The driver's own BEGIN is off; ours below says what kind of transaction it is.
            connection.isolation_level = None
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA foreign_keys = ON")
            cursor.close()

        @event.listens_for(engine.sync_engine, "begin")
        def _begin(connection: Connection) -> None:
            write = connection.get_execution_options().get(_WRITE)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

        return engine

    def prepare_file(self) -> None:
        """Create the SQLite file's folder and the file, readable by its owner alone."""
        file = self.file
        if file is None or file.exists():
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise SetupError(
                f"the ledger's file {str(file)!r} cannot be created ({error.strerror}); "
                "make the folder writable, or set LEXHOP_HOME or LEXHOP_DATABASE_URL"
            ) from error

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session whose statements see one state of the database; it is rolled back at the end."""
        async with self._session(self._engine) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """A session that is committed at the end, or rolled back as a whole on any error.

        Raises:
            UnavailableError: The database is down, busy or full; nothing was written.
        """
        async with self._turn(), self._session(self._writer) as session:
            yield session
            await session.commit()

    @asynccontextmanager
    async def write_rows(self) -> AsyncIterator[AsyncConnection]:
        """The same as ``write`` without the mapping of rows to objects, for what is written often.

        Raises:
            UnavailableError: The database is down, busy or full; nothing was written.
        """
        try:
            async with self._turn(), self._writer.begin() as connection:
                yield connection
        except (DBAPIError, OSError, TimeoutError) as error:
            raise stated(error, self.name) from error

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for this process's other writers on SQLite, whose own way of waiting is to sleep and look again.

        Raises:
            UnavailableError: They took longer than writers of other processes may.
        """
        if not self.is_sqlite:
            yield
            return
        lock = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        try:
            async with asyncio.timeout(self._busy_seconds):
                await lock.acquire()
        except TimeoutError:
            raise UnavailableError(
                f"the ledger {self.name!r} is busy with another writer; nothing was written: repeat"
            ) from None
        try:
            yield
        finally:
            lock.release()

    @asynccontextmanager
    async def _session(self, engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
        try:
            async with AsyncSession(engine, expire_on_commit=False) as session:
                yield session
        except (DBAPIError, OSError, TimeoutError) as error:
            raise stated(error, self.name) from error

    async def ping(self) -> None:
        """Ask the database for anything.

        Raises:
            UnavailableError: It does not answer.
        """
        async with self.read() as session:
            await session.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()
