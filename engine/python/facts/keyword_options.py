"""Reads which options a function takes by `**kwargs`: what its body, or a helper that gets them, asks them for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ....utils.python_names import Function, dotted_name, named_functions
from ....utils.python_source import parse_or_none
from ..model.model import Parameter

_ASKING = frozenset({"get", "pop", "setdefault"})
_UNSET = "None"


def keyword_options(source: str) -> Mapping[str, tuple[Parameter, ...]]:
    """Returns, by qualified name, the options of a module's functions and methods that no parameter names."""
    tree = parse_or_none(source)
    functions = list(named_functions(tree)) if tree is not None else []
    helpers = {name: node for name, node in functions if "." not in name}
    found = {name: tuple(_options(node, helpers)) for name, node in functions if node.args.kwarg is not None}
    return {name: options for name, options in found.items() if options}


def _options(function: Function, helpers: Mapping[str, Function]) -> Iterator[Parameter]:
    assert function.args.kwarg is not None
    given = function.args.kwarg.arg
    asked = dict(_asked(function, given))
    for node in ast.walk(function):
        helper = helpers.get(dotted_name(node.func)) if isinstance(node, ast.Call) else None
        if helper is None or not isinstance(node, ast.Call):
            continue
        for value, parameter in zip(node.args, (*helper.args.posonlyargs, *helper.args.args), strict=False):
            if isinstance(value, ast.Starred):
                break  # how many parameters it fills is unknown
            if isinstance(value, ast.Name) and value.id == given:
                for name, default in _asked(helper, parameter.arg):
                    asked.setdefault(name, default)
    for name, default in asked.items():
        yield Parameter(name, "keyword_only", None, default)


def _asked(function: Function, given: str) -> Iterator[tuple[str, str]]:
    """Generates the names that a dictionary is asked for by a method, with the sources of their defaults.

    What is taken out without a default must be passed: it is no option.
    """
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        owner, name = node.func.value, node.args[0]
        if node.func.attr not in _ASKING or not isinstance(owner, ast.Name) or owner.id != given:
            continue
        if node.func.attr == "pop" and len(node.args) == 1:
            continue
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
            yield name.value, ast.unparse(node.args[1]) if len(node.args) > 1 else _UNSET
