"""Tells arguments of another kind than the name of their parameter, or of its function, says."""

from __future__ import annotations

import ast
import builtins
import re

from ....utils.python_names import last_name
from ..domain.arguments import Argument
from ..domain.contains import Kinds
from ..domain.phrases import takes_tuple

_COLLECTION = re.compile(r"(\w+_)?(container|collection|choices|members|records|rows|entries)")
_ITERATED = re.compile(r"iterables?|items|elements|sequence|seqs?")
_FILE = re.compile(r"(\w+_)?(file_?obj(ect)?|file_?handle|stream|fp|fobj)")
_CLASS = re.compile(r"(\w+_)?(cls|klass|class_?)")
_MOMENT = re.compile(r"(\w+_)?(dt|date_?time)")
_PLAIN = frozenset("int float complex bool str bytes list tuple set frozenset dict range".split())
_NUMBERS = frozenset({"int", "float", "complex", "bool"})
_SHORTEST = 5
_SAID = frozenset({"annotation", "docstring", "doctest", "call site"})
_OPEN = frozenset({"any", "sequence", "set", "iterator", "union"})


def contradicts_name(one: Argument, kinds: Kinds) -> bool:
    """Whether an argument is certainly of another kind than names say; what is not known speaks against nothing."""
    item = one.declared
    if item is None or item.kind in ("var_positional", "var_keyword"):
        return False  # such a name stands for all that is passed, each of which is anything
    kind = kinds.kind(one.value)
    if _is_of_no_class(one, kind):
        return True
    if kind not in _PLAIN:
        return False
    name, domain = one.parameter.strip("_").lower(), one.domain
    if domain.kind == "any" and any(_abbreviates(name, owner) for owner in kinds.classes):
        return True
    if domain.kind in _OPEN and _COLLECTION.fullmatch(name):
        return kind in _NUMBERS or kind in ("str", "bytes")
    if domain.kind in _OPEN and _ITERATED.fullmatch(name):
        return kind in _NUMBERS
    if _FILE.fullmatch(name):
        return domain.kind in ("any", "file") or domain.source not in _SAID
    if _MOMENT.fullmatch(name):
        return domain.kind in ("any", "datetime") or domain.source not in _SAID
    return kind == "list" and takes_tuple(one.called, one.parameter)


def _abbreviates(name: str, owner: str) -> bool:
    """Whether a name is the beginning of that of a class, most of it: `cronit` of `croniter`."""
    begins = _SHORTEST <= len(name) < len(owner)
    return begins and owner.lower().startswith(name) and 4 * len(name) >= 3 * len(owner)


def _is_of_no_class(one: Argument, kind: str) -> bool:
    """Whether a built-in type, or no class at all, stands for the class of the project that a default names."""
    item = one.declared
    default = last_name(parsed) if (parsed := _expression(item.default if item is not None else None)) else ""
    if not _CLASS.fullmatch(one.parameter) or not default[:1].isupper():
        return False
    named = one.value.id if isinstance(one.value, ast.Name) else ""
    return (
        kind in _PLAIN or kind == "function" or (isinstance(getattr(builtins, named, None), type) and named != default)
    )


def _expression(source: str | None) -> ast.expr | None:
    try:
        return ast.parse(source, mode="eval").body if source else None
    except SyntaxError:
        return None
