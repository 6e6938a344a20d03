"""Refuses SQLite files whose schema computes: a file of a clone could run endlessly, or answer what nobody stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable

SAFE_SCHEMA = "PRAGMA trusted_schema = OFF"
SCHEMA_QUERY = """
SELECT type, name, sql, EXISTS (SELECT 1 FROM pragma_table_xinfo(entries.name) WHERE hidden <> 0)
FROM sqlite_master AS entries WHERE type <> 'index'
"""
"""Rows for `schema_refusal`; reading them executes nothing that the schema defines."""


def schema_refusal(rows: Iterable[tuple[str, str, str, int]], tables: Collection[str] | None = None) -> str:
    """Why a file with these rows of `SCHEMA_QUERY` must not be used; empty for one that only stores.

    Args:
        tables: names of the tables that it may have; any where None. SQLite's own always may be there.
    """
    for kind, name, sql, has_hidden in rows:
        if kind != "table":
            return f"it has a {kind}, {name!r}"
        if has_hidden or not str(sql).upper().startswith("CREATE TABLE"):
            return f"its table {name!r} computes values"
        if tables is not None and name not in tables and not name.startswith("sqlite_"):
            return f"it has a table of others, {name!r}"
    return ""
