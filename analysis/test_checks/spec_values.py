"""Accesses values of a spec that may be malformed: wrong shapes are skipped here and reported by the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...utils.error_formatter import SpecIssue, excerpt_of, json_path
from ..openapi.problems import mapping, text

__all__ = ["SpecPlace", "issue", "mapping", "objects", "text", "texts"]

SpecPlace = tuple[str | int, ...]


def objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a list, with their positions."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield index, item


def texts(value: Any) -> Iterator[tuple[int, str]]:
    """The texts in a list, with their positions."""
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield index, item


def issue(place: SpecPlace, rule: str, message: str, suggestion: str, value: Any = None) -> SpecIssue:
    """Builds the issue of a broken quality rule."""
    excerpt = "" if value is None else excerpt_of(value)
    return SpecIssue(json_path(place), message, "error", suggestion, rule, excerpt)
