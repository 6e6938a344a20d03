"""What a statement on a file of others may cost, however many rows it has."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from testwright.store.database import bounded_connection
from testwright.store.database.bounded_connection import BoundedConnection

# Each row is counted for by itself.
SLOW_ROWS = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 500)
SELECT (WITH RECURSIVE inner(m) AS (SELECT n UNION ALL SELECT m + 1 FROM inner LIMIT 20000) SELECT max(m) FROM inner)
FROM numbers
"""


def test_many_rows_that_are_each_fast_enough_cost_no_more_than_one_statement_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_connection, "TRANSACTION_SECONDS", 0.1)
    with closing(sqlite3.connect(":memory:", factory=BoundedConnection)) as connection:
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute(SLOW_ROWS).fetchall()
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_what_a_statement_returns_is_counted_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_connection, "_MOST_RESULT_BYTES", 1000)
    with closing(sqlite3.connect(":memory:", factory=BoundedConnection)) as connection:
        assert connection.execute("SELECT ?", ("e" * 600,)).fetchone()
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            connection.execute("SELECT ?", ("é" * 600,)).fetchone()
