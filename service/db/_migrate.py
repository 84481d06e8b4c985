"""Brings the tables to what this version of Lexhop needs, one process at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

from service.db._failures import stated
from service.errors import InputError, SetupError
from service.resources import resource, resources_below

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection

    from service.db._engine import Database

__all__ = ["downgrade", "head_revision", "known_revisions", "revision_of", "upgrade"]

# Any fixed number: the advisory lock that all processes migrating one PostgreSQL take.
_LOCK = 0x1E80_0001


def known_revisions() -> list[str]:
    """Return all revisions of this installation, oldest first."""
    # Revisions are numbered by their files, one after another, so that a start of every command need not load
    # alembic; a test holds this against alembic's own reading.
    return [path.stem.partition("_")[0] for path in resources_below("migrations/sql/versions", ".py")]


def head_revision() -> str:
    """Return the newest revision that this installation brings.

    Raises:
        SetupError: It brings none.
    """
    known = known_revisions()
    if not known:
        raise SetupError("migrations/sql holds no revision; install the lexhop wheel again")
    return known[-1]


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


async def revision_of(database: Database) -> str | None:
    """Return the revision that the database is at; None for an empty one."""
    try:
        async with database.engine.connect() as connection:
            return await connection.run_sync(_current)
    except (DBAPIError, OSError) as error:
        raise stated(error, database.name) from error


async def upgrade(database: Database, revision: str = "head") -> None:
    """Run the missing migrations, all or none; nothing happens when there is none.

    Raises:
        SetupError: The database was migrated by a newer Lexhop.
        UnavailableError: The database does not answer.
    """
    database.prepare_file()
    current = await revision_of(database)
    if current == head_revision():
        return
    if current is not None and current not in known_revisions():
        raise SetupError(
            f"the ledger {database.name!r} is at revision {current!r}, which this Lexhop does not know; "
            "a newer Lexhop made it: install that one, or restore a backup made by this one"
        )
    await _run(database, revision, up=True)


async def downgrade(database: Database, revision: str) -> None:
    """Undo migrations down to ``revision`` (``base``: all of them, with their data).

    Raises:
        InputError: There is no such revision.
    """
    if revision != "base" and revision not in known_revisions():
        raise InputError(f"revision {revision!r} does not exist; take one of {', '.join(known_revisions())} or 'base'")
    await _run(database, revision, up=False)


def _config() -> Config:
    from alembic.config import Config  # noqa: PLC0415 - only where something is to be migrated

    config = Config()
    config.set_main_option("script_location", str(resource("migrations/sql")).replace("%", "%%"))
    return config


async def _run(database: Database, revision: str, *, up: bool) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    def work(connection: Connection) -> None:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        config = _config()
        config.attributes["connection"] = connection
        (command.upgrade if up else command.downgrade)(config, revision)

    try:
        # On SQLite the write transaction itself is the lock.
        async with database.engine.execution_options(lexhop_write=True).begin() as connection:
            await connection.run_sync(work)
    except (DBAPIError, OSError) as error:
        raise stated(error, database.name) from error
    except CommandError as error:
        raise SetupError(f"the migrations of the ledger {database.name!r} do not run: {error}") from error
