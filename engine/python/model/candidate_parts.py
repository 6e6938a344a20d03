"""Puts candidates together, and limits how many there are."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Candidate


def distinct(candidates: list[Candidate], limit: int) -> list[Candidate]:
    """The first `limit` candidates, without two of the same text."""
    found: dict[str, Candidate] = {}
    for candidate in candidates:
        found.setdefault(candidate.source, candidate)
    return list(found.values())[:limit]


def combined(source: str, parts: Iterable[Candidate], imports: Iterable[str] = ()) -> Candidate:
    """An expression made of several candidates, with everything that all of them need; `imports` come first."""
    parts = list(parts)
    return Candidate(
        source=source,
        imports=tuple(dict.fromkeys((*imports, *(text for part in parts for text in part.imports)))),
        arrange=tuple(dict.fromkeys(text for part in parts for text in part.arrange)),
        fixtures=tuple(dict.fromkeys(text for part in parts for text in part.fixtures)),
    )
