"""Renders pieces of evidence for a model, numbered, within a limit."""

from __future__ import annotations

from collections.abc import Sequence

from ...evidence.model import Evidence
from ..prompt import data

_MOST = 16_000
"""Characters of all sources together, about 4,000 tokens."""
_EACH = 1_200


def numbered_sources(pieces: Sequence[Evidence]) -> str:
    """The pieces with their numbers from 1, places and kinds; what has no room is named without its text."""
    parts: list[str] = []
    size = 0
    for number, piece in enumerate(pieces, start=1):
        head = f"[{number}] {piece.kind} {piece.path}:{piece.lines[0]}-{piece.lines[1]} {piece.title}"
        text = piece.text[:_EACH]
        size += len(text)
        parts.append(f"{head}\n{text}" if size <= _MOST else head)
    return data("sources", "\n\n".join(parts) or "none")
