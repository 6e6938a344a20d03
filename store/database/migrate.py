"""Bringing the run database to the newest revision."""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Connection, text

from ...core.errors import StateVersionError
from . import tables

_ALEMBIC = threading.Lock()  # Alembic keeps the running migration in module globals: one at a time per process


def is_current(connection: Connection) -> bool:
    """Whether nothing is to be done; answers without loading Alembic."""
    return revision_of(connection) == tables.HEAD


def revision_of(connection: Connection) -> str | None:
    """The database's revision, None for an empty one. Raises DatabaseError when it does not read."""
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def make(connection: Connection) -> None:
    """Make the tables of an empty database as the migrations would, without loading Alembic."""
    tables.metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": tables.HEAD})


def is_empty(connection: Connection) -> bool:
    """Whether there is no table in it yet. Raises DatabaseError when it does not read."""
    return not connection.dialect.get_table_names(connection)


def migrate(connection: Connection) -> None:
    """Run the missing migrations inside the connection's transaction.

    Raises:
        StateVersionError: the database was written by a newer version of testwright.
        DatabaseError: it does not read, or there is no space.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    config.attributes["metadata"] = tables.metadata
    with _ALEMBIC:
        found = revision_of(connection)
        try:
            if found is not None:
                ScriptDirectory.from_config(config).get_revision(found)
            command.upgrade(config, "head")
        except CommandError as error:
            raise StateVersionError(
                f"The run database is of revision {found}, which this version of testwright does not know.",
                advice="Upgrade testwright, or give another folder with --state-dir. The database was left as it is.",
                details={"revision": str(found), "known": tables.HEAD},
            ) from error
