"""Counts the arguments of a trial whose types contradict the annotations of their parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ....utils.python_names import last_name
from ....utils.python_source import parse_python
from ..model.model import CallableFacts, ModuleFacts, Trial
from ..source.annotations import TypeHint, type_hint
from ..usage.harvest import bound_arguments

_ITERABLES = frozenset("list tuple set frozenset dict str bytes bytearray range iterator deque Counter".split())
_ACCEPTED: Mapping[str, frozenset[str]] = {
    "int": frozenset({"int", "bool"}),
    "float": frozenset({"float", "int", "bool"}),
    "complex": frozenset({"complex", "float", "int", "bool"}),
    "bytes": frozenset({"bytes", "bytearray"}),
    "set": frozenset({"set", "frozenset"}),
    "dict": frozenset({"dict", "Counter", "OrderedDict", "defaultdict"}),
    "Mapping": frozenset({"dict", "Counter", "OrderedDict", "defaultdict"}),
    "Sequence": frozenset({"list", "tuple", "str", "bytes", "bytearray", "range", "deque"}),
    "Iterable": _ITERABLES,
    **dict.fromkeys(("Collection", "Container", "Sized"), _ITERABLES - {"iterator"}),
    "Iterator": frozenset({"iterator"}),
    "Callable": frozenset({"function"}),
    "date": frozenset({"date", "datetime"}),
    # These accept nothing but themselves.
    **{
        name: frozenset({name})
        for name in "bool str list tuple frozenset None Decimal Fraction datetime timedelta Path".split()
    },
}
# Types of literals: never an object of a project's class.
_PLAIN = frozenset("int float complex bool str bytes list tuple set frozenset dict None range".split())
_CONSTRUCTED = frozenset(
    "int float complex bool str bytes bytearray list tuple set frozenset dict range deque Counter OrderedDict "
    "defaultdict Decimal Fraction date datetime timedelta Path".split()
)
_ELEMENTS = frozenset("list tuple set frozenset Sequence Iterable Collection".split())


def has_annotations(facts: ModuleFacts) -> bool:
    """Whether any parameter of the module is annotated."""
    return any(parameter.annotation for function in facts.callables() for parameter in function.parameters)


def count_misfits(trial: Trial, facts: ModuleFacts) -> int:
    """Counts the arguments of the module's own callables that are certainly of another type than annotated.

    A type that only running the code would show counts as fitting.
    """
    try:
        parts = [_read(statement) for statement in trial.arrange]
        act = _read(trial.act.strip())
    except SyntaxError:
        return 0
    kinds = _Kinds(facts, trial)
    count = 0
    for part in parts:
        for statement, nodes in part:
            count += kinds.misfits_in(nodes)
            kinds.bind(statement)
    return count + sum(kinds.misfits_in(nodes) for _, nodes in act)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[tuple[ast.stmt, tuple[ast.expr, ...]], ...]:
    """Statements of a text, each with the nodes that pass arguments; cached for many trials. Raises SyntaxError."""
    return tuple(
        (
            statement,
            tuple(node for node in ast.walk(statement) if isinstance(node, ast.Call | ast.Compare | ast.Subscript)),
        )
        for statement in parse_python(text).body
    )


class _Kinds:
    """Tracks the types of the names of one trial."""

    def __init__(self, facts: ModuleFacts, trial: Trial) -> None:
        self._classes = {owner.name: owner for owner in facts.classes}
        self._functions = {function.qualname: function for function in facts.functions}
        self._names: dict[str, str] = {"tmp_path": "Path"} if "tmp_path" in trial.fixtures else {}

    def bind(self, statement: ast.stmt) -> None:
        """Records the type that a name is assigned."""
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            self._names[statement.targets[0].id] = self.kind(statement.value)

    def misfits_in(self, nodes: Iterable[ast.expr]) -> int:
        """Counts the misfits of every known call among the nodes."""
        count = 0
        for node in nodes:
            if isinstance(node, ast.Call):
                called = self._called(node.func)
                if called is not None:
                    given = bound_arguments(node, called)
                    count += sum(not self._fits(value, type_hint(item.annotation)) for item, value in given)
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                count += self._operator_misfits(node.comparators[0], "__contains__", node.left)
            elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
                count += self._operator_misfits(node.value, "__getitem__", node.slice)
        return count

    def _operator_misfits(self, receiver: ast.expr, name: str, given: ast.expr) -> int:
        member = self._member(self.kind(receiver), name)
        parameters = [one for one in member.parameters if one.name != "self"] if member is not None else []
        return sum(not self._fits(given, type_hint(parameter.annotation)) for parameter in parameters[:1])

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
        if isinstance(node, ast.Name):
            return self._names.get(node.id, "")
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name == "iter":
                return "iterator"
            return name if name in _CONSTRUCTED or name in self._classes else ""
        return ""

    def _called(self, function: ast.expr) -> CallableFacts | None:
        if isinstance(function, ast.Name):
            owner = self._classes.get(function.id)
            return owner.constructor if owner is not None else self._functions.get(function.id)
        if not isinstance(function, ast.Attribute):
            return None
        value = function.value
        known = value.id if isinstance(value, ast.Name) and value.id in self._classes else self.kind(value)
        return self._member(known, function.attr)

    def _member(self, owner: str, name: str) -> CallableFacts | None:
        found = self._classes.get(owner)
        return next((member for member in found.members if member.name == name), None) if found is not None else None

    def _fits(self, node: ast.expr, hint: TypeHint) -> bool:
        if hint.name == "Union":
            return any(self._fits(node, member) for member in hint.members())
        kind = self.kind(node)
        if not kind:
            return True
        if kind in self._classes and hint.name in _PLAIN:
            # A subclass may derive from the plain type.
            return kind == hint.name or bool(self._classes[kind].bases)
        if hint.name in self._classes:
            return kind not in _PLAIN or self._classes[hint.name].kind in ("protocol", "typeddict")
        accepted = _ACCEPTED.get(hint.name)
        if accepted is not None and kind not in accepted:
            # A class can be called like a function.
            return hint.name == "Callable" and kind in self._classes
        inner = hint.arguments[:1]
        if inner and hint.name in _ELEMENTS and isinstance(node, ast.List | ast.Tuple | ast.Set):
            several = hint.name == "tuple" and not (len(hint.arguments) == 2 and hint.arguments[1].name == "...")
            return several or all(self._fits(element, inner[0]) for element in node.elts)
        return True
