"""Task sets: fabulas, chains, instantiations, reviews."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of task sets."""
    op.create_table(
        "task_sets",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.String(64), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("corpus", sa.String(100), nullable=False),
        sa.Column("corpus_version", sa.String(12), nullable=False),
        sa.Column("licence", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("canary", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64)),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("frozen_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_task_sets"),
        sa.UniqueConstraint("key", "version", name="uq_task_sets_key_version"),
    )
    op.create_table(
        "fabulas",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("task_set_id", _ROW_ID, nullable=False),
        sa.Column("fabula_id", sa.String(100), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("depth", sa.String(16), nullable=False),
        sa.Column("branch", sa.String(64)),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("record_json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fabulas"),
        sa.ForeignKeyConstraint(["task_set_id"], ["task_sets.id"], name="fk_fabulas_task_set_id_task_sets"),
        sa.UniqueConstraint("task_set_id", "fabula_id", name="uq_fabulas_task_set_id_fabula_id"),
    )
    op.create_index("ix_fabulas_task_set_id_place", "fabulas", ["task_set_id", "place"])
    op.create_index("ix_fabulas_fabula_id", "fabulas", ["fabula_id"])
    op.create_table(
        "task_chains",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("task_set_id", _ROW_ID, nullable=False),
        sa.Column("chain", sa.String(64), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("chain_json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_task_chains"),
        sa.ForeignKeyConstraint(["task_set_id"], ["task_sets.id"], name="fk_task_chains_task_set_id_task_sets"),
        sa.UniqueConstraint("task_set_id", "chain", name="uq_task_chains_task_set_id_chain"),
    )
    op.create_table(
        "instantiations",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("chain", sa.String(64), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("subject", sa.String(100), nullable=False),
        sa.Column("prompt_version", sa.String(64), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("value_json", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_instantiations"),
        sa.CheckConstraint("stage IN ('write', 'validate')", name="ck_instantiations_stage"),
    )
    op.create_index("ix_instantiations_chain_stage", "instantiations", ["chain", "stage"])
    op.create_table(
        "reviews",
        sa.Column("id", _ROW_ID, nullable=False),
        sa.Column("task_set_id", _ROW_ID, nullable=False),
        sa.Column("fabula_id", sa.String(100), nullable=False),
        sa.Column("reviewer", sa.String(100), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("checks_json", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
        sa.ForeignKeyConstraint(["task_set_id"], ["task_sets.id"], name="fk_reviews_task_set_id_task_sets"),
        sa.CheckConstraint("verdict IN ('approve', 'reject')", name="ck_reviews_verdict"),
    )
    op.create_index("ix_reviews_task_set_id_fabula_id", "reviews", ["task_set_id", "fabula_id"])


def downgrade() -> None:
    """Drop them, with all that they hold."""
    for table in ("reviews", "instantiations", "task_chains", "fabulas", "task_sets"):
        op.drop_table(table)
