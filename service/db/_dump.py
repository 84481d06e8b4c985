"""All rows of the ledger, out and in: the SQL part of backups."""

from __future__ import annotations

import base64
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import MetaData, func, insert, literal, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.types import LargeBinary

from service.db._failures import stated
from service.db._migrate import downgrade, head_revision, known_revisions, revision_of, upgrade
from service.errors import ConflictError, SetupError, SourceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from sqlalchemy import Connection, Table
    from sqlalchemy.ext.asyncio import AsyncConnection

    from service.db._engine import Database

__all__ = ["LedgerReader", "read_ledger", "require_empty", "write_ledger"]

_VERSION_TABLE = "alembic_version"
_BATCH = 1000


def _tables(connection: Connection) -> dict[str, Table]:
    # As they are in this database, not as this version's models have them: a backup holds what is there.
    metadata = MetaData()
    metadata.reflect(connection)
    return {str(table.name): table for table in metadata.sorted_tables if table.name != _VERSION_TABLE}


class LedgerReader:
    """Reads every table from one state of the database, however long it takes and whoever writes meanwhile."""

    def __init__(self, connection: AsyncConnection, tables: Mapping[str, Table]) -> None:
        self._connection = connection
        self._tables = tables

    @property
    def names(self) -> tuple[str, ...]:
        """The tables, those that others refer to first."""
        return tuple(self._tables)

    async def has_rows(self, name: str) -> bool:
        """Whether a table holds anything."""
        found = await self._connection.execute(select(literal(1)).select_from(self._tables[name]).limit(1))
        return found.first() is not None

    async def rows(self, name: str) -> AsyncIterator[dict[str, Any]]:
        """Yield a table's rows in the order of its primary key, as plain values."""
        table = self._tables[name]
        async with self._connection.stream(select(table).order_by(*table.primary_key.columns)) as found:
            async for row in found.mappings():
                # Reflected names are of a subclass of str.
                yield {str(column): _plain(value) for column, value in row.items()}


@asynccontextmanager
async def read_ledger(database: Database) -> AsyncIterator[LedgerReader]:
    """Open one state of the ledger for reading.

    Raises:
        UnavailableError: The database does not answer.
    """
    try:
        async with database.engine.connect() as connection:
            if not database.is_sqlite:
                # On SQLite a read transaction sees one state anyway.
                await connection.execution_options(isolation_level="REPEATABLE READ")
            async with connection.begin():
                yield LedgerReader(connection, await connection.run_sync(_tables))
    except (DBAPIError, OSError) as error:
        raise stated(error, database.name) from error


async def require_empty(database: Database) -> None:
    """Check that a ledger holds no row, or no table at all.

    Raises:
        ConflictError: It holds rows; nothing is ever overwritten.
    """
    async with read_ledger(database) as reader:
        for name in reader.names:
            if await reader.has_rows(name):
                raise ConflictError(
                    f"the ledger {database.name!r} is not empty (table {name!r} has rows); restore into an empty one: "
                    "another LEXHOP_HOME or LEXHOP_DATABASE_URL"
                )


async def write_ledger(
    database: Database, revision: str, tables: Mapping[str, Iterable[Mapping[str, Any]]]
) -> dict[str, int]:
    """Fill an empty ledger with all rows of a backup, or with none, and bring it up to date.

    The tables are made as they were when the backup was (``revision``); migrations since then run over the rows.
    Returns the number of rows of each table.

    Raises:
        ConflictError: The ledger is not empty.
        SetupError: The backup was made by a newer Lexhop.
        SourceError: Its rows do not fit their tables.
    """
    if revision not in known_revisions():
        raise SetupError(
            f"the backup is of revision {revision!r}, which this Lexhop does not know; install the newer one that made it"
        )
    database.prepare_file()
    current = await revision_of(database)
    if current is not None and current != revision:
        if current != head_revision():
            raise ConflictError(f"the ledger {database.name!r} is at revision {current!r}; restore into an empty one")
        await require_empty(database)
        await downgrade(database, revision)
    if current is None:
        await upgrade(database, revision)
    await require_empty(database)
    try:
        async with database.engine.execution_options(lexhop_write=True).begin() as connection:
            counts = await _fill(connection, tables)
    except IntegrityError as error:
        raise SourceError(f"the backup's rows do not fit together ({error.orig}); it was changed or cut") from error
    except (DBAPIError, OSError) as error:
        raise stated(error, database.name) from error
    await upgrade(database)
    return counts


async def _fill(connection: AsyncConnection, given: Mapping[str, Iterable[Mapping[str, Any]]]) -> dict[str, int]:
    tables = await connection.run_sync(_tables)
    unknown = set(given) - set(tables)
    if unknown:
        raise SetupError(f"the backup has the tables {sorted(unknown)!r}, which its revision does not; it was changed")
    counts: dict[str, int] = {}
    for name, table in tables.items():
        counts[name] = 0
        batch: list[dict[str, Any]] = []
        for row in given.get(name, ()):
            if set(row) != set(table.columns.keys()):
                raise SourceError(
                    f"table {name!r} of the backup has the columns {sorted(row)!r}; it was changed or cut"
                )
            batch.append({column: _typed(table, column, value) for column, value in row.items()})
            if len(batch) == _BATCH:
                await connection.execute(insert(table), batch)
                counts[name] += len(batch)
                batch = []
        if batch:
            await connection.execute(insert(table), batch)
            counts[name] += len(batch)
        if connection.dialect.name == "postgresql":
            await _go_on_numbering(connection, table)
    return counts


async def _go_on_numbering(connection: AsyncConnection, table: Table) -> None:
    """Let PostgreSQL number new rows after those that came with their numbers."""
    (key, *others) = table.primary_key.columns
    if others or key.autoincrement is False or key.type.python_type is not int:
        return
    sequence = await connection.scalar(select(func.pg_get_serial_sequence(table.name, key.name)))
    if sequence is not None:
        await connection.execute(select(func.setval(sequence, func.coalesce(func.max(key), 0) + 1, False)))


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _typed(table: Table, column: str, value: Any) -> Any:
    if isinstance(value, str) and isinstance(table.columns[column].type, LargeBinary):
        return base64.b64decode(value)
    return value
