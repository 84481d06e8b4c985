"""The ledger: SQL tables, keys, limits, work queues, usage, backup."""

from service.db._attempts import (
    IN_FLIGHT,
    AttemptEnd,
    AttemptRecorder,
    AttemptStart,
    Spending,
    kept_reply,
    spending,
)
from service.db._audit import AuditAction, AuditEntry, list_audit, record_audit
from service.db._base import Base, RowId, iso_moment, now_ms
from service.db._dump import LedgerReader, read_ledger, require_empty, write_ledger
from service.db._engine import Database, database_url
from service.db._hourly import HourlyLimiter, spend
from service.db._keys import (
    COMMAND_LINE,
    PUBLIC,
    Grant,
    Key,
    Principal,
    Scope,
    Tier,
    authenticate,
    create_key,
    grant_tier,
    list_grants,
    list_keys,
    revoke_grant,
    revoke_key,
    tier_of,
)
from service.db._migrate import downgrade, head_revision, revision_of, upgrade
from service.db._open import open_ledger
from service.db._pace import Pace, PaceLimits
from service.db._permits import Permits, draw_permits, pace_of, report_refusal
from service.db._queue import Lease, QueueColumns, WorkQueue, WorkState
from service.db._refinements import cached_refinements, keep_refinement

__all__ = [
    "COMMAND_LINE",
    "IN_FLIGHT",
    "PUBLIC",
    "AttemptEnd",
    "AttemptRecorder",
    "AttemptStart",
    "AuditAction",
    "AuditEntry",
    "Base",
    "Database",
    "Grant",
    "HourlyLimiter",
    "Key",
    "Lease",
    "LedgerReader",
    "Pace",
    "PaceLimits",
    "Permits",
    "Principal",
    "QueueColumns",
    "RowId",
    "Scope",
    "Spending",
    "Tier",
    "WorkQueue",
    "WorkState",
    "authenticate",
    "cached_refinements",
    "create_key",
    "database_url",
    "downgrade",
    "draw_permits",
    "grant_tier",
    "head_revision",
    "iso_moment",
    "keep_refinement",
    "kept_reply",
    "list_audit",
    "list_grants",
    "list_keys",
    "now_ms",
    "open_ledger",
    "pace_of",
    "read_ledger",
    "record_audit",
    "report_refusal",
    "require_empty",
    "revision_of",
    "revoke_grant",
    "revoke_key",
    "spend",
    "spending",
    "tier_of",
    "upgrade",
    "write_ledger",
]
