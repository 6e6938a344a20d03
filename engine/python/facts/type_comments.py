"""Reads type comments as annotations (PEP 484): of parameters, each on its line, and of whole signatures."""

from __future__ import annotations

import ast
import re

from ....utils.python_source import parse_python

_TYPE_COMMENT = re.compile(rb"#\s*type:")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse_annotated(contents: bytes, path: str) -> ast.Module:
    """Parse a module; its functions have the types of their comments as annotations where they have no others.

    Raises:
        SyntaxError: the module does not parse.
    """
    tree = parse_python(contents, path)
    if not _TYPE_COMMENT.search(contents):
        return tree
    try:
        tree = parse_python(contents, path, type_comments=True)
    except SyntaxError:  # a comment where no type may stand
        return tree
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            _annotate(node)
    return tree


def _annotate(function: _Function) -> None:
    own = function.args
    parameters = [*own.posonlyargs, *own.args, *filter(None, [own.vararg]), *own.kwonlyargs, *filter(None, [own.kwarg])]
    for parameter in parameters:
        parameter.annotation = parameter.annotation or _type(parameter.type_comment)
    signature = _signature(function.type_comment)
    if signature is None:
        return
    function.returns = function.returns or signature.returns
    types = signature.argtypes
    # `(...) -> X` leaves the parameters to comments of their own. The signature of a method may leave `self` out.
    without_self = bool(parameters) and parameters[0].arg in ("self", "cls") and len(types) == len(parameters) - 1
    if _is_ellipsis(types) or not (without_self or len(types) == len(parameters)):
        return
    for parameter, written in zip(parameters[len(parameters) - len(types) :], types, strict=True):
        parameter.annotation = parameter.annotation or written


def _is_ellipsis(types: list[ast.expr]) -> bool:
    return len(types) == 1 and isinstance(types[0], ast.Constant) and types[0].value is ...


def _type(comment: str | None) -> ast.expr | None:
    try:
        return ast.parse(comment, mode="eval").body if comment else None
    except SyntaxError:
        return None


def _signature(comment: str | None) -> ast.FunctionType | None:
    try:
        return ast.parse(comment, mode="func_type") if comment else None
    except SyntaxError:
        return None
