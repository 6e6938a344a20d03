"""What a server did beside answering: its last lines of stderr, what it wrote on stdout that is no message, its end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

_LINES = 12
_LINE_BYTES = 400
_MOST_JUNK = 1000


@dataclass
class Journal:
    """Filled in by a transport; bounded, however much a server writes.

    Attributes:
        exit_code: how the process ended; None while it runs, and for a URL.
        status: the last HTTP status that was an error; None for none.
        broken: why the transport gave the connection up, or "".
    """

    exit_code: int | None = None
    status: int | None = None
    broken: str = ""
    junk: int = 0
    first_junk: str = ""
    _stderr: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))

    def wrote(self, line: bytes) -> None:
        """Note a line of stderr."""
        text = line[:_LINE_BYTES].decode("utf-8", "replace").strip()
        if text:
            self._stderr.append(text)

    def noise(self, line: bytes) -> bool:
        """Note a line of stdout that is no message; the answer is whether there have been too many."""
        self.junk += 1
        if not self.first_junk:
            self.first_junk = line[:_LINE_BYTES].decode("utf-8", "replace").strip()
        return self.junk > _MOST_JUNK

    def told(self) -> str:
        """All of it, in one text; it is not yet fit to be shown."""
        parts: list[str] = []
        if self.broken:
            parts.append(self.broken)
        if self.status is not None:
            parts.append(f"it answered with HTTP status {self.status}")
        if self.exit_code is not None:
            how = f"code {self.exit_code}" if self.exit_code >= 0 else f"signal {-self.exit_code}"
            parts.append(f"its process ended with {how}")
        if self.junk:
            parts.append(f"{self.junk} lines of its stdout are no messages, the first is {self.first_junk!r}")
        if self._stderr:
            parts.append("its stderr ends with:\n" + "\n".join(self._stderr))
        return "; ".join(parts)
