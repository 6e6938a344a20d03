"""Reads the form of JSON values from the code that uses them: keys, items, and what is done with the parts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ....utils.python_names import last_name
from ..model.domain import DomainKind
from ..model.model import ClassFacts
from ..source.annotations import TypeHint, type_hint

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_DEPTH = 5
_BY_CALL: dict[str, DomainKind] = {"int": "integer", "float": "real", "Decimal": "real", "round": "real", "str": "text"}
_BY_TYPE: dict[str, DomainKind] = {
    "int": "integer",
    "float": "real",
    "Decimal": "real",
    "str": "text",
    "bool": "boolean",
}
_TEXT_METHODS = frozenset("strip lower upper title split startswith endswith replace encode format join".split())
_DATES = frozenset("fromisoformat strptime".split())
_ISO_DATE = ("'2024-05-03T10:30:00'", "'2024-06-17T18:00:00'")


@dataclass(eq=False, slots=True)
class JsonShape:
    """What is known of a JSON value.

    Attributes:
        fields: parts of an object by key.
        item: part of a list, or value of an object whose keys are not constants.
        kind: of a plain value; empty where unknown.
        tokens: constants that it is compared with, as source.
        keyed: whether it is an object with keys that are not constants; `keys`: variables that are such keys.
    """

    fields: dict[str, JsonShape] = field(default_factory=dict[str, "JsonShape"])
    item: JsonShape | None = None
    kind: DomainKind | None = None
    tokens: dict[str, None] = field(default_factory=dict[str, None])
    keyed: bool = False
    keys: dict[str, None] = field(default_factory=dict[str, None])

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.fields or self.kind or self.tokens) or self.item is not None

    @property
    def has_alternatives(self) -> bool:
        """Whether a part is compared with constants, or is a flag."""
        parts = [*self.fields.values(), *([self.item] if self.item is not None else [])]
        return bool(self.tokens) or self.kind == "boolean" or any(part.has_alternatives for part in parts)

    def of_key(self, key: str) -> JsonShape:
        """The part of a key."""
        return self.fields.setdefault(key, JsonShape())

    def of_item(self) -> JsonShape:
        """The part that all items are like."""
        if self.item is None:
            self.item = JsonShape()
        return self.item


class JsonReader:
    """Reads how code uses what it reads as JSON; all of it counts as one value.

    Args:
        definitions: functions and methods of the project by their names; calls of them are followed.
        class_named: finds a class of the project by its name.
        is_json: whether a call reads JSON.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        class_named: Callable[[str], ClassFacts | None],
        is_json: Callable[[ast.AST], bool],
    ) -> None:
        self.root = JsonShape()
        self._definitions = definitions
        self._class_named = class_named
        self._is_json = is_json
        self._depth = 0
        self._declared: ast.expr | None = None

    def read(self, definition: Definition, given: Sequence[JsonShape | None] = ()) -> JsonShape | None:
        """Reads a body with shapes for its first parameters; returns the shape of what it returns."""
        names = [one.arg for one in (*definition.args.posonlyargs, *definition.args.args)]
        if names[:1] in (["self"], ["cls"]):
            names = names[1:]
        known = {name: shape for name, shape in zip(names, given, strict=False) if shape is not None}
        outer, self._declared = self._declared, definition.returns
        self._depth += 1
        found = self._body(definition.body, known) if self._depth <= _DEPTH else None
        self._depth -= 1
        self._declared = outer
        return found

    def _body(self, statements: Sequence[ast.stmt], known: dict[str, JsonShape]) -> JsonShape | None:
        returned: JsonShape | None = None
        for node in statements:
            if isinstance(node, Definition | ast.ClassDef):
                continue
            returned = self._statement(node, known) or returned
            for name in ("body", "orelse", "finalbody"):
                returned = self._body(getattr(node, name, []), known) or returned
            for handler in getattr(node, "handlers", []):
                returned = self._body(handler.body, known) or returned
        return returned

    def _statement(self, node: ast.stmt, known: dict[str, JsonShape]) -> JsonShape | None:
        """Reads a statement without those inside of it; returns the shape of what it returns."""
        if isinstance(node, ast.Return):
            shape = self._value(node.value, known) if node.value is not None else None
            if shape is not None and self._declared is not None:
                _type(shape, type_hint(ast.unparse(self._declared)))
            return shape
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            shape = self._value(node.value, known)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, shape, known)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._bind_items(node.target, node.iter, known)
        else:
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr | ast.withitem):
                    self._value(part.context_expr if isinstance(part, ast.withitem) else part, known)
        return None

    def _bind(self, target: ast.expr, shape: JsonShape | None, known: dict[str, JsonShape]) -> None:
        if isinstance(target, ast.Name):
            if shape is not None:
                known[target.id] = shape
            else:
                known.pop(target.id, None)

    def _bind_items(self, target: ast.expr, iterated: ast.expr, known: dict[str, JsonShape]) -> None:
        """Binds the target of a loop over a list, or over `.items()` or `.values()` of an object."""
        method = (
            iterated.func.attr if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute) else ""
        )
        if method in ("items", "values", "keys") and isinstance(iterated, ast.Call):
            base = iterated.func.value if isinstance(iterated.func, ast.Attribute) else iterated
            shape = self._value(base, known)
            if shape is not None:
                shape.keyed = True
                part = shape.of_item()
                value = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else target
                if method != "keys":
                    self._bind(value, part, known)
            return
        shape = self._value(iterated, known)
        if shape is not None and not shape.fields:
            self._bind(target, shape.of_item(), known)

    def _value(self, node: ast.expr, known: dict[str, JsonShape]) -> JsonShape | None:
        """Reads an expression; returns its shape where it is a part of the JSON value."""
        if self._is_json(node):
            return self.root
        if isinstance(node, ast.Name):
            return known.get(node.id)
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self._value(node.value, known)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, known)
        if isinstance(node, ast.Call):
            return self._call(node, known)
        if isinstance(node, ast.Compare):
            self._compare(node, known)
            return None
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            self._comprehension(node, known)
            return None
        if isinstance(node, ast.BoolOp):
            return next((found for part in node.values if (found := self._value(part, known)) is not None), None)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._value(part, known)
        return None

    def _subscript(self, node: ast.Subscript, known: dict[str, JsonShape]) -> JsonShape | None:
        shape = self._value(node.value, known)
        self._value(node.slice, known)
        if shape is None:
            return None
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return shape.of_key(node.slice.value)
        number = isinstance(node.slice, ast.Constant | ast.UnaryOp)
        if isinstance(node.slice, ast.Name):
            shape.keys[node.slice.id] = None
        shape.keyed = shape.keyed or not (number or isinstance(node.slice, ast.Slice))
        return shape if isinstance(node.slice, ast.Slice) else shape.of_item()

    def _call(self, node: ast.Call, known: dict[str, JsonShape]) -> JsonShape | None:
        given = [self._value(argument, known) for argument in node.args if not isinstance(argument, ast.Starred)]
        named = {one.arg: self._value(one.value, known) for one in node.keywords}
        name = last_name(node.func)
        if isinstance(node.func, ast.Attribute):
            base = self._value(node.func.value, known)
            if base is not None:
                return self._method(base, name, node)
        first = given[0] if given else None
        if first is not None and name in _BY_CALL:
            first.kind = first.kind or _BY_CALL[name]
        if first is not None and name in _DATES:
            first.tokens.update(dict.fromkeys(_ISO_DATE))
        if first is not None and name in ("list", "sorted", "tuple", "reversed", "enumerate", "iter"):
            return first
        if name in self._definitions:
            return self.read(self._definitions[name], given)
        self._construct(name, given, named)
        return None

    def _method(self, base: JsonShape, name: str, node: ast.Call) -> JsonShape | None:
        key = node.args[0] if node.args else None
        if name in ("get", "pop") and isinstance(key, ast.Constant) and isinstance(key.value, str):
            part = base.of_key(key.value)
            default = node.args[1] if len(node.args) > 1 else None
            if isinstance(default, ast.List):
                part.of_item()
            return part
        if name in _TEXT_METHODS:
            base.kind = base.kind or "text"
        return None

    def _construct(
        self, name: str, given: Sequence[JsonShape | None], named: Mapping[str | None, JsonShape | None]
    ) -> None:
        """An object of a project's class is made of parts: their types are those of its parameters."""
        owner = self._class_named(name) if name[:1].isupper() else None
        constructor = owner.constructor if owner is not None else None
        if constructor is None:
            return
        parameters = [one for one in constructor.parameters if one.name not in ("self", "cls")]
        whole = named.get(None)
        for at, parameter in enumerate(parameters):
            part = given[at] if at < len(given) else named.get(parameter.name)
            if part is None and whole is not None:
                part = whole.of_key(parameter.name)  # `Issue(**data)`
            if part is not None:
                _type(part, type_hint(parameter.annotation))

    def _compare(self, node: ast.Compare, known: dict[str, JsonShape]) -> None:
        sides = [node.left, *node.comparators]
        shapes = [self._value(side, known) for side in sides]
        for shape in shapes:
            for side in sides:
                if shape is not None and isinstance(side, ast.Constant) and side.value is not None:
                    if isinstance(side.value, str):
                        shape.tokens[repr(side.value)] = None
                    elif not isinstance(side.value, bool):
                        shape.kind = shape.kind or "integer"

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, known: dict[str, JsonShape]
    ) -> None:
        inner = dict(known)
        for generator in node.generators:
            self._bind_items(generator.target, generator.iter, inner)
            for condition in generator.ifs:
                self._value(condition, inner)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._value(part, inner)


def _type(part: JsonShape, hint: TypeHint) -> None:
    for member in hint.members():
        if member.name in _BY_TYPE:
            part.kind = part.kind or _BY_TYPE[member.name]
        if member.name == "list" and not part.fields:
            item = part.of_item()
            for inner in member.arguments:
                _type(item, inner)
