"""Reads and writes task sets, fabulas, chains, instantiations and reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, or_, select, update

from service.db._base import now_ms
from service.db._tables import GrantRow
from service.db._task_tables import FabulaRow, InstantiationRow, ReviewRow, TaskChainRow, TaskSetRow

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "add_instantiation",
    "add_review",
    "add_task_set",
    "cell_counts",
    "chains_of_set",
    "fabula_rows",
    "find_fabulas",
    "freeze_task_set",
    "has_named_grant",
    "instantiations_of",
    "put_chains",
    "put_fabulas",
    "remove_task_set",
    "reviews_of",
    "set_fabula_status",
    "set_public",
    "task_set_rows",
]

_CHUNK = 500


async def add_task_set(session: AsyncSession, fields: Mapping[str, Any]) -> TaskSetRow:
    """Add a draft; its version is one above the key's newest."""
    newest = await session.scalar(select(func.max(TaskSetRow.version)).where(TaskSetRow.key == fields["key"]))
    now = int((await session.execute(select(now_ms()))).scalar_one())
    row = TaskSetRow(**fields, version=(newest or 0) + 1, created_at=now)
    session.add(row)
    await session.flush()
    return row


async def task_set_rows(session: AsyncSession, key: str | None = None) -> list[TaskSetRow]:
    """Return task sets by key, the newest version first; of one key when it is given."""
    statement = select(TaskSetRow).order_by(TaskSetRow.key, TaskSetRow.version.desc())
    if key is not None:
        statement = statement.where(TaskSetRow.key == key)
    return list(await session.scalars(statement))


async def freeze_task_set(session: AsyncSession, set_id: int, digest: str) -> None:
    """Put the digest on a draft, which then never changes."""
    await session.execute(
        update(TaskSetRow)
        .where(TaskSetRow.id == set_id, TaskSetRow.digest.is_(None))
        .values(digest=digest, frozen_at=now_ms())
    )


async def remove_task_set(session: AsyncSession, set_id: int) -> None:
    """Remove a version with its fabulas, chains and reviews."""
    for table in (ReviewRow, TaskChainRow, FabulaRow):
        await session.execute(delete(table).where(table.task_set_id == set_id))
    await session.execute(delete(TaskSetRow).where(TaskSetRow.id == set_id))


async def put_fabulas(session: AsyncSession, set_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replace the fabulas of a draft."""
    await session.execute(delete(FabulaRow).where(FabulaRow.task_set_id == set_id))
    for begin in range(0, len(rows), _CHUNK):
        page = rows[begin : begin + _CHUNK]
        await session.execute(
            insert(FabulaRow),
            [{**row, "task_set_id": set_id, "place": begin + number} for number, row in enumerate(page)],
        )


async def fabula_rows(
    session: AsyncSession,
    set_id: int,
    *,
    after: int = -1,
    limit: int | None = None,
    public: bool | None = None,
    task_type: str | None = None,
    depth: str | None = None,
    branch: str | None = None,
) -> list[FabulaRow]:
    """Return fabulas of a set in their order, one page of it when there is a limit."""
    statement = select(FabulaRow).where(FabulaRow.task_set_id == set_id, FabulaRow.place > after)
    for column, value in (
        (FabulaRow.public, public),
        (FabulaRow.type, task_type),
        (FabulaRow.depth, depth),
        (FabulaRow.branch, branch),
    ):
        if value is not None:
            statement = statement.where(column == value)
    statement = statement.order_by(FabulaRow.place)
    return list(await session.scalars(statement.limit(limit) if limit is not None else statement))


async def find_fabulas(session: AsyncSession, fabula_id: str) -> list[tuple[TaskSetRow, FabulaRow]]:
    """Return where a fabula stands, newest version of each set first."""
    rows = await session.execute(
        select(TaskSetRow, FabulaRow)
        .join(FabulaRow, FabulaRow.task_set_id == TaskSetRow.id)
        .where(FabulaRow.fabula_id == fabula_id)
        .order_by(TaskSetRow.key, TaskSetRow.version.desc())
    )
    return [(found[0], found[1]) for found in rows]


async def cell_counts(session: AsyncSession, set_ids: Sequence[int]) -> list[tuple[int, str, str, bool, int]]:
    """Return (set, type, depth, public, fabulas) of some sets."""
    rows = await session.execute(
        select(FabulaRow.task_set_id, FabulaRow.type, FabulaRow.depth, FabulaRow.public, func.count())
        .where(FabulaRow.task_set_id.in_(set_ids))
        .group_by(FabulaRow.task_set_id, FabulaRow.type, FabulaRow.depth, FabulaRow.public)
        .order_by(FabulaRow.task_set_id, FabulaRow.type, FabulaRow.depth, FabulaRow.public)
    )
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]


async def set_fabula_status(session: AsyncSession, set_id: int, fabula_id: str, status: str) -> None:
    """Note how far a fabula was checked."""
    await session.execute(
        update(FabulaRow).where(FabulaRow.task_set_id == set_id, FabulaRow.fabula_id == fabula_id).values(status=status)
    )


async def set_public(session: AsyncSession, set_id: int, fabula_ids: Collection[str]) -> None:
    """Make exactly these fabulas public."""
    await session.execute(update(FabulaRow).where(FabulaRow.task_set_id == set_id).values(public=False))
    wanted = sorted(fabula_ids)
    for begin in range(0, len(wanted), _CHUNK):
        page = wanted[begin : begin + _CHUNK]
        await session.execute(
            update(FabulaRow).where(FabulaRow.task_set_id == set_id, FabulaRow.fabula_id.in_(page)).values(public=True)
        )


async def put_chains(session: AsyncSession, set_id: int, chains: Sequence[tuple[str, str]]) -> None:
    """Set the chains (name, JSON) of a draft."""
    await session.execute(delete(TaskChainRow).where(TaskChainRow.task_set_id == set_id))
    for begin in range(0, len(chains), _CHUNK):
        await session.execute(
            insert(TaskChainRow),
            [
                {"task_set_id": set_id, "place": begin + number, "chain": chain, "chain_json": value}
                for number, (chain, value) in enumerate(chains[begin : begin + _CHUNK])
            ],
        )


async def chains_of_set(session: AsyncSession, set_id: int) -> list[TaskChainRow]:
    """Return the chains of a draft in their order."""
    statement = select(TaskChainRow).where(TaskChainRow.task_set_id == set_id).order_by(TaskChainRow.place)
    return list(await session.scalars(statement))


async def add_instantiation(session: AsyncSession, fields: Mapping[str, Any]) -> None:
    """Add what a model made of a chain, or said of it."""
    await session.execute(insert(InstantiationRow).values(**fields, at=now_ms()))


async def has_named_grant(session: AsyncSession, prefix: str, task_set: str) -> bool:
    """Return whether a key has a living grant, of any tier, that names a task set; one for all sets does not count."""
    found = await session.scalar(
        select(GrantRow.id)
        .where(
            GrantRow.key_prefix == prefix,
            GrantRow.task_set == task_set,
            GrantRow.revoked_at.is_(None),
            or_(GrantRow.expires_at.is_(None), GrantRow.expires_at > now_ms()),
        )
        .limit(1)
    )
    return found is not None


async def instantiations_of(
    session: AsyncSession, stage: str, *, prompt_version: str, model: str, chains: Sequence[str]
) -> list[InstantiationRow]:
    """Return what a model with a prompt made of chains, oldest first."""
    found: list[InstantiationRow] = []
    for begin in range(0, len(chains), _CHUNK):
        found.extend(
            await session.scalars(
                select(InstantiationRow)
                .where(
                    InstantiationRow.chain.in_(chains[begin : begin + _CHUNK]),
                    InstantiationRow.stage == stage,
                    InstantiationRow.prompt_version == prompt_version,
                    InstantiationRow.model == model,
                )
                .order_by(InstantiationRow.id)
            )
        )
    return found


async def add_review(session: AsyncSession, fields: Mapping[str, Any]) -> int:
    """Add a person's word on a fabula and return its number."""
    statement = insert(ReviewRow).values(**fields, at=now_ms()).returning(ReviewRow.id)
    return int((await session.execute(statement)).scalar_one())


async def reviews_of(session: AsyncSession, set_id: int, fabula_id: str | None = None) -> list[ReviewRow]:
    """Return reviews of a set, oldest first; of one fabula when it is given."""
    statement = select(ReviewRow).where(ReviewRow.task_set_id == set_id).order_by(ReviewRow.id)
    if fabula_id is not None:
        statement = statement.where(ReviewRow.fabula_id == fabula_id)
    return list(await session.scalars(statement))
