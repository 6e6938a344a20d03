"""Code that works on a SQLite database gets one in memory or below tmp_path, made by the project's schema (B-11)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import files
from testwright.tests.support.engine.written_tests import written_spec
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output

USERS = '''
import sqlite3
from dataclasses import dataclass

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    email TEXT,
    active INTEGER NOT NULL DEFAULT 1
);
"""


@dataclass
class User:
    """One user."""

    id: int
    name: str
    email: str | None


def create_schema(connection: sqlite3.Connection) -> None:
    """Create the tables."""
    connection.executescript(SCHEMA)


def add_user(connection: sqlite3.Connection, name: str) -> int:
    """Add a user and return the new id.

    Raises:
        ValueError: the name is taken.
    """
    try:
        cursor = connection.execute("INSERT INTO users (name) VALUES (?)", (name,))
    except sqlite3.IntegrityError as error:
        raise ValueError(f"the name {name} is taken") from error
    connection.commit()
    return cursor.lastrowid


def find_user(connection: sqlite3.Connection, name: str) -> User | None:
    """Return the user of a name, None where there is none."""
    row = connection.execute("SELECT id, name, email FROM users WHERE name = ?", (name,)).fetchone()
    return User(*row) if row else None


def deactivate(connection: sqlite3.Connection, name: str) -> bool:
    """Deactivate a user; return whether there was one."""
    cursor = connection.execute("UPDATE users SET active = 0 WHERE name = ?", (name,))
    connection.commit()
    return cursor.rowcount > 0


class Settings:
    """Keeps settings in a database file."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.connection.execute("CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT)")

    def set(self, key: str, value: str) -> None:
        """Set a value."""
        self.connection.execute("REPLACE INTO settings VALUES (?, ?)", (key, value))
        self.connection.commit()

    def keys(self) -> list[str]:
        """Return all keys, sorted."""
        return [key for (key,) in self.connection.execute("SELECT key FROM settings ORDER BY key")]

    def close(self) -> None:
        """Close the database."""
        self.connection.close()
'''


@pytest.mark.feature("B-11")
def test_rows_of_a_database_in_memory_are_what_is_asserted(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, USERS, trials=500)
    text = render(spec, "pytest")
    assert [one["subject"] for one in spec["not_reached"]] == ["Settings.close"]
    assert text.count("def filled_database(request):") == 1
    assert "connection = filled_database(request)" in text
    assert re.search(r'result == User\(id=\d, name="(Ann|Bob)", email="(ann|bob)@example.org"\)', text)
    assert re.search(r'pytest.raises\(ValueError, match="the name (Ann|Bob) is taken"\)', text)
    assert 'connection.execute("SELECT * FROM users").fetchall() == [' in text
    assert 'Settings(tmp_path / "records.db")' in text
    assert "request.addfinalizer(settings.close)" in text
    assert 'settings.connection.execute("SELECT * FROM settings").fetchall() ==' in text
    root = make_project(tmp_path / "elsewhere", {**files(USERS), "tests/test_written.py": text})
    assert "passed" in pytest_output(root)


@pytest.mark.feature("B-11")
def test_unittest_says_that_only_pytest_has_such_tests(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, USERS, framework="unittest", trials=60)
    reasons = {one["subject"]: one["reason"] for one in spec["not_reached"]}
    assert "only tests for pytest do" in reasons["find_user"]
