"""Walks JSON values by JSON Pointers, and renders them as Python source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def escape_key(key: str) -> str:
    """Escape a key for a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def resolve_pointer(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer; None where there is none."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every scalar and every empty object or list with its pointer."""
    for place, leaf, _ in parts(value, frozenset(), pointer):
        yield place, leaf


def parts(value: Any, hidden: frozenset[str], pointer: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yield every leaf with its pointer and whether it is hidden; a hidden value is yielded whole."""
    if pointer in hidden:
        yield pointer, value, True
    elif isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from parts(entry, hidden, f"{pointer}/{escape_key(str(key))}")
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from parts(item, hidden, f"{pointer}/{number}")
    else:
        yield pointer, value, False


def lists(value: Any, hidden: frozenset[str], pointer: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield every visible list that is in no other list, with its pointer."""
    if pointer in hidden:
        return
    if isinstance(value, list):
        yield pointer, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from lists(entry, hidden, f"{pointer}/{escape_key(str(key))}")


_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_REPEATED = 20


def literal(value: Any) -> str:
    """Render a value; `{{name}}` in a text becomes the variable."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return text(value) if isinstance(value, str) else repr(value)


def text(value: str) -> str:
    """Render a text."""
    whole = _VARIABLE.fullmatch(value)
    if whole:
        return whole.group(1)
    if _VARIABLE.search(value):
        return formatted(value)
    end = re.search(r"(.)\1{" + str(_REPEATED) + r",}$", value)
    if end:
        tail = f"{quoted(end.group(1))} * {len(end.group())}"
        return f"{quoted(value[: end.start()])} + {tail}" if end.start() else tail
    return quoted(value)


def formatted(value: str) -> str:
    """Render a text with saved values as an f-string; a plain string where there are none."""
    if not _VARIABLE.search(value):
        return quoted(value)
    parts = _VARIABLE.split(value)
    inner = "".join(
        "{" + part + "}" if number % 2 else quoted(part)[1:-1].replace("{", "{{").replace("}", "}}")
        for number, part in enumerate(parts)
    )
    return f'f"{inner}"'


def quoted(value: str) -> str:
    """Render a text in double quotes."""
    inner = repr(value)
    if inner.startswith("'") and '"' not in inner:
        inner = '"' + inner[1:-1].replace("\\'", "'") + '"'
    return inner if inner.startswith('"') else '"' + inner[1:-1].replace('"', '\\"').replace("\\'", "'") + '"'


def saved_names_in(value: Any) -> list[str]:
    """Return the names of saved values in a part of a request, in order, each once."""
    found = dict.fromkeys(_VARIABLE.findall(literal_text(value)))
    return [name for name in found if not is_constant(name)]


HEADERS = "/@headers/"
"""A saved value with this before its name is a header of the answer, and no part of the body."""


TELLING_HEADERS = re.compile(
    r"^(?:location|link|content-range|retry-after)$|(?:^|[-_])(?:total|count|page|next|cursor)(?:$|[-_])", re.IGNORECASE
)
"""Headers by which an application tells something of what it answers, in any capitals.

Whole words: an account, a country and a cache of Next.js are none of them.
"""


def is_constant(name: str) -> bool:
    """Whether a name in `{{name}}` is a constant of the file, such as USER_EMAIL; others are saved by a request."""
    return name.isupper()


def literal_text(value: Any) -> str:
    """Concatenate all texts of a value."""
    if isinstance(value, dict):
        return " ".join(f"{literal_text(key)} {literal_text(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return " ".join(literal_text(item) for item in value)
    return str(value)
