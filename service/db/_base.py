"""What every table shares: one metadata, names of constraints, the database's clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.sql.compiler import SQLCompiler

__all__ = ["Base", "RowId", "insert_into", "iso_moment", "now_ms"]

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


def iso_moment(milliseconds: int | None) -> str | None:
    """Return a moment of the ledger as ISO 8601 in UTC, or None for None."""
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def insert_into(session: AsyncSession, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that may say what happens on a conflict, in the session's dialect."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    return insert(table)
