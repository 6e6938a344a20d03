"""Problems of an OpenAPI document, JSON Pointers, and access to values of unknown shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...utils.canonical import attributes
from ...utils.error_formatter import json_path

Parts = tuple[str | int, ...]
"""A place in a document: keys and indices from its root."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a document.

    Attributes:
        parts: the place in the document that `location` names.
        location: path in the project, or URL; empty for the document that was asked for.
        rule: `syntax`, `reference`, `swagger`, … or the schema keyword that is broken.
        line: counted from 1; None where it is not known.
    """

    message: str
    parts: Parts = ()
    rule: str = ""
    severity: Literal["error", "warning"] = "error"
    suggestion: str = ""
    location: str = ""
    line: int | None = None

    def at(self, location: str, line: int | None) -> Problem:
        """The same problem with its document and line."""
        return replace(self, location=location, line=line)

    def to_dict(self) -> dict[str, Any]:
        """The problem in the form of the tool's answer."""
        return {
            "path": json_path(self.parts),
            **attributes(self, "message", "severity", "rule", "suggestion"),
            "document": self.location,
            "line": self.line,
        }


class UnreadableDocument(Exception):
    """The text is not a document at all."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def pointer_of(parts: Iterable[str | int]) -> str:
    """The JSON Pointer of a place: `/paths/~1orders/get`."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def keys_of(pointer: str) -> tuple[str, ...]:
    """The keys of a JSON Pointer, decoded; indices stay text. A leading `#` is dropped."""
    body = pointer.removeprefix("#")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in body.split("/")[1:])


def look_up(value: Any, keys: Iterable[str | int]) -> tuple[Any, Parts] | None:
    """The value at a place, with the place as spelled in the data; None when nothing is there."""
    parts: list[str | int] = []
    for key in keys:
        if isinstance(value, dict) and str(key) in value:
            value = value[str(key)]
            parts.append(str(key))
        elif isinstance(value, list) and str(key).isascii() and str(key).isdecimal() and int(key) < len(value):
            value = value[int(key)]
            parts.append(int(key))
        else:
            return None
    return value, tuple(parts)


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one: documents may be wrong anywhere."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""
