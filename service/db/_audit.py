"""The audit table: keys, reviews, publications."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import insert, select

from service.db._base import now_ms
from service.db._tables import AuditRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["AuditAction", "AuditEntry", "list_audit", "record_audit"]


class AuditAction(StrEnum):
    """What is put on record."""

    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    TIER_GRANTED = "tier_granted"
    GRANT_REVOKED = "grant_revoked"
    TASK_REVIEWED = "task_reviewed"
    RUN_PUBLISHED = "run_published"
    RUN_WITHDRAWN = "run_withdrawn"
    BOARD_FROZEN = "board_frozen"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the record.

    Attributes:
        at: Milliseconds UTC, by the database's clock.
        actor: A key's prefix, or ``command-line``.
    """

    id: int
    at: int
    actor: str
    action: str
    subject: str
    detail: dict[str, Any]


async def record_audit(
    session: AsyncSession, actor: str, action: AuditAction, subject: str, detail: Mapping[str, Any]
) -> None:
    """Put an action on record, in the transaction that carries it out."""
    await session.execute(
        insert(AuditRow).values(
            at=now_ms(),
            actor=actor,
            action=action.value,
            subject=subject,
            detail_json=orjson.dumps(dict(detail), option=orjson.OPT_SORT_KEYS).decode(),
        )
    )


async def list_audit(
    session: AsyncSession, *, limit: int, before: int | None = None, action: AuditAction | None = None
) -> list[AuditEntry]:
    """Return entries, newest first; ``before`` (an id) begins the next page."""
    statement = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
    if before is not None:
        statement = statement.where(AuditRow.id < before)
    if action is not None:
        statement = statement.where(AuditRow.action == action.value)
    return [
        AuditEntry(row.id, row.at, row.actor, row.action, row.subject, orjson.loads(row.detail_json))
        for row in await session.scalars(statement)
    ]
