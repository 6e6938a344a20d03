"""Walks JSON values and names their parts by JSON Pointers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def escape_key(key: str) -> str:
    """Escape a key for a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every scalar and every empty object or list with its pointer."""
    for place, one, _ in parts(value, frozenset(), pointer):
        yield place, one


def parts(value: Any, hidden: frozenset[str], pointer: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yield every leaf with its pointer and whether it is hidden; a hidden value is yielded whole."""
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
    """Yield every visible list that is in no other list, with its pointer."""
    if pointer in hidden:
        return
    if isinstance(value, list):
        yield pointer, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from lists(one, hidden, f"{pointer}/{escape_key(str(key))}")
