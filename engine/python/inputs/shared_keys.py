"""Keys that values share: mappings of one object have the same keys, and its methods are asked for these."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ....utils.python_source import expression_or_none, parse_or_none
from ..model.model import Candidate, Parameter

_TEXT = (None, "", "str", "Any", "object", "Hashable")
_MOST_KEYS = 3


def with_shared_keys(values: Sequence[Candidate]) -> list[Candidate]:
    """Gives literal mappings the texts that are keys of the first one: stock and prices are of the same articles."""
    found: list[Candidate] = []
    keys: list[ast.expr] = []
    for value in values:
        node = expression_or_none(value.source)
        if isinstance(node, ast.Dict) and node.keys and all(map(_is_text, node.keys)):
            if keys:
                shared = ast.Dict(list(keys[: len(node.keys)]), node.values[: len(keys)])
                value = replace(value, source=ast.unparse(shared))
            keys = keys or [key for key in node.keys if key is not None]
        found.append(value)
    return found


def keys_in(statements: Iterable[str]) -> list[str]:
    """The keys of mappings that statements pass to calls, texts only, as source; those of most mappings first."""
    mappings: list[list[str]] = []
    for text in statements:
        tree = parse_or_none(text)
        for call in ast.walk(tree) if tree is not None else ():
            if isinstance(call, ast.Call):
                given = [*call.args, *(one.value for one in call.keywords)]
                mappings += [
                    [ast.unparse(key) for key in node.keys if key is not None and _is_text(key)]
                    for node in given
                    if isinstance(node, ast.Dict)
                ]
    known = dict.fromkeys(key for keys in mappings for key in keys)
    return sorted(known, key=lambda key: -sum(key in keys for keys in mappings))[:_MOST_KEYS]


def takes_key(parameter: Parameter) -> bool:
    """Whether a text may be given for a parameter."""
    return parameter.annotation in _TEXT and parameter.kind != "var_keyword"


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
