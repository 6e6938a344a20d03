"""Creates the tables of the run database, and refuses a database that a newer version wrote.

The schema version is SQLite's `PRAGMA user_version`. A later schema adds its own step here: from version N to N + 1.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

from ...core.errors import StateVersionError
from . import tables

SCHEMA_VERSION = 1

# Early databases recorded their version in Alembic's table; its only revision has the tables of version 1.
_ALEMBIC_REVISIONS = {"0001": 1}


def is_current(connection: Connection) -> bool:
    """Whether the database has the tables of this version.

    Raises:
        StateVersionError: a newer version wrote the database.
        DatabaseError: it cannot be read.
    """
    version = connection.execute(text("PRAGMA user_version")).scalar_one()
    if version == 0 and connection.dialect.has_table(connection, "alembic_version"):
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        version = _ALEMBIC_REVISIONS.get(str(revision), revision)
    if version not in (0, SCHEMA_VERSION):
        raise StateVersionError(
            f"The run database has schema version {version}, which this version of testwright does not know.",
            advice="Upgrade testwright, or give another folder with --state-dir. The database was left as it is.",
            details={"revision": str(version), "known": str(SCHEMA_VERSION)},
        )
    return version == SCHEMA_VERSION


def create_tables(connection: Connection) -> None:
    """Create the missing tables and record the schema version, in the connection's transaction.

    Raises:
        DatabaseError: the database cannot be read or written, or the disk is full.
    """
    tables.metadata.create_all(connection)
    connection.execute(text(f"PRAGMA user_version = {SCHEMA_VERSION}"))
