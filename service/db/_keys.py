"""API keys and what they may see."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import SecretStr
from sqlalchemy import or_, select

from service.db._audit import AuditAction, record_audit
from service.db._base import now_ms
from service.db._tables import GrantRow, KeyRow
from service.errors import ForbiddenError, InputError, NotFoundError, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "COMMAND_LINE",
    "PUBLIC",
    "Grant",
    "Key",
    "Principal",
    "Scope",
    "Tier",
    "authenticate",
    "create_key",
    "grant_tier",
    "list_grants",
    "list_keys",
    "revoke_grant",
    "revoke_key",
    "tier_of",
]

COMMAND_LINE = "command-line"
"""The actor of what an operator does on the machine itself."""

ALL_TASK_SETS = "*"

_LONGEST_NAME = 200
_LONGEST_DAYS = 36_500
_LAST_ID = 2**31 - 1
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_PREFIX_LENGTH = 8
_KEY = re.compile(rf"lxh_([{_ALPHABET}]{{{_PREFIX_LENGTH}}})_([A-Za-z0-9_-]{{43}})\Z")
_NO_DIGEST = hashlib.sha256(b"no such key").hexdigest()


class Scope(StrEnum):
    """What a key may do. Every key reads, ``admin`` includes the others; none includes a tier."""

    READ = "read"
    SUBMIT = "submit"
    JUDGE = "judge"
    REVIEW = "review"
    ADMIN = "admin"


class Tier(StrEnum):
    """What of a task set may be seen: lists without answers, answers one by one, everything in bulk."""

    PUBLIC = "public"
    BROWSE = "browse"
    FULL = "full"

    @property
    def rank(self) -> int:
        """0 for public, growing with what is seen."""
        return list(Tier).index(self)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Attributes:
        key: The key's prefix; None without a key.
    """

    key: str | None
    name: str
    scopes: frozenset[Scope]

    def require(self, scope: Scope) -> None:
        """Check a scope.

        Raises:
            UnauthenticatedError: There is no key.
            ForbiddenError: The key has another scope.
        """
        # Whoever may do more reads what everybody may read.
        if scope is Scope.READ or scope in self.scopes or Scope.ADMIN in self.scopes:
            return
        if self.key is None:
            raise UnauthenticatedError(
                f"this needs a key with the scope {scope.value!r}; send it as `Authorization: Bearer lxh_…`"
            )
        raise ForbiddenError(
            f"key {self.key!r} has the scopes {_joined(self.scopes)!r} and lacks {scope.value!r}; "
            "ask an administrator for a key that has it"
        )


PUBLIC = Principal(key=None, name="public", scopes=frozenset({Scope.READ}))
"""Without a key: reading at the public tier."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key as lists show it; moments in milliseconds UTC."""

    prefix: str
    name: str
    scopes: tuple[Scope, ...]
    created_at: int
    created_by: str
    expires_at: int | None
    revoked_at: int | None


@dataclass(frozen=True, slots=True)
class Grant:
    """A key's tier for a task set; moments in milliseconds UTC."""

    id: int
    key: str
    task_set: str
    tier: Tier
    purpose: str
    granted_by: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None


def _joined(scopes: Iterable[Scope]) -> str:
    return ",".join(scope.value for scope in Scope if scope in set(scopes))


def _digest(key: str) -> str:
    # 32 random bytes need no slow hash: there is nothing to guess.
    return hashlib.sha256(key.encode()).hexdigest()


def _key(row: KeyRow) -> Key:
    scopes = tuple(Scope(scope) for scope in row.scopes.split(","))
    return Key(row.prefix, row.name, scopes, row.created_at, row.created_by, row.expires_at, row.revoked_at)


async def create_key(
    session: AsyncSession, *, name: str, scopes: Iterable[Scope], actor: str, days: float | None = None
) -> tuple[Key, SecretStr]:
    """Make a key that ends after ``days`` (None: never); its text is returned here and kept nowhere.

    Raises:
        InputError: No name or none that can be shown on a line, no scope, or days that are not positive or too many.
    """
    wanted = _joined(scopes)
    if not name.strip():
        raise InputError(f"the key's name {name!r} is empty; say whose key it is")
    if len(name) > _LONGEST_NAME or not name.strip().isprintable():
        raise InputError(
            f"the key's name {name[:40]!r} ({len(name):,} characters) is no name; write at most {_LONGEST_NAME} characters "
            f"on one line"
        )
    if not wanted:
        raise InputError(f"the key {name!r} has no scope; give one or more of {_joined(Scope)}")
    _check_days(days, "key")
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(_PREFIX_LENGTH))
    text = f"lxh_{prefix}_{secrets.token_urlsafe(32)}"
    now = await _now(session)
    row = KeyRow(
        prefix=prefix,
        digest=_digest(text),
        name=name.strip(),
        scopes=wanted,
        created_at=now,
        created_by=actor,
        expires_at=_later(now, days),
    )
    session.add(row)
    await session.flush()
    await record_audit(session, actor, AuditAction.KEY_CREATED, prefix, {"name": row.name, "scopes": wanted})
    return _key(row), SecretStr(text)


async def authenticate(session: AsyncSession, text: str | None) -> Principal:
    """Return who shows the key ``text``; the public for None.

    The same statement and the same comparison run whether the prefix exists or not.

    Raises:
        UnauthenticatedError: No such key, or it was revoked or has ended; the message does not say which.
    """
    if text is None:
        return PUBLIC
    form = _KEY.match(text)
    prefix = form[1] if form else ""
    found = (
        await session.execute(
            select(KeyRow, now_ms().label("now")).where(KeyRow.prefix == prefix),
        )
    ).first()
    row, now = (found[0], found[1]) if found else (None, 0)
    same = hmac.compare_digest(_digest(text), row.digest if row else _NO_DIGEST)
    alive = row is not None and row.revoked_at is None and (row.expires_at is None or row.expires_at > now)
    if row is None or not same or not alive:
        raise UnauthenticatedError("the key is not valid (unknown, revoked or ended); ask an administrator for another")
    return Principal(row.prefix, row.name, frozenset(Scope(scope) for scope in row.scopes.split(",")))


async def list_keys(session: AsyncSession) -> list[Key]:
    """Return all keys, oldest first, revoked ones too."""
    rows = await session.scalars(select(KeyRow).order_by(KeyRow.created_at, KeyRow.prefix))
    return [_key(row) for row in rows]


async def revoke_key(session: AsyncSession, prefix: str, *, actor: str) -> Key:
    """End a key at once; a revoked one stays as it is.

    Raises:
        NotFoundError: There is no key with this prefix.
    """
    row = await _row(session, prefix)
    if row.revoked_at is None:
        row.revoked_at = await _now(session)
        await session.flush()
        await record_audit(session, actor, AuditAction.KEY_REVOKED, row.prefix, {"name": row.name})
    return _key(row)


async def grant_tier(
    session: AsyncSession,
    prefix: str,
    *,
    task_set: str,
    tier: Tier,
    purpose: str,
    actor: str,
    days: float | None,
) -> Grant:
    """Give a key a tier for a task set (``*``: for all), for a purpose and, unless ``days`` is None, for a time.

    Raises:
        NotFoundError: There is no key with this prefix.
        InputError: The tier is public (everybody has it), or the purpose is empty.
    """
    row = await _row(session, prefix)
    if tier is Tier.PUBLIC:
        raise InputError(f"the tier {tier.value!r} needs no grant; grant 'browse' or 'full'")
    if not purpose.strip():
        raise InputError(f"the purpose {purpose!r} is empty; say what the access is for")
    if not task_set.strip():
        raise InputError(f"the task set {task_set!r} is empty; name one, or '*' for all")
    _check_days(days, "grant")
    if row.revoked_at is not None:
        raise InputError(f"key {row.prefix!r} is revoked; grant the tier to a living key")
    now = await _now(session)
    grant = GrantRow(
        key_prefix=row.prefix,
        task_set=task_set.strip(),
        tier=tier.value,
        purpose=purpose.strip(),
        granted_by=actor,
        created_at=now,
        expires_at=_later(now, days),
    )
    session.add(grant)
    await session.flush()
    detail = {"task_set": grant.task_set, "tier": grant.tier, "purpose": grant.purpose, "expires_at": grant.expires_at}
    await record_audit(session, actor, AuditAction.TIER_GRANTED, row.prefix, detail)
    return _grant(grant)


async def revoke_grant(session: AsyncSession, grant_id: int, *, actor: str) -> Grant:
    """End a grant at once.

    Raises:
        NotFoundError: There is no such grant.
    """
    row = await session.get(GrantRow, grant_id) if 0 < grant_id <= _LAST_ID else None
    if row is None:
        raise NotFoundError(f"grant {grant_id!r} does not exist; `lexhop keys list` shows all grants")
    if row.revoked_at is None:
        row.revoked_at = await _now(session)
        await session.flush()
        detail = {"grant": row.id, "task_set": row.task_set, "tier": row.tier}
        await record_audit(session, actor, AuditAction.GRANT_REVOKED, row.key_prefix, detail)
    return _grant(row)


async def list_grants(session: AsyncSession, prefix: str | None = None) -> list[Grant]:
    """Return all grants, oldest first, ended ones too; of one key when ``prefix`` is given."""
    statement = select(GrantRow).order_by(GrantRow.id)
    if prefix is not None:
        statement = statement.where(GrantRow.key_prefix == prefix)
    return [_grant(row) for row in await session.scalars(statement)]


async def tier_of(session: AsyncSession, principal: Principal, task_set: str) -> Tier:
    """Return the highest tier that a principal has for a task set right now."""
    if principal.key is None:
        return Tier.PUBLIC
    tiers = await session.scalars(
        select(GrantRow.tier).where(
            GrantRow.key_prefix == principal.key,
            GrantRow.task_set.in_((task_set, ALL_TASK_SETS)),
            GrantRow.revoked_at.is_(None),
            or_(GrantRow.expires_at.is_(None), GrantRow.expires_at > now_ms()),
        )
    )
    return max((Tier(tier) for tier in tiers), key=lambda tier: tier.rank, default=Tier.PUBLIC)


def _grant(row: GrantRow) -> Grant:
    return Grant(
        row.id,
        row.key_prefix,
        row.task_set,
        Tier(row.tier),
        row.purpose,
        row.granted_by,
        row.created_at,
        row.expires_at,
        row.revoked_at,
    )


async def _row(session: AsyncSession, prefix: str) -> KeyRow:
    wanted = prefix.removeprefix("lxh_")[:_PREFIX_LENGTH]
    row = await session.get(KeyRow, wanted)
    if row is None:
        raise NotFoundError(f"key {wanted!r} does not exist; `lexhop keys list` shows the prefixes")
    return row


async def _now(session: AsyncSession) -> int:
    return int((await session.execute(select(now_ms()))).scalar_one())


def _check_days(days: float | None, what: str) -> None:
    # Written so that NaN, which compares with nothing, is refused too.
    if days is not None and not days > 0:
        raise InputError(f"days {days!r} is not above 0; give the {what} a time to live, or none at all")
    if days is not None and days > _LONGEST_DAYS:
        raise InputError(f"days {days!r} is more than {_LONGEST_DAYS:,}; give the {what} fewer, or no end at all")


def _later(now: int, days: float | None) -> int | None:
    return None if days is None else now + int(days * 86_400_000)
