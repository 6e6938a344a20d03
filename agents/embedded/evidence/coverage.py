"""Counts for each name of a target what speaks of it: code, documents, tests, values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...evidence.model import Evidence

EXPLICIT = frozenset({"document", "test", "api"})
"""Sources that say what is right, besides the code that only says what is."""


@dataclass(frozen=True, slots=True)
class NameCoverage:
    """What speaks of a target's names.

    Attributes:
        names: all of them, in order.
        in_code, explained, shown: those with code, with a document, test or API description, and with values.
    """

    names: tuple[str, ...]
    in_code: frozenset[str]
    explained: frozenset[str]
    shown: frozenset[str]

    def share(self, of: Iterable[str]) -> float:
        """How many of the names are among these, 0 to 1; of no names none."""
        return len(frozenset(of)) / len(self.names) if self.names else 0.0

    @property
    def unexplained(self) -> list[str]:
        """Names that nothing besides the code speaks of, in order."""
        return [name for name in self.names if name not in self.explained | self.shown]


def coverage_of(names: Sequence[str], evidence: Sequence[Evidence]) -> NameCoverage:
    """Count what speaks of each name."""
    code = [piece.text for piece in evidence if piece.kind == "code"]
    explicit = [piece.text for piece in evidence if piece.kind in EXPLICIT]
    shown = {example.about for piece in evidence for example in piece.examples}
    return NameCoverage(
        tuple(names),
        frozenset(name for name in names if _is_named(name, code)),
        frozenset(name for name in names if _is_named(name, explicit)),
        frozenset(name for name in names if name in shown),
    )


def _is_named(name: str, texts: Iterable[str]) -> bool:
    pattern = re.compile(rf"(?<![\w/]){re.escape(name)}(?!\w)")
    return any(pattern.search(text) for text in texts)
