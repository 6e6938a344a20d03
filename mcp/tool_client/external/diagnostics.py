"""Collects what explains a server's failure: its last lines of stderr, invalid output on stdout, its exit code."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

_MAX_LINES = 12
_MAX_LINE_BYTES = 400
_MAX_INVALID_LINES = 1000


@dataclass
class ServerDiagnostics:
    """Diagnostics of one connection, filled in by its transport; bounded, however much a server writes.

    Attributes:
        exit_code: of the process; None while it runs, and for a URL.
        status: the last HTTP error status, or None.
        broken: why the transport closed the connection, or "".
        invalid_lines: how many lines of stdout were no messages.
    """

    exit_code: int | None = None
    status: int | None = None
    broken: str = ""
    invalid_lines: int = 0
    first_invalid_line: str = ""
    _stderr: deque[str] = field(default_factory=lambda: deque(maxlen=_MAX_LINES))

    def add_stderr(self, line: bytes) -> None:
        """Records a line of stderr."""
        text = line[:_MAX_LINE_BYTES].decode("utf-8", "replace").strip()
        if text:
            self._stderr.append(text)

    def add_invalid_line(self, line: bytes) -> bool:
        """Records a line of stdout that is no message, and returns whether there were too many."""
        self.invalid_lines += 1
        if not self.first_invalid_line:
            self.first_invalid_line = line[:_MAX_LINE_BYTES].decode("utf-8", "replace").strip()
        return self.invalid_lines > _MAX_INVALID_LINES

    def describe(self) -> str:
        """Renders all of it as one text, which must be cleaned before it is shown."""
        parts: list[str] = []
        if self.broken:
            parts.append(self.broken)
        if self.status is not None:
            parts.append(f"it answered with HTTP status {self.status}")
        if self.exit_code is not None:
            how = f"code {self.exit_code}" if self.exit_code >= 0 else f"signal {-self.exit_code}"
            parts.append(f"its process ended with {how}")
        if self.invalid_lines:
            parts.append(
                f"{self.invalid_lines} lines of its stdout are no messages, the first is {self.first_invalid_line!r}"
            )
        if self._stderr:
            parts.append("its stderr ends with:\n" + "\n".join(self._stderr))
        return "; ".join(parts)
