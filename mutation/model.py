"""Defines a mutant: plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change of one file.

    Attributes:
        operator: name of the kind of change.
        path: POSIX, relative to the project.
        line: of the change, counted from 1.
        lines: the lines by which coverage knows it: its own, and the first one of its statement.
        start, end: the replaced part, as offsets into the UTF-8 form of the decoded source.
        before, after: the changed line or lines, without what surrounds them.
        rule: why it looks equivalent to the original, else None.
    """

    operator: str
    path: str
    line: int
    lines: tuple[int, ...]
    start: int
    end: int
    replacement: str
    before: str
    after: str
    rule: str | None = None
