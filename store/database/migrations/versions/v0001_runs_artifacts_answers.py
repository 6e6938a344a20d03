"""Runs, their artifacts (A-04), and the model answers that are never paid for twice (B-08)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _json() -> sa.JSON:
    return sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "runs",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("settings", _json(), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("exit_reason", sa.String(64), nullable=True),
        sa.Column("exit_code", sa.Integer, nullable=True),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("started_at", sa.Float, nullable=True),
        sa.Column("finished_at", sa.Float, nullable=True),
        sa.Column("resumed", sa.Integer, nullable=False),
        sa.Column("spent", _json(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_runs"),
        sa.UniqueConstraint("run_id", name="uq_runs_run_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "artifacts",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("artifact_id", sa.String(36), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("content", _json(), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_artifacts"),
        sa.UniqueConstraint("artifact_id", name="uq_artifacts_artifact_id"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_artifacts_run_id", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_artifacts_run_id_kind", "artifacts", ["run_id", "kind"])
    op.create_table(
        "answers",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("role", sa.String(64), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("prompt_hash", sa.String(64), nullable=False),
        sa.Column("answer", _json(), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_answers"),
        sa.UniqueConstraint("run_id", "role", "attempt", "prompt_hash", name="uq_answers_run_id"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_answers_run_id", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("answers")
    op.drop_table("artifacts")
    op.drop_table("runs")
