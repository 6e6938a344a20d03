"""Reading plain data of other rooms: what is missing or of another type gives the default, never an error.

A report is written at the end of every run, also of one that went wrong, so nothing in it may be a reason to fail.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .model import FailureClass, ReportPlace

# Copies of the project that tests run in are numbered in the order in which they happen to be made.
_WORKSPACE = re.compile(r"/?(?:[\w.-]+/)*w\d+/(?:project|scratch)(?:/|(?![\w.-]))")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}\b")
_CLASSES: dict[str, FailureClass] = {
    "product_defect": "product_defect",
    "test_defect": "test_defect",
    "environment": "environment",
    "flaky": "flaky",
    "timeout": "timeout",
    "redundant": "redundant",
}


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


def first(value: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there and not None."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def failure_class(value: Any) -> FailureClass:
    """A class of the taxonomy, `unknown` for any other word."""
    return _CLASSES.get(text(value), "unknown")


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
        return {stable(str(name), private): stable(one, private) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [stable(one, private) for one in value]
    return value
