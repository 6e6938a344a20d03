"""Reads the plain data of a run: what is missing or of another type gives the default, never an error.

A report is written at the end of every run, also of one that went wrong, so nothing in it may be a reason to fail:
answers of tools may come from servers of others, and long ones are cut before they are stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from .model import FailureClass, ReportPlace
from .run_model import ReportPart

Part = TypeVar("Part", bound=ReportPart)

# Copies of the project that tests run in are numbered in the order in which they happen to be made.
_WORKSPACE = re.compile(r"(?<![\w.-])(?<![\w.-]/)/?(?:[\w.-]+/)*w\d+/(?:project|scratch)(?:/|(?![\w.-]))")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}\b")


def part(cls: type[Part], value: Any, **fields: Any) -> Part | None:
    """Build a part of the report from a JSON object that has its fields, and more; None when it does not fit.

    Args:
        fields: replace those of the object.
    """
    found = mapping(value)
    names = [info.alias or name for name, info in cls.model_fields.items()]
    # Null stands for the default: our own rows write it for what they do not know.
    known = {name: found[name] for name in names if found.get(name) is not None}
    with suppress(ValidationError):
        return cls.model_validate({**known, **fields})
    return None


def parts(cls: type[Part], value: Any) -> tuple[Part, ...]:
    """Build a part of each object in a list; those that do not fit are left out."""
    made = (part(cls, row) for row in rows(value))
    return tuple(item for item in made if item is not None)


def added_up(cls: type[Part], counts: Sequence[Part]) -> Part | None:
    """Add up counts field by field; None without any."""
    return cls(**{name: sum(getattr(row, name) for row in counts) for name in cls.model_fields}) if counts else None


def mapping(value: Any) -> Mapping[str, Any]:
    """The value when it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def rows(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list."""
    return [item for item in items(value) if isinstance(item, Mapping)]


def items(value: Any) -> list[Any]:
    """The items of a list or tuple."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def text(value: Any) -> str:
    """A string; "" for None."""
    return "" if value is None else str(value)


def words(value: Any) -> tuple[str, ...]:
    """The items of a list as strings."""
    return tuple(text(item) for item in items(value))


def count(value: Any) -> int:
    """A number of things, 0 or more."""
    return max(0, int(value)) if isinstance(value, int | float) else 0


def failure_class(value: Any) -> FailureClass:
    """A class of the taxonomy, `unknown` for any other word."""
    return next((known for known in get_args(FailureClass) if known == value), "unknown")


def place(value: Any) -> ReportPlace | None:
    """`{path, lines: [first, last]}`, or with one `line`."""
    found = mapping(value)
    lines = [count(item) for item in items(found.get("lines"))] or [count(found.get("line"))]
    return ReportPlace(path=text(found["path"]), lines=(lines[0], lines[-1])) if found.get("path") else None


def _relative(found: re.Match[str]) -> str:
    return "" if found.group().endswith("/") else "."


def stable(value: Any, private: Sequence[str]) -> Any:
    """A copy in which no string holds an address in memory or the path of a folder or workspace of this run.

    Args:
        private: absolute paths of folders that differ between runs, the longest first.
    """
    if isinstance(value, str):
        for folder in private:
            value = re.sub(rf"{re.escape(folder)}(?:/|(?![\w.-]))", _relative, value)
        return _ADDRESS.sub("at 0x…", _WORKSPACE.sub(_relative, value))
    if isinstance(value, Mapping):
        return {stable(str(name), private): stable(item, private) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [stable(item, private) for item in value]
    return value
