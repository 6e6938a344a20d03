"""Reads expressions into shapes."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from ....utils.python_names import last_name
from .calls import (
    MOMENT_PARSERS,
    MOMENT_PARTS,
    call_builtin,
    call_function,
    call_method,
    called_with,
    compiled_pattern,
    note_moment,
    note_pattern,
    pass_arguments,
    tested,
)
from .conditions import compared, contained, is_none
from .operators import calculated, multiplied
from .shape import Function, Shape, contradict, made_of, unify

_MAXIMUM_ITEMS = 40
_POSITIONS = range(-3, 6)
_SEARCHING = frozenset("replace split rsplit partition rpartition find rfind index count".split())
Names = MutableMapping[str, Shape]


class Expressions:
    """Reads expressions.

    Attributes:
        functions: the module's functions.
        classes: shapes of objects and methods, by class.
        locals: nested functions that were read before.
    """

    def __init__(self, module_names: Mapping[str, Shape]) -> None:
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, tuple[Shape, dict[str, Function]]] = {}
        self.locals: dict[str, Function] = {}
        self._module_names = module_names
        self._readers: dict[type[ast.expr], Callable[[Any, Names], Shape]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.BinOp: self._operation,
            ast.UnaryOp: self._unary,
            ast.Compare: self._comparison,
            ast.BoolOp: self._either,
            ast.IfExp: self._conditional,
            ast.Call: self._call,
            ast.List: self._items,
            ast.Tuple: self._items,
            ast.Set: self._items,
            ast.Dict: self._dictionary,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Lambda: self._lambda,
            ast.JoinedStr: self._text,
            ast.NamedExpr: self._named,
        }

    def read(self, node: ast.expr, names: Names) -> Shape:
        """The shape of an expression; what the expression does with its parts is added to theirs."""
        reader = self._readers.get(type(node))
        if reader is not None:
            return reader(node, names)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.read(part, names)
        return Shape()

    # Plain

    def _constant(self, node: ast.Constant, _: Names) -> Shape:
        kinds: dict[type, str] = {bool: "boolean", int: "integer", float: "real", str: "text", bytes: "bytes"}
        kind = kinds.get(type(node.value))
        return Shape().vote(kind) if kind else Shape()

    def _name(self, node: ast.Name, names: Names) -> Shape:
        known = names.get(node.id)
        return known if known is not None else Shape()

    def _text(self, node: ast.JoinedStr, names: Names) -> Shape:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.read(part.value, names)
        return Shape().vote("text")

    def _named(self, node: ast.NamedExpr, names: Names) -> Shape:
        shape = self.read(node.value, names)
        names[node.target.id] = shape
        return shape

    def _attribute(self, node: ast.Attribute, names: Names) -> Shape:
        owner = (
            self.classes.get(node.value.id) if isinstance(node.value, ast.Name) and node.value.id not in names else None
        )
        if owner is not None and "enumeration" in owner[0].root().traits and not node.attr.startswith("_"):
            return owner[0]  # a member: what is compared with one is one
        base = self.read(node.value, names)
        method = self._method(base, node.attr)
        if method is not None and method.is_property:
            return method.result
        return base.get_attribute(node.attr)

    def _subscript(self, node: ast.Subscript, names: Names) -> Shape:
        base = self.read(node.value, names)
        if isinstance(node.slice, ast.Slice):
            for part in (node.slice.lower, node.slice.upper, node.slice.step):
                if part is not None:
                    self.read(part, names).vote("integer")
            return base.mark("sliced")
        index = self.read(node.slice, names)
        position = _position(node.slice)
        if position is not None:
            base.mark("positions")
            return base.get_position(position)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            base.vote("dict")
            return base.get_attribute(f"[{node.slice.value}]")
        base.mark("indexed")
        unify(base.get_index(), index)
        return base.get_item()

    # Operators

    def _operation(self, node: ast.BinOp, names: Names) -> Shape:
        left, right = self.read(node.left, names), self.read(node.right, names)
        moments = [side for side in (left, right) if "moment" in side.root().traits]
        if len(moments) == 1 and isinstance(node.op, ast.Add | ast.Sub):
            return moments[0]  # what is added to a moment is none
        if isinstance(node.op, ast.Add):
            if isinstance(node.right, ast.Compare):
                return left.mark("number")  # one more where the comparison holds
            if contradict(left, right):
                return left
            return unify(left, right).mark("added")
        if isinstance(node.op, ast.Mult):
            return multiplied(left, right, node)
        if isinstance(node.op, ast.Mod) and ("text" in left.root().kinds or isinstance(node.right, ast.Tuple)):
            return left.vote("text")
        if isinstance(node.op, ast.Sub | ast.BitAnd | ast.BitOr) and {"set", "dict"} & {
            *left.root().kinds,
            *right.root().kinds,
        }:
            return unify(left.vote("set"), right.vote("set"))
        return calculated(left, right, node)

    def _unary(self, node: ast.UnaryOp, names: Names) -> Shape:
        shape = self.read(node.operand, names)
        if isinstance(node.op, ast.Not):
            shape.mark("truth")
            return Shape().vote("boolean")
        return shape.mark("number")

    def _comparison(self, node: ast.Compare, names: Names) -> Shape:
        sides = [node.left, *node.comparators]
        shapes = [self.read(side, names) for side in sides]
        for at, operator in enumerate(node.ops):
            left, right = shapes[at], shapes[at + 1]
            if isinstance(operator, ast.In | ast.NotIn):
                _search(right, sides[at])
                contained(left, right, sides[at + 1])
            elif not isinstance(operator, ast.Is | ast.IsNot):
                compared(left, right, sides[at], sides[at + 1], operator)
        return Shape().vote("boolean")

    def _either(self, node: ast.BoolOp, names: Names) -> Shape:
        shapes = [self.read(part, names) for part in node.values]
        for shape in shapes[:-1]:
            shape.mark("truth")
        last = node.values[-1]
        if isinstance(node.op, ast.Or) and isinstance(last, ast.Dict) and not last.keys:
            for shape in shapes[:-1]:
                shape.vote("dict")  # what stands in for nothing is of the kind that is expected
        return shapes[-1]

    def _conditional(self, node: ast.IfExp, names: Names) -> Shape:
        self.read(node.test, names).mark("truth")
        body, other = self.read(node.body, names), self.read(node.orelse, names)
        return (
            body
            if contradict(body, other) or is_none(node.orelse)
            else other
            if is_none(node.body)
            else unify(body, other)
        )

    # Displays

    def _items(self, node: ast.List | ast.Tuple | ast.Set, names: Names) -> Shape:
        shape = Shape().vote(type(node).__name__.lower())
        for at, part in enumerate(node.elts[:_MAXIMUM_ITEMS]):
            inner = part.value if isinstance(part, ast.Starred) else part
            read = self.read(inner, names)
            if isinstance(part, ast.Starred):
                read = read.mark("iterated").get_each()
            if isinstance(node, ast.Tuple):
                shape.positions[at] = read
            elif not is_none(inner) and not contradict(shape.get_each(), read):
                unify(shape.get_each(), read)
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    shape.get_each().tokens[repr(inner.value)] = None
                    shape.get_each().mark("option")
        return shape

    def _dictionary(self, node: ast.Dict, names: Names) -> Shape:
        shape = Shape().vote("dict")
        for key, value in zip(node.keys[:_MAXIMUM_ITEMS], node.values, strict=False):
            item = self.read(value, names)
            if key is None:
                continue
            read = self.read(key, names)
            for part, one in ((shape.get_index(), key), (shape.get_item(), value)):
                if isinstance(one, ast.Constant) and isinstance(one.value, str | int):
                    part.tokens[repr(one.value)] = None
            if not contradict(shape.get_index(), read):
                unify(shape.get_index(), read)
            if not is_none(value) and not contradict(shape.get_item(), item):
                unify(shape.get_item(), item)
        return shape

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, names: Names) -> Shape:
        inner: Names = ChainMap({}, names)
        for generator in node.generators:
            shape = self.read(generator.iter, inner).mark("iterated")
            self._bind(generator.target, shape.get_each(), inner)
            for test in generator.ifs:
                self.read(test, inner).mark("truth")
        if isinstance(node, ast.DictComp):
            made = Shape().vote("dict")
            made.index, made.item = self.read(node.key, inner), self.read(node.value, inner)
            return made
        kinds: dict[type[ast.expr], str] = {ast.ListComp: "list", ast.SetComp: "set"}
        return made_of(kinds.get(type(node), "iterator"), self.read(node.elt, inner))

    def _bind(self, target: ast.expr, shape: Shape, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = shape
        elif isinstance(target, ast.Tuple | ast.List):
            shape.mark("unpacked")
            for at, part in enumerate(target.elts):
                self._bind(part, shape.get_position(at), names)

    def _lambda(self, node: ast.Lambda, names: Names) -> Shape:
        shape = Shape().mark("called")
        parameters: dict[str, Shape] = {}
        for at, one in enumerate(node.args.args):
            parameters[one.arg] = shape.get_argument(at)
        shape.root().result = self.read(node.body, ChainMap(parameters, names))
        return shape

    # Calls

    def _call(self, node: ast.Call, names: Names) -> Shape:
        arguments = [self.read(one.value if isinstance(one, ast.Starred) else one, names) for one in node.args]
        keywords = {one.arg: self.read(one.value, names) for one in node.keywords}
        if any(isinstance(one, ast.Starred) for one in node.args):
            for one, shape in zip(node.args, arguments, strict=True):
                if isinstance(one, ast.Starred):
                    shape.mark("iterated")
            arguments = []
        owner = _object_of_class(node.func)
        if owner is not None and (made := self._constructed(self.read(owner, names), arguments, keywords)) is not None:
            return made
        if isinstance(node.func, ast.Name):
            return self._call_name(node, node.func.id, arguments, keywords, names)
        if isinstance(node.func, ast.Attribute):
            return self._call_attribute(node.func, node, arguments, keywords, names)
        return called_with(self.read(node.func, names), arguments)

    def _call_name(
        self, node: ast.Call, name: str, arguments: list[Shape], keywords: Mapping[str | None, Shape], names: Names
    ) -> Shape:
        if name in names:
            return called_with(names[name], arguments)
        if name in self.classes:
            return self._new(name, arguments, keywords)
        function = self.locals.get(name) or self.functions.get(name)
        if function is not None:
            return call_function(function, arguments, keywords)
        if name == "isinstance" and len(node.args) == 2:
            tested(arguments[0], node.args[1])
            return Shape().vote("boolean")
        found = call_builtin(name, arguments)
        if arguments and "key" in keywords and name in ("sorted", "min", "max"):
            unify(keywords["key"].mark("called").get_argument(0), arguments[0].get_each())
        return found if found is not None else Shape()

    def _new(self, name: str, arguments: list[Shape], keywords: Mapping[str | None, Shape]) -> Shape:
        instance, methods = self.classes[name]
        if "__init__" in methods:
            pass_arguments(methods["__init__"], arguments, keywords)
        return instance

    def _constructed(self, owner: Shape, arguments: list[Shape], keywords: Mapping[str | None, Shape]) -> Shape | None:
        """The result of calling the class of an object; None where that is no single class of the module."""
        names = [name for name in owner.root().classes if name in self.classes]
        return self._new(names[0], arguments, keywords) if len(names) == 1 else None

    def _call_attribute(
        self,
        func: ast.Attribute,
        node: ast.Call,
        arguments: list[Shape],
        keywords: Mapping[str | None, Shape],
        names: Names,
    ) -> Shape:
        if func.attr in MOMENT_PARSERS and arguments:
            layout = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
            note_moment(arguments, last_name(func.value), func.attr, layout if isinstance(layout, str) else None)
        if isinstance(func.value, ast.Name) and func.value.id not in names and func.value.id not in self.classes:
            # A function of an imported module.
            if func.value.id == "re":
                pattern = compiled_pattern(node)
                if func.attr == "compile" and pattern is not None:
                    made = Shape()
                    made.compiled[pattern] = None
                    return made
                note_pattern(func.attr, pattern or (arguments[0] if arguments else None), arguments[1:])
            found = call_builtin(func.attr, arguments)
            return found if found is not None else Shape()
        if isinstance(func.value, ast.Name) and func.value.id in self.classes and func.value.id not in names:
            base = self.classes[func.value.id][0]
        else:
            base = self.read(func.value, names)
        if base.root().compiled:
            note_pattern(func.attr, base, arguments)
            # What is left after a replacement is searched further.
            return arguments[1] if func.attr == "sub" and len(arguments) > 1 else Shape()
        if func.attr in _SEARCHING and node.args:
            _search(base, node.args[0])
        method = self._method(base, func.attr)
        if method is not None:
            pass_arguments(method, arguments, keywords, skip=method.bound)
            return method.result
        if func.attr == "sort" and "key" in keywords:
            unify(keywords["key"].mark("called").get_argument(0), base.get_each())
        if base.root().classes:
            return called_with(base.get_attribute(func.attr), arguments)
        if func.attr == "replace" and keywords.keys() & MOMENT_PARTS:
            return base.mark("moment")
        found = call_method(base, func.attr, arguments)
        return found if found is not None else called_with(base.get_attribute(func.attr), arguments)

    def _method(self, base: Shape, name: str) -> Function | None:
        for owner in base.root().classes:
            methods = self.classes[owner][1] if owner in self.classes else {}
            if name in methods:
                return methods[name]
        return None


def _position(node: ast.expr) -> int | None:
    """The constant position of an index; None for others."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int) and -value in _POSITIONS else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value if node.value in _POSITIONS else None
    return None


def _search(text: Shape, node: ast.expr) -> None:
    """Notes what a text is searched for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        text.root().searched[repr(node.value)] = None


def _object_of_class(called: ast.expr) -> ast.expr | None:
    """The object whose class is called: `cls(…)`, `self.__class__(…)` or `type(self)(…)`; None for another call."""
    if isinstance(called, ast.Name):
        return called if called.id == "cls" else None
    if isinstance(called, ast.Attribute):
        return called.value if called.attr == "__class__" else None
    if isinstance(called, ast.Call) and last_name(called.func) == "type" and len(called.args) == 1:
        return called.args[0]
    return None
