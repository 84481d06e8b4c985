"""Judge profiles, runs, submissions, scores, judgements, frozen boards."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of runs."""
    op.create_table(
        "judge_profiles",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("body_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_judge_profiles"),
        sa.UniqueConstraint("name", name="uq_judge_profiles_name"),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("benchmark", sa.String(40), nullable=False),
        sa.Column("task_set", sa.String(200), nullable=False),
        sa.Column("corpus", sa.String(100), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("participant", sa.String(200), nullable=False),
        sa.Column("model_id", sa.String(200), nullable=False),
        sa.Column("conditions_json", sa.Text(), nullable=False),
        sa.Column("settings_json", sa.Text(), nullable=False),
        sa.Column("modes", sa.String(40), nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("partial", sa.Boolean(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("score_fingerprint", sa.String(80), nullable=False),
        sa.Column("score_facts_json", sa.Text(), nullable=False),
        sa.Column("profile_id", ROW_ID),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("published_at", sa.BigInteger()),
        sa.Column("withdrawn_at", sa.BigInteger()),
        sa.Column("withdrawn_why", sa.Text()),
        sa.ForeignKeyConstraint(["profile_id"], ["judge_profiles.id"], name="fk_runs_profile_id_judge_profiles"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_benchmark", "runs", ["benchmark"])
    op.create_index("ix_runs_fingerprint", "runs", ["fingerprint"])
    op.create_index("ix_runs_owner", "runs", ["owner"])
    op.create_index("ix_runs_score_fingerprint", "runs", ["score_fingerprint"])
    op.create_table(
        "run_items",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("task_id", sa.String(200), nullable=False),
        sa.Column("fabula_id", sa.String(200), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("task_type", sa.String(40), nullable=False),
        sa.Column("depth", sa.String(16), nullable=False),
        sa.Column("branch", sa.String(40), nullable=False),
        sa.Column("act", sa.String(60), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger()),
        sa.Column("worker", sa.String(100)),
        sa.Column("reason", sa.Text()),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_items_run_id_runs"),
        sa.PrimaryKeyConstraint("id", name="pk_run_items"),
        sa.UniqueConstraint("run_id", "task_id", name="uq_run_items_run_id_task_id"),
    )
    op.create_index("ix_run_items_run_id_state_id", "run_items", ["run_id", "state", "id"])
    op.create_index("ix_run_items_state_id", "run_items", ["state", "id"])
    op.create_index("ix_run_items_state_leased_until", "run_items", ["state", "leased_until"])
    op.create_table(
        "submissions",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("item_id", ROW_ID, nullable=False),
        sa.Column("attempt_key", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("outcome", sa.String(24), nullable=False),
        sa.Column("repeat", sa.Integer()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.String(64)),
        sa.Column("usage_json", sa.Text()),
        sa.Column("latency_ms", sa.BigInteger()),
        sa.Column("provider_id", sa.String(200)),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger()),
        sa.Column("worker", sa.String(100)),
        sa.Column("reason", sa.Text()),
        sa.ForeignKeyConstraint(["item_id"], ["run_items.id"], name="fk_submissions_item_id_run_items"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_submissions_run_id_runs"),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint("item_id", "repeat", name="uq_submissions_item_id_repeat"),
        sa.UniqueConstraint("run_id", "attempt_key", name="uq_submissions_run_id_attempt_key"),
    )
    op.create_index("ix_submissions_run_id_id", "submissions", ["run_id", "id"])
    op.create_index("ix_submissions_state_id", "submissions", ["state", "id"])
    op.create_index("ix_submissions_state_leased_until", "submissions", ["state", "leased_until"])
    op.create_table(
        "scores",
        sa.Column("submission_id", ROW_ID, nullable=False),
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("item_id", ROW_ID, nullable=False),
        sa.Column("zero", sa.String(24)),
        sa.Column("keys_json", sa.Text(), nullable=False),
        sa.Column("known_json", sa.Text(), nullable=False),
        sa.Column("reading_json", sa.Text(), nullable=False),
        sa.Column("details_json", sa.Text(), nullable=False),
        sa.Column("components_json", sa.Text(), nullable=False),
        sa.Column("final", sa.Float(53)),
        sa.Column("reason", sa.Text()),
        sa.Column("error", sa.String(40)),
        sa.ForeignKeyConstraint(["item_id"], ["run_items.id"], name="fk_scores_item_id_run_items"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_scores_run_id_runs"),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_scores_submission_id_submissions"),
        sa.PrimaryKeyConstraint("submission_id", name="pk_scores"),
    )
    op.create_index("ix_scores_run_id_item_id", "scores", ["run_id", "item_id"])
    op.create_table(
        "judgements",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("submission_id", ROW_ID, nullable=False),
        sa.Column("item_key", sa.String(40), nullable=False),
        sa.Column("profile_id", ROW_ID, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("value", sa.Float(53)),
        sa.Column("words", sa.Text()),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger()),
        sa.Column("worker", sa.String(100)),
        sa.Column("reason", sa.Text()),
        sa.ForeignKeyConstraint(["profile_id"], ["judge_profiles.id"], name="fk_judgements_profile_id_judge_profiles"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_judgements_run_id_runs"),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name="fk_judgements_submission_id_submissions"),
        sa.PrimaryKeyConstraint("id", name="pk_judgements"),
        sa.UniqueConstraint(
            "submission_id",
            "item_key",
            "profile_id",
            "repeat",
            name="uq_judgements_submission_id_item_key_profile_id_repeat",
        ),
    )
    op.create_index("ix_judgements_run_id_state", "judgements", ["run_id", "state"])
    op.create_index("ix_judgements_state_attempts", "judgements", ["state", "attempts"])
    op.create_index("ix_judgements_state_id", "judgements", ["state", "id"])
    op.create_index("ix_judgements_state_leased_until", "judgements", ["state", "leased_until"])
    op.create_table(
        "verdict_log",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("judgement_id", ROW_ID, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.String(100), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("value", sa.Float(53)),
        sa.Column("reply", sa.Text()),
        sa.Column("failure", sa.Text()),
        sa.ForeignKeyConstraint(["judgement_id"], ["judgements.id"], name="fk_verdict_log_judgement_id_judgements"),
        sa.PrimaryKeyConstraint("id", name="pk_verdict_log"),
    )
    op.create_index("ix_verdict_log_judgement_id", "verdict_log", ["judgement_id"])
    op.create_table(
        "boards",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("benchmark", sa.String(40), nullable=False),
        sa.Column("body_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_boards"),
    )


def downgrade() -> None:
    """Drop them, with all that they hold."""
    for table in (
        "boards",
        "verdict_log",
        "judgements",
        "scores",
        "submissions",
        "run_items",
        "runs",
        "judge_profiles",
    ):
        op.drop_table(table)
