"""Many rows at a time: one parameter and one round trip for a list, however long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import JSON, Boolean, ColumnElement, String, bindparam, cast, column, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.ext.asyncio import AsyncSession
    from sqlalchemy.orm import InstrumentedAttribute
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.sql.selectable import TableValuedAlias

    from service.db._base import Base

__all__ = ["among", "insert_rows", "update_rows"]


class _Among(FunctionElement[bool]):
    """A column is one of a list that travels as one parameter."""

    name = "among"
    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Any:  # noqa: ARG002 - as the base class has it
        """Stand in a condition as it is: SQLite gets ``… = 1`` after a function that is true or false, and scans then."""
        return self


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


async def insert_rows(
    place: AsyncSession | AsyncConnection,
    table: type[Base],
    rows: Sequence[Mapping[str, Any]],
    *,
    also: Mapping[str, Any] | None = None,
    or_nothing: bool = False,
) -> None:
    """Insert many rows of the same columns into a table, in their order.

    Args:
        place: The transaction.
        table: Of columns that are not named the database fills in the id, and no other.
        rows: The rows.
        also: Columns that the database computes, the same way for each row.
        or_nothing: Pass over rows that are there already.
    """
    if not rows:
        return
    connection = place if isinstance(place, AsyncConnection) else await place.connection()
    target: Table = table.__table__  # type: ignore[assignment]
    computed = dict(also or {})
    if connection.dialect.name == "postgresql":
        sent = _sent(target, rows)
        values = select(*sent.c, *(_expression(value) for value in computed.values()))
        insert = postgresql.insert(target).from_select([*rows[0], *computed], values)
        await connection.execute(insert.on_conflict_do_nothing() if or_nothing else insert)
        return
    statement = sqlite.insert(target).values(computed) if computed else sqlite.insert(target)
    await connection.execute(statement.on_conflict_do_nothing() if or_nothing else statement, rows)


async def update_rows(
    place: AsyncSession | AsyncConnection,
    table: type[Base],
    rows: Sequence[Mapping[str, Any]],
    *,
    key: str = "id",
    where: ColumnElement[bool] | None = None,
) -> None:
    """Update many rows of a table, each by its ``key`` and only where ``where`` holds; all name the same columns."""
    if not rows:
        return
    connection = place if isinstance(place, AsyncConnection) else await place.connection()
    target: Table = table.__table__  # type: ignore[assignment]
    statement = target.update() if where is None else target.update().where(where)
    if connection.dialect.name == "postgresql":
        sent = _sent(target, rows)
        values = {name: sent.c[name] for name in rows[0] if name != key}
        await connection.execute(statement.where(target.c[key] == sent.c[key]).values(values))
        return
    # A parameter may not be called as a column that is set.
    values = {name: bindparam(f"new_{name}") for name in rows[0] if name != key}
    given = [{"the_key" if name == key else f"new_{name}": value for name, value in row.items()} for row in rows]
    await connection.execute(statement.where(target.c[key] == bindparam("the_key")).values(values), given)


def _expression(value: Any) -> ColumnElement[Any]:
    return value if isinstance(value, ColumnElement) else literal(value)


def _sent(target: Table, rows: Sequence[Mapping[str, Any]]) -> TableValuedAlias:
    """Return rows as a table of PostgreSQL that takes them out of one JSON text.

    The driver would send a statement a row, or number thousands of parameters in Python.
    """
    text = literal(orjson.dumps(rows).decode(), String())
    columns = [column(name, target.c[name].type) for name in rows[0]]
    return func.json_to_recordset(cast(text, JSON)).table_valued(*columns, name="sent").render_derived(with_types=True)
