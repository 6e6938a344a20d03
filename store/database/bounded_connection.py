"""A connection to SQLite whose statements cost bounded time and space, whatever the file holds.

Pages of a hostile file may lead to each other, so that a table has more rows than anybody can read.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable
from typing import Any

TRANSACTION_SECONDS = 20.0
"""The most that one transaction or statement computes; ours take milliseconds, and hostile ones never end."""
MOST_VALUE_BYTES = 64 << 20
MOST_PAGES = 1 << 20
STEPS = 10_000
"""Steps of SQLite's machine between two looks at the clock."""
_MOST_RESULT_BYTES = 256 << 20
_ROW_BYTES = 100


class BoundedConnection(sqlite3.Connection):
    """Gives each statement a time to compute, each value a length, and what one statement returns a size.

    The time that a caller spends between rows does not count.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline = math.inf
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
        self.set_progress_handler(lambda: time.monotonic() > self._deadline, STEPS)

    def begin(self, spent: float) -> None:
        """A statement begins, or its next row is read, after so many seconds that it has computed."""
        self._deadline = time.monotonic() + TRANSACTION_SECONDS - spent

    def cursor(self, factory: Callable[..., Any] | None = None) -> Any:
        """A cursor with the same bounds."""
        return super().cursor(factory or _BoundedCursor)

    # The driver's own forms of these pass by the methods of the cursor.
    def execute(self, *given: Any) -> Any:
        """Execute a statement by a bounded cursor."""
        return self.cursor().execute(*given)

    def executemany(self, *given: Any) -> Any:
        """Execute a statement for each row by a bounded cursor."""
        return self.cursor().executemany(*given)

    def executescript(self, *given: Any) -> Any:
        """Execute statements by a bounded cursor."""
        return self.cursor().executescript(*given)


class _BoundedCursor(sqlite3.Cursor):
    def execute(self, *given: Any) -> Any:
        self._begin()
        return super().execute(*given)

    def executemany(self, *given: Any) -> Any:
        self._begin()
        return super().executemany(*given)

    def executescript(self, *given: Any) -> Any:
        self._begin()
        return super().executescript(*given)

    def __next__(self) -> Any:
        if self._spent > TRANSACTION_SECONDS:
            raise _interrupted()
        begun = time.monotonic()
        self._go_on()
        try:
            return self._counted(super().__next__())
        finally:
            self._spent += time.monotonic() - begun

    def fetchone(self) -> Any:
        return next(self, None)

    def fetchmany(self, size: int | None = None) -> list[Any]:
        rows: list[Any] = []
        for row in self:
            rows.append(row)
            if len(rows) >= (size or self.arraysize):
                break
        return rows

    def fetchall(self) -> list[Any]:
        return list(self)

    def _begin(self) -> None:
        self._left = _MOST_RESULT_BYTES
        self._spent = 0.0
        self._go_on()

    def _go_on(self) -> None:
        assert isinstance(self.connection, BoundedConnection)
        self.connection.begin(self._spent)

    def _counted(self, row: Any) -> Any:
        self._left -= _ROW_BYTES + sum(map(_length, row))
        if self._left < 0:
            raise _interrupted()
        return row


def _length(value: Any) -> int:
    """The bytes of a text or of bytes; 0 for another value, whose row is counted."""
    if isinstance(value, str) and not value.isascii():
        return len(value.encode(errors="surrogatepass"))
    return len(value) if isinstance(value, str | bytes) else 0


def _interrupted() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("interrupted")
    error.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
    return error
