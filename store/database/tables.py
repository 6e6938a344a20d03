"""Defines the tables of the run database. A change here needs a migration step in `database.py`."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


runs = Table(
    "runs",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(64), nullable=False, unique=True),
    Column("root", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("version", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("exit_reason", String(64), nullable=True),
    Column("exit_code", Integer, nullable=True),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float, nullable=True),
    Column("finished_at", Float, nullable=True),
    Column("resumed", Integer, nullable=False),
    Column("spent", JSON, nullable=False),
    sqlite_autoincrement=True,
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("artifact_id", String(36), nullable=False, unique=True),
    Column("run_id", String(64), ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(64), nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("content", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Index("ix_artifacts_run_id_kind", "run_id", "kind"),
    sqlite_autoincrement=True,
)

answers = Table(
    "answers",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String(64), ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("role", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("prompt_hash", String(64), nullable=False),
    Column("answer", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("run_id", "role", "attempt", "prompt_hash"),
    sqlite_autoincrement=True,
)
