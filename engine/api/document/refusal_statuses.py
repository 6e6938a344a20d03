"""Reads the statuses from 400 to 499 that a piece of code raises or makes a response with.

A number counts where it is the status of what is raised or answered, and nowhere else.
"""

from __future__ import annotations

import ast
import builtins
import http
import re
from collections.abc import Container, Iterator

from ....utils.python_names import callee, last_name

_SPOKEN = {name.title().replace("_", ""): status.value for name, status in http.HTTPStatus.__members__.items()}
_RAISED = {
    **_SPOKEN,
    **{f"HTTP{name}": status for name, status in _SPOKEN.items()},
    "Http404": 404,
    "PermissionDenied": 403,
}
"""Exceptions of web frameworks, by what they are answered with."""
_CALLED = {
    "get_object_or_404": 404,
    "get_list_or_404": 404,
    "first_or_404": 404,
    "get_or_404": 404,
    "one_or_404": 404,
    "HttpResponseBadRequest": 400,
    "HttpResponseForbidden": 403,
    "HttpResponseNotFound": 404,
    "HttpResponseGone": 410,
}
"""Functions and responses of web frameworks, by the status that a call of them means."""
_CODE = re.compile(r"HTTP_(4\d\d)(_|$)")
_REFUSING = frozenset({"abort", "send_error", "set_status", "HTTPException", "HTTPError"})
"""Callables that take a status first."""
_RESPONSE = re.compile(r"\w*[Rr]esponse|render")
"""Names of what makes a response: `JSONResponse`, `make_response`. Many take an unnamed status second, Django's
`HttpResponse(content, type, status)` takes it third, and is read where it is named."""
_STATUS = frozenset({"status_code", "status", "code", "http_status"})


def refusals_in(node: ast.AST, own: Container[str] = ()) -> Iterator[int]:
    """Yield the statuses that a function or class raises or makes a response with.

    Args:
        own: names of the project's classes, which need not mean what a framework's of the same name do.
    """
    for inner in ast.walk(node):
        if isinstance(inner, ast.Raise) and inner.exc is not None:
            yield from _raised(inner.exc, own)
        elif isinstance(inner, ast.Call):
            yield from _made(inner)
    if isinstance(node, ast.ClassDef):
        yield from _of_class(node, own)


def _raised(exception: ast.expr, own: Container[str]) -> Iterator[int]:
    """Yield the status of a raised exception: by its name, or by what it is made with."""
    name = last_name(callee(exception))
    yield from _refusal(None if name in own else _RAISED.get(name))
    if isinstance(exception, ast.Call) and not hasattr(builtins, name):
        yield from _arguments(exception)


def _made(call: ast.Call) -> Iterator[int]:
    """Yield the status of a call that refuses, or that makes a response."""
    name = last_name(call.func)
    yield from _refusal(_CALLED.get(name))
    if name in _REFUSING or _is_of_super(call):
        yield from _arguments(call, place=0)
    elif _RESPONSE.fullmatch(name):
        yield from _arguments(call, place=1)


def _is_of_super(call: ast.Call) -> bool:
    """Whether a call is `super().__init__(…)`, by which an exception says its status."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__" else None
    return isinstance(owner, ast.Call) and last_name(owner.func) == "super"


def _of_class(node: ast.ClassDef, own: Container[str]) -> Iterator[int]:
    """Yield the statuses that a class stands for: by its bases, or by an attribute such as `status_code = 404`."""
    for base in node.bases:
        name = last_name(base)
        yield from _refusal(None if name in own else _RAISED.get(name))
    for statement in node.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id in _STATUS and value is not None:
            yield from _status_of(value)


def _arguments(call: ast.Call, *, place: int | None = None) -> Iterator[int]:
    """Yield the status among the arguments of a call, by its name or at its place; at any place where none is known."""
    named = [given.value for given in call.keywords if given.arg in _STATUS]
    for value in named or (call.args if place is None else call.args[place : place + 1]):
        yield from _status_of(value)


def _status_of(node: ast.expr) -> Iterator[int]:
    """Yield what an expression in the place of a status says: `404`, `status.HTTP_404_NOT_FOUND`, `HTTPStatus.GONE`."""
    if isinstance(node, ast.IfExp):
        yield from _status_of(node.body)
        yield from _status_of(node.orelse)
    elif isinstance(node, ast.Constant):
        yield from _refusal(node.value)
    elif isinstance(node, ast.Call) and last_name(node.func) in ("int", "HTTPStatus") and len(node.args) == 1:
        yield from _status_of(node.args[0])
    elif isinstance(node, ast.Attribute) and node.attr == "value":
        yield from _status_of(node.value)
    elif isinstance(node, ast.Name | ast.Attribute):
        name = last_name(node)
        code = _CODE.match(name)
        yield from _refusal(int(code.group(1)) if code else getattr(http.HTTPStatus, name, None))


def _refusal(value: object) -> Iterator[int]:
    if isinstance(value, int) and 400 <= value < 500:
        yield int(value)


def returned_statuses(node: ast.AST) -> Iterator[int]:
    """Yield the statuses of tuples that a handler answers with: `return body, 404`, `return 404, body`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Tuple):
            for part in inner.value.elts[:2]:
                yield from _status_of(part)
