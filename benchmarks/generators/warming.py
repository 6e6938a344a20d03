"""One run of each generator that is not measured: the first program of a kind reads its files from a cold disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .commands import PreparationError
from .corpus import Subject
from .sources import Source
from .tools.generated import Terms, Tool

_SECONDS = 2
_MODULE = '''"""Things that are counted."""


class Counter:
    """How often each thing was seen.

    >>> counter = Counter()
    >>> counter.see("a")
    1
    """

    def __init__(self, limit: int = 10) -> None:
        self.limit = limit
        self.seen: dict[str, int] = {}

    def see(self, name: str) -> int:
        """Count one more of a thing. Raises ValueError above the limit."""
        count = self.seen.get(name, 0) + 1
        if count > self.limit:
            raise ValueError(f"too many of {name}")
        self.seen[name] = count
        return count


def parity(number: int) -> str:
    """Even or odd."""
    return "odd" if number % 2 else "even"
'''


def warm(tools: Iterable[Tool], terms: Terms) -> None:
    """Run each generator once, quickly, on a module of our own; what comes of it is of no matter."""
    terms = replace(terms, work=terms.work / "warming", seconds=min(_SECONDS, terms.seconds))
    root = terms.work / "project"
    root.mkdir(parents=True, exist_ok=True)
    (root / "counted.py").write_text(_MODULE)
    source = Source(Subject("counted", "1.0", "counted"), root, "counted.py", ".", "")
    for tool in tools:
        try:
            tool.generate(source, terms)
        except PreparationError:
            continue  # told with the first module
