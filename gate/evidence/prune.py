"""Removes dropped cases from a spec and renders its test file again."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...utils.python_source import parse_python

Render = Callable[[dict[str, Any], str], str]
"""(spec, framework) → the text of the test file."""

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class PrunedSpec:
    """A spec without the dropped cases.

    Attributes:
        contents: the test file of what is left; None when no case is left.
        removed: ids that were in the spec, in its order.
        unknown: ids that were not.
    """

    spec: dict[str, Any]
    contents: str | None
    removed: tuple[str, ...]
    unknown: tuple[str, ...]


def prune(spec: Mapping[str, Any], drop: Iterable[str], *, framework: str, render: Render) -> PrunedSpec:
    """Leave cases out and write the file again. Raises whatever `render` raises."""
    wanted = list(dict.fromkeys(drop))
    present = [case["id"] for case in spec["cases"]]
    left = without_cases(spec, wanted)
    contents = render(left, framework) if left["cases"] else None
    removed = tuple(case_id for case_id in present if case_id in set(wanted))
    return PrunedSpec(left, contents, removed, tuple(one for one in wanted if one not in set(present)))


def without_cases(spec: Mapping[str, Any], drop: Iterable[str]) -> dict[str, Any]:
    """A copy of a spec without some cases, and without the imports that only they needed.

    The given spec is not changed; the parts that stay are shared with it.
    """
    gone = set(drop)
    cases = [case for case in spec["cases"] if case["id"] not in gone]
    left = {**spec, "cases": cases}
    if len(cases) < len(spec["cases"]) and "imports" in spec:
        before = set(_names(spec["cases"]))
        after = set(_names(cases))
        left["imports"] = [import_ for import_ in spec["imports"] if _still_needed(import_, before, after)]
    return left


def _still_needed(statement: str, before: set[str], after: set[str]) -> bool:
    """Whether an import stays: a name it binds is used, or none was used before either, and it has another purpose."""
    bound = _bound(statement)
    return not bound or bool(bound & after) or not bound & before


def _bound(statement: str) -> set[str]:
    try:
        body = parse_python(statement).body
    except SyntaxError:
        return set()
    names = set()
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return names


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _NAME.findall(value)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _names(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _names(part)
