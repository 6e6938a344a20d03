"""Judges whether the inputs of a trial show behaviour: which values are degenerate."""

from __future__ import annotations

import ast

from ....utils.python_names import last_name
from ..model.domain import ParameterDomain

_CONSTRUCTORS = frozenset(
    "list tuple set frozenset dict deque OrderedDict Counter iter bytes bytearray SimpleNamespace".split()
)
_NUMBERS = frozenset({"Decimal", "Fraction", "timedelta", "int", "float"})
# An identity of addition or multiplication: as a factor, an exponent or a summand it changes nothing.
_IDENTITIES = (0, 1)


def is_degenerate(node: ast.expr, domain: ParameterDomain | None = None) -> bool:
    """Whether a value shows less than a plain one of its domain would.

    Args:
        node: the source of the value. An expression whose value only running it would show is not degenerate.
        domain: what the parameter takes; a value that its fixed length or bounds force is not degenerate.
    """
    if isinstance(node, ast.Starred):
        return is_degenerate(node.value, domain)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return is_degenerate(node.operand, domain)
    if isinstance(node, ast.Constant):
        return _constant(node, domain)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _items(node, domain)
    if isinstance(node, ast.Dict):
        return _mapping(node, domain)
    if isinstance(node, ast.Lambda):
        return _constant_function(node)
    if isinstance(node, ast.Call):
        return _call(node, domain)
    return False


def _constant(node: ast.Constant, domain: ParameterDomain | None) -> bool:
    value = node.value
    if value is None:
        return not (domain is not None and domain.kind == "none")
    if isinstance(value, bool) or (domain is not None and ast.unparse(node) in (*domain.choices, *domain.words)):
        return False
    if isinstance(value, int | float | complex):
        if domain is not None and domain.maximum is not None and domain.maximum <= 1:
            return False  # a probability, a bit
        # A position may well be 0 or 1.
        positional = domain is not None and domain.requires("index into")
        return value in _IDENTITIES and not positional
    if isinstance(value, str | bytes):
        single = domain is not None and (domain.length == 1 or bool(domain.choices))
        if not value.strip():
            return not (single and value)
        if single:
            return False
        return len(set(value)) == 1
    return False


def _items(node: ast.List | ast.Tuple | ast.Set, domain: ParameterDomain | None) -> bool:
    items = node.elts
    if any(isinstance(item, ast.Starred) for item in items):
        return False
    if domain is not None and domain.length is not None and len(items) == domain.length and items:
        return False
    if domain is not None and domain.kind == "tuple":
        return not items
    if len(items) < 2:
        return True
    if len({ast.dump(item) for item in items}) == 1:
        return True
    nested = [item for item in items if isinstance(item, ast.List | ast.Tuple | ast.Set | ast.Dict)]
    inner = domain.element if domain is not None and domain.kind != "matrix" else None
    if domain is not None and (domain.kind == "graph" or domain.kind == "matrix"):
        return all(_size(item) == 0 for item in items)
    # Rows that are all empty or of one element show no more than their number.
    return len(nested) == len(items) and all(is_degenerate(item, inner) for item in nested)


def _mapping(node: ast.Dict, domain: ParameterDomain | None) -> bool:
    if domain is not None and domain.fields:
        return not node.keys
    if len(node.keys) < 2:
        return True
    return domain is not None and domain.kind == "graph" and all(_size(value) == 0 for value in node.values)


def _constant_function(node: ast.Lambda) -> bool:
    """Whether a function ignores its arguments or returns the first one unchanged."""
    given = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if isinstance(node.body, ast.Name) and given[:1] == [node.body.id]:
        return True
    read = {part.id for part in ast.walk(node.body) if isinstance(part, ast.Name)}
    return bool(given) and not read & set(given)


def _call(node: ast.Call, domain: ParameterDomain | None) -> bool:
    name = last_name(node.func)
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    if name in _CONSTRUCTORS:
        return not arguments or is_degenerate(arguments[0], domain)
    if name == "range":
        return all(isinstance(value, ast.Constant) and value.value in (0, 1) for value in arguments)
    if name in _NUMBERS:
        return not arguments or all(
            isinstance(value, ast.Constant) and str(value.value).strip("0.") == "" for value in arguments
        )
    if name == "StringIO" or name == "BytesIO":
        return not arguments or is_degenerate(arguments[0])
    return False


def _size(node: ast.expr) -> int:
    if isinstance(node, ast.Dict):
        return len(node.keys)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return len(node.elts)
    return 0 if isinstance(node, ast.Call) and not node.args else 1
