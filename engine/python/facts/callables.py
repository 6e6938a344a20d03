"""Reads the facts of one function, method or property from its syntax tree."""

from __future__ import annotations

import ast

from ....utils.python_names import dotted_name
from ..model.model import CallableFacts, CallableKind, Parameter, ParameterKind
from .bodies import Function, read_body
from .docstrings import documentation_of

_CONTEXT_DECORATORS = ("contextmanager", "asynccontextmanager")
_PROPERTY_DECORATORS = ("property", "cached_property", "abstractproperty", "functools.cached_property")


def callable_facts(node: Function, owner: str | None, *, nested_in: str = "") -> CallableFacts:
    """Reads the facts of a function; with `owner` those of a member of that class, without its `self` or `cls`."""
    decorators = tuple(ast.unparse(decorator) for decorator in node.decorator_list)
    kind = _kind(node, owner, decorators)
    parameters = parameters_of(node.args)
    bound = owner is not None and kind in ("method", "property", "classmethod", "constructor")
    if bound and parameters and parameters[0].kind in ("positional_only", "positional_or_keyword"):
        parameters = parameters[1:]
    body = read_body(node, tuple(parameter.name for parameter in parameters))
    is_context = any(one.rpartition(".")[2] in _CONTEXT_DECORATORS for one in decorators)
    qualname = f"{owner}.{node.name}" if owner else node.name
    return CallableFacts(
        qualname=nested_in + qualname,
        kind=kind,
        lines=line_range(node),
        parameters=parameters,
        returns=ast.unparse(node.returns) if node.returns else None,
        owner=owner,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_generator=body.yields and not is_context,
        is_context_manager=is_context,
        decorators=decorators,
        constants=tuple(body.constants),
        comparisons=tuple(body.comparisons),
        raises=tuple(body.raises),
        branch_lines=tuple(sorted(body.branch_lines)),
        uses=tuple(body.uses),
        declines=tuple(body.declines),
        documentation=documentation_of(node),
    )


def parameters_of(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters of a signature in order of declaration."""
    found: list[Parameter] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults.extend(arguments.defaults)
    for index, (one, default) in enumerate(zip(positional, defaults, strict=True)):
        kind: ParameterKind = "positional_only" if index < len(arguments.posonlyargs) else "positional_or_keyword"
        found.append(_parameter(one, kind, default))
    if arguments.vararg:
        found.append(_parameter(arguments.vararg, "var_positional", None))
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(one, "keyword_only", default))
    if arguments.kwarg:
        found.append(_parameter(arguments.kwarg, "var_keyword", None))
    return tuple(found)


def _parameter(node: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    annotation = ast.unparse(node.annotation) if node.annotation else None
    return Parameter(node.arg, kind, annotation, ast.unparse(default) if default is not None else None)


def _kind(node: Function, owner: str | None, decorators: tuple[str, ...]) -> CallableKind:
    if owner is None:
        return "function"
    if any(
        decorator in _PROPERTY_DECORATORS or decorator.endswith((".getter", "property")) for decorator in decorators
    ):
        return "property"
    if "staticmethod" in decorators:
        return "staticmethod"
    if "classmethod" in decorators or node.name in ("__init_subclass__", "__class_getitem__"):
        return "classmethod"
    return "method"


def line_range(node: Function | ast.ClassDef) -> tuple[int, int]:
    """First and last line of a definition, decorators included."""
    return min(
        (decorator.lineno for decorator in node.decorator_list), default=node.lineno
    ), node.end_lineno or node.lineno


def is_overload(node: Function) -> bool:
    """Whether this is a signature for type checkers only."""
    return any(dotted_name(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def is_setter(node: Function) -> bool:
    """Whether this is the setter or deleter of a property defined before."""
    return any(
        isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter")
        for decorator in node.decorator_list
    )
