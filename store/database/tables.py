"""Defines the tables of the run database. A change here needs a migration step in `sqlite.py` and `postgres_schema.py`.

JSON objects are stored as they are: an artifact's id is a digest of its content, which is handed on verbatim. SQLite's
JSON is text. PostgreSQL's JSONB keeps neither the order of keys nor 1e22 or -0.0, and takes no text with a NUL or half
a surrogate pair; so the object is there to be queried, and its key `verbatim` has its text, which is what is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from ...utils.outgoing_text import valid_text

VERBATIM = "verbatim"


class JsonObject(TypeDecorator[Mapping[str, Any]]):
    """A JSON object that comes back as it was stored, see above."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """JSONB in PostgreSQL."""
        if dialect.name != "postgresql":
            return dialect.type_descriptor(JSON())
        # The package has all its drivers, which a store in SQLite need not load.
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB())

    def process_bind_param(self, value: Mapping[str, Any] | None, dialect: Dialect) -> Any:
        """The object, in PostgreSQL in the form that JSONB takes, and with its text."""
        if value is None or dialect.name != "postgresql":
            return value
        return {**_queryable(value), VERBATIM: json.dumps(value)}

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The object as stored. Raises ValueError for one that was not stored here."""
        return value if dialect.name != "postgresql" else json.loads(_verbatim(value))


class JsonText(TypeDecorator[str]):
    """The text of a `JsonObject`, for who decodes it himself."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The text as stored. Raises ValueError for one that was not stored here."""
        return value if dialect.name != "postgresql" else _verbatim(value)


def _verbatim(value: Any) -> str:
    text = value.get(VERBATIM) if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""  # which parses as nothing


def _queryable(value: Any) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Mapping):
        return {storable_text(str(key)): _queryable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_queryable(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def storable_text(text: str) -> str:
    """The text as every database takes it: NUL and lone surrogates are visible escapes."""
    return valid_text(text).replace("\0", "\\x00")


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
    Column("settings", JsonObject, nullable=False),
    Column("version", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("exit_reason", String(64), nullable=True),
    Column("exit_code", Integer, nullable=True),
    Column("created_at", Float, nullable=False),
    Column("started_at", Float, nullable=True),
    Column("finished_at", Float, nullable=True),
    Column("resumed", Integer, nullable=False),
    Column("spent", JsonObject, nullable=False),
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
    Column("content", JsonObject, nullable=False),
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
    Column("answer", JsonObject, nullable=False),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("run_id", "role", "attempt", "prompt_hash"),
    sqlite_autoincrement=True,
)
