"""The ledger's own tables. Moments are milliseconds of the database's clock (decision 0060)."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Float, ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.db._base import Base, RowId

__all__ = ["AttemptRow", "AuditRow", "GrantRow", "HourlyRow", "KeyRow", "PaceRow", "RefinementRow"]


class KeyRow(Base):
    """An API key; only its digest is kept."""

    __tablename__ = "keys"

    prefix: Mapped[str] = mapped_column(String(16), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200))
    scopes: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(32))
    expires_at: Mapped[int | None] = mapped_column(BigInteger)
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)


class GrantRow(Base):
    """A key's tier for one task set, or for all (``*``)."""

    __tablename__ = "grants"
    __table_args__ = (CheckConstraint("tier IN ('browse', 'full')", name="tier"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    key_prefix: Mapped[str] = mapped_column(ForeignKey("keys.prefix"), index=True)
    task_set: Mapped[str] = mapped_column(String(200))
    tier: Mapped[str] = mapped_column(String(16))
    purpose: Mapped[str] = mapped_column(Text)
    granted_by: Mapped[str] = mapped_column(String(32))
    created_at: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[int | None] = mapped_column(BigInteger)
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)


class AuditRow(Base):
    """Who did what to what; rows are only ever added."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    at: Mapped[int] = mapped_column(BigInteger)
    actor: Mapped[str] = mapped_column(String(32))
    action: Mapped[str] = mapped_column(String(64), index=True)
    subject: Mapped[str] = mapped_column(String(300))
    detail_json: Mapped[str] = mapped_column(Text)


class AttemptRow(Base):
    """One attempt at a call of a model: written before it starts, completed when it ends.

    A row that stays ``in_flight`` belongs to a process that died: such a call may have been paid for.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        Index("ix_attempts_purpose_subject", "purpose", "subject"),
        Index("ix_attempts_model_started_at", "model", "started_at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(32))
    subject: Mapped[str] = mapped_column(String(300))
    model: Mapped[str] = mapped_column(String(200))
    request_digest: Mapped[str] = mapped_column(String(64))
    number: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[int] = mapped_column(BigInteger)
    milliseconds: Mapped[int | None] = mapped_column(Integer)
    status: Mapped[str] = mapped_column(String(32))
    http_status: Mapped[int | None] = mapped_column(Integer)
    finish_reason: Mapped[str | None] = mapped_column(String(64))
    prompt_tokens: Mapped[int | None] = mapped_column(Integer)
    completion_tokens: Mapped[int | None] = mapped_column(Integer)
    reasoning_tokens: Mapped[int | None] = mapped_column(Integer)
    cost_nano: Mapped[int | None] = mapped_column(BigInteger)
    currency: Mapped[str | None] = mapped_column(String(8))
    reply: Mapped[str | None] = mapped_column(Text)
    error: Mapped[str | None] = mapped_column(Text)


class HourlyRow(Base):
    """How much of an hourly limit a subject has used."""

    __tablename__ = "hourly_counts"

    subject: Mapped[str] = mapped_column(String(100), primary_key=True)
    limit_name: Mapped[str] = mapped_column(String(64), primary_key=True)
    hour: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    used: Mapped[int] = mapped_column(BigInteger)


class PaceRow(Base):
    """The shared pace of calls to one model (see ``Pace``)."""

    __tablename__ = "paces"

    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    rate: Mapped[float] = mapped_column(Float(53))
    tokens: Mapped[float] = mapped_column(Float(53))
    ceiling: Mapped[float | None] = mapped_column(Float(53))
    updated_at: Mapped[int] = mapped_column(BigInteger)
    lowered_at: Mapped[int] = mapped_column(BigInteger)
    paused_until: Mapped[int] = mapped_column(BigInteger)
    used: Mapped[int] = mapped_column(BigInteger)
    denied: Mapped[int] = mapped_column(BigInteger)


class RefinementRow(Base):
    """What a model said about a pair of articles, by the hash of all that it was asked."""

    __tablename__ = "refinements"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    model: Mapped[str] = mapped_column(String(200))
    prompt_version: Mapped[str] = mapped_column(String(64))
    pair: Mapped[str] = mapped_column(String(300), index=True)
    value_json: Mapped[str] = mapped_column(Text)
    created_at: Mapped[int] = mapped_column(BigInteger)
