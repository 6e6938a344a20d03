"""JSON values as Python source, with saved values as names."""

from __future__ import annotations

import re
from typing import Any

_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_REPEATED = 20


def literal(value: Any) -> str:
    """A value as Python source; `{{name}}` in a text becomes the name."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(one) for one in value) + "]"
    return text(value) if isinstance(value, str) else repr(value)


def text(value: str) -> str:
    """A text as Python source."""
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
    """A text with saved values in it as an f-string; a plain one where there are none."""
    if not _VARIABLE.search(value):
        return quoted(value)
    parts = _VARIABLE.split(value)
    inner = "".join(
        "{" + part + "}" if number % 2 else quoted(part)[1:-1].replace("{", "{{").replace("}", "}}")
        for number, part in enumerate(parts)
    )
    return f'f"{inner}"'


def quoted(value: str) -> str:
    """A text in double quotes."""
    inner = repr(value)
    if inner.startswith("'") and '"' not in inner:
        inner = '"' + inner[1:-1].replace("\\'", "'") + '"'
    return inner if inner.startswith('"') else '"' + inner[1:-1].replace('"', '\\"').replace("\\'", "'") + '"'


def saved_names_in(value: Any) -> list[str]:
    """Names of saved values that a part of a request uses, in order, each once."""
    return list(dict.fromkeys(_VARIABLE.findall(literal_text(value))))


def literal_text(value: Any) -> str:
    """All texts of a value, one after the other."""
    if isinstance(value, dict):
        return " ".join(f"{literal_text(key)} {literal_text(one)}" for key, one in value.items())
    if isinstance(value, list):
        return " ".join(literal_text(one) for one in value)
    return str(value)
