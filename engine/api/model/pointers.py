"""Parts of a JSON value and where they stand, as JSON Pointers say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def escape_key(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no object and no list, with its place; empty ones of those count as values."""
    for place, one, _ in parts(value, frozenset(), pointer):
        yield place, one


def parts(value: Any, hidden: frozenset[str], pointer: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Every leaf with its place and whether it is hidden; of what is hidden, the whole and nothing inside it."""
    if pointer in hidden:
        yield pointer, value, True
    elif isinstance(value, dict) and value:
        for key, one in value.items():
            yield from parts(one, hidden, f"{pointer}/{escape_key(str(key))}")
    elif isinstance(value, list) and value:
        for number, one in enumerate(value):
            yield from parts(one, hidden, f"{pointer}/{number}")
    else:
        yield pointer, value, False


def lists(value: Any, hidden: frozenset[str], pointer: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Every list that is not hidden and lies in no other list, with its place."""
    if pointer in hidden:
        return
    if isinstance(value, list):
        yield pointer, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from lists(one, hidden, f"{pointer}/{escape_key(str(key))}")
