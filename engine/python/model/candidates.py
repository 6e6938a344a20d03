"""Source text for one value, with what it needs around it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression for a value.

    Attributes:
        imports: import statements the expression and `arrange` need.
        arrange: statements that must run before it.
        fixtures: names the runner provides.
        origin: where it came from, as in `Trial.source`.
    """

    source: str
    imports: tuple[str, ...] = ()
    arrange: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()
    origin: str = "signature"


def distinct(candidates: list[Candidate], limit: int) -> list[Candidate]:
    """The first `limit` candidates, without two of the same text."""
    found: dict[str, Candidate] = {}
    for one in candidates:
        found.setdefault(one.source, one)
    return list(found.values())[:limit]
