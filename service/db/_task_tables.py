"""Task sets, their fabulas, what models made of chains, and reviews."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.db._base import Base, RowId

__all__ = ["FabulaRow", "InstantiationRow", "ReviewRow", "TaskChainRow", "TaskSetRow"]


class TaskSetRow(Base):
    """One version of a task set; a frozen one has a digest and never changes."""

    __tablename__ = "task_sets"
    __table_args__ = (UniqueConstraint("key", "version"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    key: Mapped[str] = mapped_column(String(100))
    version: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(Text)
    benchmark: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(8))
    corpus: Mapped[str] = mapped_column(String(100))
    corpus_version: Mapped[str] = mapped_column(String(12))
    licence: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    notice: Mapped[str] = mapped_column(Text)
    canary: Mapped[str] = mapped_column(String(100))
    digest: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[int] = mapped_column(BigInteger)
    frozen_at: Mapped[int | None] = mapped_column(BigInteger)


class FabulaRow(Base):
    """A fabula of a task set; its closed and its open task are derived from it."""

    __tablename__ = "fabulas"
    __table_args__ = (
        UniqueConstraint("task_set_id", "fabula_id"),
        Index("ix_fabulas_task_set_id_place", "task_set_id", "place"),
        Index("ix_fabulas_fabula_id", "fabula_id"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    task_set_id: Mapped[int] = mapped_column(ForeignKey("task_sets.id"))
    fabula_id: Mapped[str] = mapped_column(String(100))
    place: Mapped[int] = mapped_column(Integer)
    type: Mapped[str] = mapped_column(String(32))
    depth: Mapped[str] = mapped_column(String(16))
    branch: Mapped[str | None] = mapped_column(String(64))
    public: Mapped[bool] = mapped_column(Boolean)
    status: Mapped[str] = mapped_column(String(32))
    record_json: Mapped[str] = mapped_column(Text)


class TaskChainRow(Base):
    """A chain that a draft of a task set is to be made from."""

    __tablename__ = "task_chains"
    __table_args__ = (UniqueConstraint("task_set_id", "chain"),)

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    task_set_id: Mapped[int] = mapped_column(ForeignKey("task_sets.id"))
    chain: Mapped[str] = mapped_column(String(64))
    place: Mapped[int] = mapped_column(Integer)
    chain_json: Mapped[str] = mapped_column(Text)


class InstantiationRow(Base):
    """What a model made of a chain, or said of it; rows are only ever added."""

    __tablename__ = "instantiations"
    __table_args__ = (
        CheckConstraint("stage IN ('write', 'validate')", name="stage"),
        Index("ix_instantiations_chain_stage", "chain", "stage"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    chain: Mapped[str] = mapped_column(String(64))
    stage: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(100))
    prompt_version: Mapped[str] = mapped_column(String(64))
    model: Mapped[str] = mapped_column(String(200))
    status: Mapped[str] = mapped_column(String(32))
    value_json: Mapped[str | None] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)


class ReviewRow(Base):
    """A person's word on a fabula; rows are only ever added, the last of a reviewer counts."""

    __tablename__ = "reviews"
    __table_args__ = (
        CheckConstraint("verdict IN ('approve', 'reject')", name="verdict"),
        Index("ix_reviews_task_set_id_fabula_id", "task_set_id", "fabula_id"),
    )

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    task_set_id: Mapped[int] = mapped_column(ForeignKey("task_sets.id"))
    fabula_id: Mapped[str] = mapped_column(String(100))
    reviewer: Mapped[str] = mapped_column(String(100))
    verdict: Mapped[str] = mapped_column(String(16))
    checks_json: Mapped[str] = mapped_column(Text)
    comment: Mapped[str] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)
