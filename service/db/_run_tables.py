"""Tables of runs: what participants answer, what judges say, and the scores that come of it (decision 0110)."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Float, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.db._base import Base, RowId
from service.db._queue import QueueColumns

__all__ = [
    "BoardRow",
    "JudgeProfileRow",
    "JudgementRow",
    "RunItemRow",
    "RunRow",
    "ScoreRow",
    "SubmissionRow",
    "VerdictLogRow",
]


class JudgeProfileRow(Base):
    """A judge profile; it never changes, since verdicts rest on it."""

    __tablename__ = "judge_profiles"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    body_json: Mapped[str] = mapped_column(Text)
    created_at: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(32))


class RunRow(Base):
    """One model over one task set under one fingerprint.

    ``change`` grows with everything that happens to the run; what is computed from its rows is kept under it.
    """

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    owner: Mapped[str] = mapped_column(String(32), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    benchmark: Mapped[str] = mapped_column(String(40), index=True)
    task_set: Mapped[str] = mapped_column(String(200))
    corpus: Mapped[str] = mapped_column(String(100))
    version: Mapped[str] = mapped_column(String(64))
    participant: Mapped[str] = mapped_column(String(200))
    model_id: Mapped[str] = mapped_column(String(200))
    conditions_json: Mapped[str] = mapped_column(Text)
    settings_json: Mapped[str] = mapped_column(Text)
    modes: Mapped[str] = mapped_column(String(40))
    repeats: Mapped[int] = mapped_column(Integer)
    partial: Mapped[bool] = mapped_column(Boolean)
    items: Mapped[int] = mapped_column(Integer)
    fingerprint: Mapped[str] = mapped_column(String(64), index=True)
    score_fingerprint: Mapped[str] = mapped_column(String(80), index=True)
    score_facts_json: Mapped[str] = mapped_column(Text)
    profile_id: Mapped[int | None] = mapped_column(ForeignKey("judge_profiles.id"))
    change: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[int] = mapped_column(BigInteger)
    changed_at: Mapped[int] = mapped_column(BigInteger)
    closed_at: Mapped[int | None] = mapped_column(BigInteger)
    published_at: Mapped[int | None] = mapped_column(BigInteger)
    withdrawn_at: Mapped[int | None] = mapped_column(BigInteger)
    withdrawn_why: Mapped[str | None] = mapped_column(Text)


class RunItemRow(QueueColumns, Base):
    """A task of a run, to be leased by whoever answers; done when it has as many answers as the run has repeats."""

    __tablename__ = "run_items"
    __table_args__ = (
        UniqueConstraint("run_id", "task_id"),
        Index("ix_run_items_run_id_state_id", "run_id", "state", "id"),
        Index("ix_run_items_state_id", "state", "id"),
        Index("ix_run_items_state_leased_until", "state", "leased_until"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    task_id: Mapped[str] = mapped_column(String(200))
    fabula_id: Mapped[str] = mapped_column(String(200))
    mode: Mapped[str] = mapped_column(String(16))
    task_type: Mapped[str] = mapped_column(String(40))
    depth: Mapped[str] = mapped_column(String(16))
    branch: Mapped[str] = mapped_column(String(40))
    act: Mapped[str] = mapped_column(String(60))
    answered: Mapped[int] = mapped_column(Integer, default=0)


class SubmissionRow(QueueColumns, Base):
    """One answer, or what came instead of one. As a queue it is work for whoever reads answers."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("run_id", "attempt_key"),
        UniqueConstraint("item_id", "repeat"),
        Index("ix_submissions_run_id_id", "run_id", "id"),
        Index("ix_submissions_state_id", "state", "id"),
        Index("ix_submissions_state_leased_until", "state", "leased_until"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("run_items.id"))
    attempt_key: Mapped[str] = mapped_column(String(100))
    digest: Mapped[str] = mapped_column(String(64))
    outcome: Mapped[str] = mapped_column(String(24))
    repeat: Mapped[int | None] = mapped_column(Integer)
    text: Mapped[str] = mapped_column(Text)
    finish_reason: Mapped[str | None] = mapped_column(String(64))
    usage_json: Mapped[str | None] = mapped_column(Text)
    latency_ms: Mapped[int | None] = mapped_column(BigInteger)
    provider_id: Mapped[str | None] = mapped_column(String(200))
    received_at: Mapped[int] = mapped_column(BigInteger)


class ScoreRow(Base):
    """The scores of one answer, written anew with each verdict on it."""

    __tablename__ = "scores"
    __table_args__ = (Index("ix_scores_run_id_item_id", "run_id", "item_id"),)

    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), primary_key=True, autoincrement=False)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("run_items.id"))
    zero: Mapped[str | None] = mapped_column(String(24))
    keys_json: Mapped[str] = mapped_column(Text)
    known_json: Mapped[str] = mapped_column(Text)
    reading_json: Mapped[str] = mapped_column(Text)
    details_json: Mapped[str] = mapped_column(Text)
    components_json: Mapped[str] = mapped_column(Text)
    final: Mapped[float | None] = mapped_column(Float(53))
    reason: Mapped[str | None] = mapped_column(Text)
    error: Mapped[str | None] = mapped_column(String(40))


class JudgementRow(QueueColumns, Base):
    """One question to one judge about one answer: the unit of the ledger."""

    __tablename__ = "judgements"
    __table_args__ = (
        UniqueConstraint("submission_id", "item_key", "profile_id", "repeat"),
        Index("ix_judgements_run_id_state", "run_id", "state"),
        Index("ix_judgements_state_id", "state", "id"),
        Index("ix_judgements_state_leased_until", "state", "leased_until"),
        Index("ix_judgements_state_attempts", "state", "attempts"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    item_key: Mapped[str] = mapped_column(String(40))
    profile_id: Mapped[int] = mapped_column(ForeignKey("judge_profiles.id"))
    repeat: Mapped[int] = mapped_column(Integer)
    asked: Mapped[int] = mapped_column(Integer, default=0)
    value: Mapped[float | None] = mapped_column(Float(53))
    words: Mapped[str | None] = mapped_column(Text)
    ended_at: Mapped[int | None] = mapped_column(BigInteger)


class VerdictLogRow(Base):
    """Every reply of a judge that reached us, in time or late; rows are only ever added."""

    __tablename__ = "verdict_log"

    id: Mapped[int] = mapped_column(RowId, primary_key=True)
    judgement_id: Mapped[int] = mapped_column(ForeignKey("judgements.id"), index=True)
    at: Mapped[int] = mapped_column(BigInteger)
    worker: Mapped[str] = mapped_column(String(100))
    fence: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(16))
    value: Mapped[float | None] = mapped_column(Float(53))
    reply: Mapped[str | None] = mapped_column(Text)
    failure: Mapped[str | None] = mapped_column(Text)


class BoardRow(Base):
    """A leaderboard frozen under a permalink."""

    __tablename__ = "boards"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    benchmark: Mapped[str] = mapped_column(String(40))
    body_json: Mapped[str] = mapped_column(Text)
    created_at: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(32))
