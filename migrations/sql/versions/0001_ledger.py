"""Keys, grants, audit, attempts, hourly counts, paces, refinements."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the ledger's own tables."""
    op.create_table(
        "keys",
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("scopes", sa.String(200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("prefix", name="pk_keys"),
    )
    op.create_table(
        "grants",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("key_prefix", sa.String(16), nullable=False),
        sa.Column("task_set", sa.String(200), nullable=False),
        sa.Column("tier", sa.String(16), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.String(32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.CheckConstraint("tier IN ('browse', 'full')", name="ck_grants_tier"),
        sa.ForeignKeyConstraint(["key_prefix"], ["keys.prefix"], name="fk_grants_key_prefix_keys"),
        sa.PrimaryKeyConstraint("id", name="pk_grants"),
    )
    op.create_index("ix_grants_key_prefix", "grants", ["key_prefix"])
    op.create_table(
        "audit",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(32), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("detail_json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_action", "audit", ["action"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("purpose", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("request_digest", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("milliseconds", sa.Integer()),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("http_status", sa.Integer()),
        sa.Column("finish_reason", sa.String(64)),
        sa.Column("prompt_tokens", sa.Integer()),
        sa.Column("completion_tokens", sa.Integer()),
        sa.Column("reasoning_tokens", sa.Integer()),
        sa.Column("cost_nano", sa.BigInteger()),
        sa.Column("currency", sa.String(8)),
        sa.Column("reply", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
    )
    op.create_index("ix_attempts_purpose_subject", "attempts", ["purpose", "subject"])
    op.create_index("ix_attempts_model_started_at", "attempts", ["model", "started_at"])
    op.create_table(
        "hourly_counts",
        sa.Column("subject", sa.String(100), nullable=False),
        sa.Column("limit_name", sa.String(64), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "limit_name", "hour", name="pk_hourly_counts"),
    )
    op.create_table(
        "paces",
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("rate", sa.Float(53), nullable=False),
        sa.Column("tokens", sa.Float(53), nullable=False),
        sa.Column("ceiling", sa.Float(53)),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("lowered_at", sa.BigInteger(), nullable=False),
        sa.Column("paused_until", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("denied", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model", name="pk_paces"),
    )
    op.create_table(
        "refinements",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("prompt_version", sa.String(64), nullable=False),
        sa.Column("pair", sa.String(300), nullable=False),
        sa.Column("value_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_refinements"),
    )
    op.create_index("ix_refinements_pair", "refinements", ["pair"])


def downgrade() -> None:
    """Drop them, with all that they hold."""
    for table in ("refinements", "paces", "hourly_counts", "attempts", "audit", "grants", "keys"):
        op.drop_table(table)
