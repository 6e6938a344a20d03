"""Accesses values of a spec that may be malformed: wrong shapes are skipped here and reported by the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...utils.error_formatter import SpecIssue, excerpt_of, json_path

SpecPlace = tuple[str | int, ...]


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


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


def text(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def issue(place: SpecPlace, rule: str, message: str, suggestion: str, value: Any = None) -> SpecIssue:
    """Builds the issue of a broken quality rule."""
    excerpt = "" if value is None else excerpt_of(value)
    return SpecIssue(json_path(place), message, "error", suggestion, rule, excerpt)
