"""Judges whether the source of a value is certainly outside a domain."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from ....utils.python_names import last_name
from ....utils.python_source import walk
from ..model.domain import ParameterDomain
from ..model.model import ClassFacts
from .conditions import meets

_Inside = Callable[["ast.expr | None", "ParameterDomain | None"], bool]
_ITERABLES = frozenset("list tuple set frozenset dict str bytes bytearray range iterator deque Counter".split())
_INDEXABLE = frozenset("list tuple str bytes bytearray range deque".split())
_DICTIONARIES = frozenset({"dict", "Counter", "OrderedDict", "defaultdict"})
_NUMBERS = frozenset({"float", "int", "bool"})
# Type names of literals and constructors that each kind of domain takes.
_ACCEPTED: Mapping[str, frozenset[str]] = {
    "integer": frozenset({"int", "bool"}),
    "real": _NUMBERS,
    "boolean": frozenset({"bool"}),
    "text": frozenset({"str"}),
    "bytes": frozenset({"bytes", "bytearray"}),
    "none": frozenset({"None"}),
    "set": frozenset({"set", "frozenset"}),
    "mapping": _DICTIONARIES,
    "tuple": frozenset({"tuple", "list"}),
    "matrix": frozenset({"list", "tuple"}),
    "iterator": frozenset({"iterator"}),
    "callable": frozenset({"function"}),
    "date": frozenset({"date", "datetime"}),
    "datetime": frozenset({"datetime"}),
    "duration": frozenset({"timedelta"}),
}
# The same for types that accept fewer or more than their kind.
_BY_TYPE: Mapping[str, frozenset[str]] = {
    "list": frozenset({"list"}),
    "tuple": frozenset({"tuple"}),
    "frozenset": frozenset({"frozenset"}),
    "complex": frozenset({"complex", "float", "int", "bool"}),
    "Decimal": frozenset({"Decimal"}),
    "Fraction": frozenset({"Fraction"}),
    "Path": frozenset({"Path"}),
    "Sequence": _INDEXABLE,
    "Iterable": _ITERABLES,
    **dict.fromkeys(("Collection", "Container", "Sized"), _ITERABLES - {"iterator"}),
}
# Types of literals: never an object of a project's class.
_PLAIN = frozenset("int float complex bool str bytes list tuple set frozenset dict None range".split())
_CONSTRUCTED = frozenset(
    "int float complex bool str bytes bytearray list tuple set frozenset dict range deque Counter OrderedDict "
    "defaultdict Decimal Fraction date datetime timedelta Path".split()
)


class Kinds:
    """Tracks what the names of one trial are bound to.

    Args:
        classes: the target's classes by name.
        names: type names of names that are bound from outside.
    """

    def __init__(self, classes: Mapping[str, ClassFacts], names: Mapping[str, str]) -> None:
        self.classes = classes
        self._names = dict(names)
        self._values: dict[str, ast.expr] = {}

    def bind(self, statement: ast.stmt) -> None:
        """Records what an assignment binds a name to."""
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            self._names[name] = self.kind(statement.value)
            self._values[name] = self.resolved(statement.value)
        elif isinstance(statement, ast.Expr | ast.AugAssign | ast.Delete):
            # What a statement may have changed keeps its type, not its content.
            for node in walk(statement):
                if isinstance(node, ast.Name):
                    self._values.pop(node.id, None)

    def resolved(self, node: ast.expr) -> ast.expr:
        """The expression that a name stands for, or the node itself."""
        return self._values.get(node.id, node) if isinstance(node, ast.Name) else node

    def kind(self, node: ast.expr) -> str:
        """The type name of a value; empty when only running it would show."""
        if isinstance(node, ast.Constant):
            return "None" if node.value is None else type(node.value).__name__
        if isinstance(node, ast.UnaryOp):
            return "bool" if isinstance(node.op, ast.Not) else self.kind(node.operand)
        if isinstance(node, ast.JoinedStr):
            return "str"
        if isinstance(node, ast.Lambda):
            return "function"
        if isinstance(node, ast.BinOp):
            return "Path" if isinstance(node.op, ast.Div) and self.kind(node.left) == "Path" else ""
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            return type(node).__name__.lower()
        if isinstance(node, ast.ListComp):
            return "list"
        if isinstance(node, ast.Name):
            return self._names.get(node.id, "")
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name == "iter":
                return "iterator"
            return name if name in _CONSTRUCTED or name in self.classes else ""
        return ""


def is_inside(node: ast.expr, domain: ParameterDomain, kinds: Kinds, *, conditions: bool = True) -> bool:
    """Whether a value may belong to a domain; False only where it is certainly outside.

    Args:
        conditions: whether bounds and preconditions count, besides the kinds of value.
    """
    if not domain.strong or isinstance(node, ast.Starred):
        return True
    return _inside(kinds.resolved(node), domain, kinds, conditions)


def _inside(node: ast.expr, domain: ParameterDomain, kinds: Kinds, conditions: bool) -> bool:
    kind = kinds.kind(node)
    if not kind or domain.kind in ("any", "type", "pattern", "file"):
        return True
    if kind == "None":
        return domain.optional or domain.kind in ("none", "other", "choice")
    if domain.kind == "union":
        return any(_inside(node, member, kinds, conditions) for member in domain.alternatives)
    if not _accepts(kind, node, domain, kinds):
        return False
    if conditions and not meets(node, domain):
        return False
    return _parts_inside(node, domain, kinds, conditions)


def _accepts(kind: str, node: ast.expr, domain: ParameterDomain, kinds: Kinds) -> bool:
    """Whether a type belongs to a domain, whatever the content."""
    if domain.kind == "object":
        return kind not in _PLAIN
    if kind in kinds.classes:
        # A class can be called like a function; a subclass may derive from the plain type.
        return domain.kind == "callable" or bool(kinds.classes[kind].bases)
    if domain.kind == "choice":
        return not kinds.kind(node) or ast.unparse(node) in domain.choices
    if domain.kind == "path":
        return (
            kind == "Path" if domain.source == "annotation" and domain.type_name == "Path" else kind in ("Path", "str")
        )
    if domain.kind == "graph":
        return kind in ("list", "tuple") if domain.style in ("edges", "indexed") else kind in _DICTIONARIES
    if domain.kind == "sequence":
        accepted = _BY_TYPE.get(domain.type_name, _ITERABLES)
        if domain.source != "annotation" and domain.type_name == "tuple":
            accepted = _BY_TYPE["list"] | accepted
        if kind == "str":
            return "str" in accepted and _takes_letters(domain)
        return kind in accepted
    if domain.kind == "real" and not domain.type_name and domain.source != "annotation":
        return kind in _NUMBERS | {"Decimal", "Fraction"}
    if domain.kind == "tuple":
        return kind == "tuple" if domain.source == "annotation" else kind in _ACCEPTED["tuple"]
    accepted = _BY_TYPE.get(domain.type_name) or _ACCEPTED.get(domain.kind)
    if accepted is None:
        return domain.type_name not in _CONSTRUCTED or kind == domain.type_name
    return kind in accepted


def _takes_letters(domain: ParameterDomain) -> bool:
    """Whether a text may stand for a sequence: of letters, or of anything; a text is not a list of texts."""
    element = domain.element
    return element is None or element.kind == "any" or (element.kind == "text" and element.length == 1)


def _parts_inside(node: ast.expr, domain: ParameterDomain, kinds: Kinds, conditions: bool) -> bool:
    def inside(part: ast.expr | None, inner: ParameterDomain | None) -> bool:
        if part is None or inner is None or isinstance(part, ast.Starred):
            return True
        return _inside(kinds.resolved(part), inner, kinds, conditions)

    if isinstance(node, ast.Lambda):
        return _takes(node, domain.arity)
    if kinds.kind(node) == "range" and domain.kind in ("sequence", "set", "iterator"):
        return inside(ast.Constant(1), domain.element)
    if isinstance(node, ast.Dict):
        if domain.kind == "graph":
            closed = not conditions or _names_own_nodes(node)
            return closed and all(_neighbours_inside(value, domain, inside) for value in node.values)
        return all(inside(key, domain.key) for key in node.keys) and all(
            inside(value, domain.value) for value in node.values
        )
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return True
    if domain.kind == "tuple":
        fields = [field for _, field in domain.fields]
        if domain.length is not None and len(node.elts) != domain.length:
            return False
        return all(inside(part, field) for part, field in zip(node.elts, fields, strict=False))
    if domain.kind == "matrix":
        return _rows_inside(node, domain, inside)
    if domain.kind == "graph":
        return all(_neighbours_inside(part, domain, inside) for part in node.elts)
    return all(inside(part, domain.element) for part in node.elts)


def _takes(node: ast.Lambda, arity: int | None) -> bool:
    """Whether a function can be called with so many arguments."""
    if arity is None or arity < 0:
        return True
    given = node.args
    most = 99 if given.vararg else len(given.posonlyargs) + len(given.args)
    least = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return least <= arity <= most


def _rows_inside(node: ast.List | ast.Tuple | ast.Set, domain: ParameterDomain, inside: _Inside) -> bool:
    """Whether all items are rows of equal length whose cells are inside."""
    sizes: set[int] = set()
    for row in node.elts:
        if isinstance(row, ast.Constant | ast.Dict | ast.Set):
            return False
        if isinstance(row, ast.List | ast.Tuple):
            sizes.add(len(row.elts))
            if not all(inside(cell, domain.element) for cell in row.elts):
                return False
    return len(sizes) < 2


def _names_own_nodes(node: ast.Dict) -> bool:
    """Whether each neighbour in an adjacency is one of its nodes; what only running it would show counts as one."""
    nodes = {ast.dump(key) for key in node.keys if key is not None}
    if any(not isinstance(key, ast.Constant) for key in node.keys):
        return True
    neighbours: list[ast.expr] = []
    for value in node.values:
        if isinstance(value, ast.Dict):
            neighbours += [key for key in value.keys if key is not None]
        elif isinstance(value, ast.List | ast.Tuple | ast.Set):
            # Of a neighbour with its weight, the first part.
            pairs = [item.elts[0] if isinstance(item, ast.Tuple) and item.elts else item for item in value.elts]
            neighbours += pairs
    return all(ast.dump(one) in nodes for one in neighbours if isinstance(one, ast.Constant))


def _neighbours_inside(node: ast.expr, domain: ParameterDomain, inside: _Inside) -> bool:
    """Whether one item of an adjacency is written in the graph's style."""
    if isinstance(node, ast.Constant):
        return False
    if domain.style == "mapping":
        return not isinstance(node, ast.List | ast.Tuple | ast.Set)
    if isinstance(node, ast.Dict):
        # The keys of a mapping are neighbours, too, where only they are read.
        return domain.style in ("list", "set", "")
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        if domain.style == "pairs":
            return all(not isinstance(item, ast.Constant) for item in node.elts)
        if domain.style == "edges":
            return len(node.elts) == (domain.length or 2)
        return all(not isinstance(item, ast.List | ast.Dict | ast.Set) for item in node.elts) and all(
            inside(item, domain.element) for item in node.elts
        )
    return True
