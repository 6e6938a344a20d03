"""Faults that take a check out: who may, what is there, what conflicts, what a condition says."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from .edits import Edit, Source
from .functions import OWNERS, Function

_STATUS = re.compile(r"\b(?:HTTP_)?([34]\d\d)\b|HTTP_([34]\d\d)_")
_ADMITS = re.compile(r"require|admin|permission|current|auth|login", re.IGNORECASE)
_NARROWS = ("where", "filter", "filter_by")


def _status_of(node: ast.If, source: Source) -> int:
    """Return the status that a guard refuses or answers with; 0 where it is no guard."""
    last = node.body[-1]
    text = ""
    if isinstance(last, ast.Raise | ast.Return):
        text = source.of(last)
    elif isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        text = source.of(last) if re.match(r"(?:flask\.)?abort\(", source.of(last)) else ""
    found = _STATUS.search(text)
    return int(found[1] or found[2]) if found else 0


def _guards(statuses: tuple[int, ...], owned: bool | None = None) -> Callable[[Function, Source], Iterator[Edit]]:
    def edits(function: Function, source: Source) -> Iterator[Edit]:
        for node in function.walk():
            if not isinstance(node, ast.If) or _status_of(node, source) not in statuses:
                continue
            if owned is None or bool(OWNERS.search(source.of(node.test))) is owned:
                yield source.replaced(node.test, "False")

    return edits


def permission(function: Function, source: Source) -> Iterator[Edit]:
    yield from _guards((401, 403), owned=False)(function, source)
    for decorator in function.node.decorator_list:
        for word in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if word.arg == "dependencies" and _ADMITS.search(source.of(word.value)):
                yield source.replaced(word.value, "[]")
        if not isinstance(decorator, ast.Call) and re.search(r"required$|permission", source.of(decorator)):
            yield source.replaced(decorator, "(lambda view: view)")


def ownership(function: Function, source: Source) -> Iterator[Edit]:
    yield from _guards((401, 403, 404), owned=True)(function, source)
    for node in function.walk():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _NARROWS:
            told = "".join(source.of(part) for part in (*node.args, *node.keywords))
            if OWNERS.search(told):
                yield source.replaced(node, source.of(node.func.value))


GUARDS: dict[str, Callable[[Function, Source], Iterator[Edit]]] = {
    "permission check removed": permission,
    "ownership check removed": ownership,
    "conflict check removed": _guards((409,)),
    "condition ignored": _guards((304, 412, 428)),
    "existence check removed": _guards((404, 410), owned=False),
    "validation check removed": _guards((400, 422)),
}
