"""What every table shares: one metadata, names of constraints, the database's clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import JSON, BigInteger, Boolean, Integer, MetaData, String, cast, column, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement, Table
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.orm import InstrumentedAttribute
    from sqlalchemy.sql.compiler import SQLCompiler

__all__ = ["Base", "RowId", "among", "insert_into", "insert_rows", "iso_moment", "now_ms"]

HOUR_MS = 3_600_000

# SQLite numbers rows by itself only in a column of exactly this type.
RowId = BigInteger().with_variant(Integer(), "sqlite")


class Base(DeclarativeBase):
    """The base of all tables; constraints have names, so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class now_ms(FunctionElement[int]):  # noqa: N801 - reads as a function in statements
    """The database's own clock: milliseconds since 1970 UTC, as an integer.

    Leases and limits of several machines are compared by this one clock, never by a worker's.
    """

    type = BigInteger()
    inherit_cache = True


@compiles(now_ms, "postgresql")
def _postgresql(_element: now_ms, _compiler: SQLCompiler, **_options: Any) -> str:
    # clock_timestamp() moves on within a transaction, as a lease that waited for a lock needs it.
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"


@compiles(now_ms, "sqlite")
def _sqlite(_element: now_ms, _compiler: SQLCompiler, **_options: Any) -> str:
    return "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"


class _Among(FunctionElement[bool]):
    """A column is one of a list that travels as one parameter."""

    name = "among"
    type = Boolean()
    inherit_cache = True


@compiles(_Among, "postgresql")
def _among_postgresql(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = element.clauses
    kind = "TEXT" if isinstance(column.type, String) else "BIGINT"
    # An array, not a join: whatever the statistics say, it is looked up in the index.
    listed = f"SELECT CAST(json_array_elements_text(CAST({compiler.process(values, **options)} AS JSON)) AS {kind})"
    return f"{compiler.process(column, **options)} = ANY (ARRAY({listed}))"


@compiles(_Among, "sqlite")
def _among_sqlite(element: _Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = element.clauses
    listed = f"SELECT value FROM json_each({compiler.process(values, **options)})"  # noqa: S608 - a parameter's place
    return f"{compiler.process(column, **options)} IN ({listed})"


def among(
    column: InstrumentedAttribute[int] | InstrumentedAttribute[str], values: Collection[int] | Collection[str]
) -> ColumnElement[bool]:
    """Return the condition that a column has one of some values, however many.

    ``in_`` makes a parameter of each: the drivers parse such a statement anew every time, and number the parameters in
    Python; here the statement stays the same.
    """
    return _Among(column, literal(orjson.dumps(list(values)).decode(), String()))


def iso_moment(milliseconds: int | None) -> str | None:
    """Return a moment of the ledger as ISO 8601 in UTC, or None for None."""
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def insert_into(session: AsyncSession, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that may say what happens on a conflict, in the session's dialect."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    return insert(table)


async def insert_rows(session: AsyncSession, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many rows of the same columns into a table, in their order, in one round trip.

    Columns that are not named take what the database gives them, which is nothing but the id in our tables.
    """
    if not rows:
        return
    connection = await session.connection()
    target: Table = table.__table__  # type: ignore[assignment]
    if connection.dialect.name != "postgresql":
        await connection.execute(target.insert(), rows)
        return
    # As JSON, whose parts the server takes apart: the driver would send a statement a row.
    names = list(rows[0])
    source = (
        func.json_to_recordset(cast(literal(orjson.dumps(rows).decode(), String()), JSON))
        .table_valued(*(column(name, target.c[name].type) for name in names), name="sent")
        .render_derived(with_types=True)
    )
    await connection.execute(target.insert().from_select(names, select(*(source.c[name] for name in names))))
