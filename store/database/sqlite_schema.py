"""Refuses SQLite files of a clone that do more than store: schemas that compute, journals that delete other files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from ...utils.untrusted_files import open_regular

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


JOURNALS = ("-journal", "-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database."""

_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a rollback journal that names a super-journal (SQLite's file format, "The Rollback Journal")."""


def journal_refusal(path: Path) -> str:
    """Why a database must not be opened with the files beside it; empty where it may.

    SQLite rolls back what it finds in a journal, and then deletes the file that the journal names as its super-journal,
    anywhere. Databases of testwright are never part of a transaction over several files, so none of its journals names
    one. What is no regular file would be waited for.
    """
    for ending in JOURNALS:
        name = path.name + ending
        try:
            with open_regular(path.parent, name) as beside:
                size = os.fstat(beside.fileno()).st_size
                beside.seek(max(0, size - len(_SUPER_JOURNAL)))
                if ending == "-journal" and beside.read(len(_SUPER_JOURNAL)) == _SUPER_JOURNAL:
                    return f"{name} beside it names a file of another place, which SQLite would delete"
        except FileNotFoundError:
            continue
        except OSError as fault:
            return f"{name} beside it is no file to be read: {fault.strerror}"
    return ""
