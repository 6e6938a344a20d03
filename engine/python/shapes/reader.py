"""Reads the shapes of a module's parameters from its source: how bodies use them, across calls within the module."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import partial

from ....utils.python_names import bound_variables, last_name
from ....utils.python_source import expression_or_none
from .calls import CONVERTING
from .conditions import assertion, guard
from .expressions import Expressions
from .narrowing import Narrowing, narrowing_of
from .shape import Function, Shape, unify

_Definition = ast.FunctionDef | ast.AsyncFunctionDef
# Functions that are read anew for their calls: how long they are, and how many readings a module gets.
_MOST_LINES = 30
_MOST_READINGS = 300
# How many tests of types are read within each other; a long row of them is read as plain branches.
_MOST_NARROWED = 12
_NUMBERS = frozenset({"int", "float"})
_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
Names = MutableMapping[str, Shape]


@dataclass(slots=True)
class ModuleShapes:
    """The shapes of a module's parameters and of the objects of its classes.

    Attributes:
        parameters: by qualified name and parameter.
        classes: shapes of the classes' objects, whose attributes are those that any code sets or reads.
    """

    parameters: dict[tuple[str, str], Shape] = field(default_factory=dict[tuple[str, str], Shape])
    classes: dict[str, Shape] = field(default_factory=dict[str, Shape])


Imported = Mapping[str, tuple[ast.Module, str]]
"""The module that an imported name comes from, and its name there, by the name in the importing module."""


def read_shapes(tree: ast.Module, imported: Imported | None = None) -> ModuleShapes:
    """Reads a module; in time nearly linear in its size.

    Args:
        imported: functions and classes of other modules of the project: what is passed to them is used as they use it.
    """
    reader = _Reader()
    others: dict[int, _Reader] = {}
    for name, (other, original) in (imported or {}).items():
        if id(other) not in others:
            others[id(other)] = _Reader()
            others[id(other)].module(other)
        reader.declare_imported(name, original, others[id(other)])
    reader.module(tree)
    _mark_keys(reader.found)
    return reader.found


def _mark_keys(found: ModuleShapes) -> None:
    """Marks what parameters and attributes that are dictionaries or sets have as keys and members."""
    owned = [shape for one in found.classes.values() for shape in one.root().attributes.values()]
    for shape in (*found.parameters.values(), *owned):
        root = shape.root()
        for kind, part in (("dict", root.index), ("set", root.each)):
            if root.kinds[kind] and part is not None:
                part.mark("hashed")


class _Reader:
    """Reads statements; expressions are read by `Expressions`.

    An assignment on the top level of a body begins a new shape; one inside of a branch or loop adds to the name's
    shape, because both may be what later code sees.
    """

    def __init__(self) -> None:
        self.found = ModuleShapes()
        self._globals: dict[str, Shape] = {}
        self._expressions = Expressions(self._globals)
        self._depth = 0
        self._active: set[_Definition] = set()
        self._readings = 0
        self._set_aside: set[Shape] = set()

    def declare_imported(self, name: str, original: str, other: _Reader) -> None:
        """Makes a function or class that another module defines known by its name here."""
        function, owner = other._expressions.functions.get(original), other._expressions.classes.get(original)
        if function is not None:
            self._expressions.functions[name] = function
        if owner is not None:
            self._expressions.classes[name] = owner
            self._expressions.classes.setdefault(original, owner)

    def module(self, tree: ast.Module) -> None:
        """Declares all functions and classes first, then reads their bodies."""
        bodies: list[tuple[_Definition, Function, Shape | None]] = []
        for node in tree.body:
            if isinstance(node, _Definition):
                self._expressions.functions[node.name] = self._declare(node, node.name, None, bodies)
            elif isinstance(node, ast.ClassDef):
                self._declare_class(node, bodies)
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                self._statement(node, self._globals, None)
        for definition, function, _ in bodies:
            names: Names = ChainMap(dict(function.parameters), self._globals)
            self._body(definition.body, names, function)

    def _declare(
        self,
        node: _Definition,
        qualname: str,
        instance: Shape | None,
        bodies: list[tuple[_Definition, Function, Shape | None]],
    ) -> Function:
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        parameters = {one.arg: Shape() for one in given}
        if node.args.vararg is not None:
            # The parameter's domain is that of one argument.
            parameters[node.args.vararg.arg] = Shape().vote("tuple")
        static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
        if instance is not None and given and not static:
            parameters[given[0].arg] = instance
        function = Function(parameters, bound=instance is not None and not static)
        if instance is None and _returns_parameter(node):
            function.read_anew = partial(self._read_anew, node, self._globals, function)
        bodies.append((node, function, instance))
        for name, shape in parameters.items():
            if shape is not instance:
                each = node.args.vararg is not None and name == node.args.vararg.arg
                self.found.parameters[(qualname, name)] = shape.get_each() if each else shape
        return function

    def _declare_class(self, node: ast.ClassDef, bodies: list[tuple[_Definition, Function, Shape | None]]) -> None:
        instance = Shape()
        instance.classes[node.name] = None
        if _ENUMERATIONS & {last_name(base) for base in node.bases}:
            instance.mark("enumeration")
        self.found.classes[node.name] = instance
        methods: dict[str, Function] = {}
        for part in node.body:
            if isinstance(part, _Definition):
                qualname = node.name if part.name == "__init__" else f"{node.name}.{part.name}"
                methods[part.name] = self._declare(part, qualname, instance, bodies)
                if any(isinstance(one, ast.Name) and one.id == "property" for one in part.decorator_list):
                    methods[part.name].is_property = True
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self.found.parameters[(node.name, part.target.id)] = instance.get_attribute(part.target.id)
        self._expressions.classes[node.name] = (instance, methods)

    def _body(self, statements: list[ast.stmt], names: Names, function: Function | None) -> None:
        for at, statement in enumerate(statements):
            if isinstance(statement, ast.If) and (found := self._narrowing(statement, statements[at + 1 :], names)):
                self._narrowed(statement, found, names, function)
                if found.follows:
                    return  # what comes behind was read as one of the branches
            else:
                self._statement(statement, names, function)

    def _narrowing(self, node: ast.If, rest: list[ast.stmt], names: Names) -> Narrowing | None:
        found = narrowing_of(node, rest, self._expressions.classes) if len(self._set_aside) < _MOST_NARROWED else None
        return found if found is not None and found.name in names else None

    def _narrowed(self, node: ast.If, narrowing: Narrowing, names: Names, function: Function | None) -> None:
        """Reads two branches that use a name for values of two kinds; it stays what it mainly is."""
        guard(node, names)
        main, other = names[narrowing.name], Shape()
        self._set_aside.add(other)
        accepted, refused = (other, main) if narrowing.refused_is_main else (main, other)
        if narrowing.owner:
            # No shape is unified with the class's own: what is said of one value holds for no other object.
            accepted.root().classes[narrowing.owner] = None
        for body, shape in ((narrowing.accepted, accepted), (narrowing.refused, refused)):
            names[narrowing.name] = shape
            inner = body is node.body or body is node.orelse
            (self._nested if inner else self._body)(body, names, function)
        self._set_aside.remove(other)
        names[narrowing.name] = main

    def _nested(self, statements: list[ast.stmt], names: Names, function: Function | None) -> None:
        self._depth += 1
        self._body(statements, names, function)
        self._depth -= 1

    def _statement(self, node: ast.stmt, names: Names, function: Function | None) -> None:
        read = self._expressions.read
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, names)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, node.value, names)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, names)
        elif isinstance(node, ast.Return):
            shape = read(node.value, names) if node.value is not None else Shape()
            if function is not None and not isinstance(node.value, ast.Constant):
                unify(function.result, shape)
        elif isinstance(node, ast.Expr):
            read(node.value, names)
        elif isinstance(node, _Definition):
            self._local(node, names)
        else:
            self._compound(node, names, function)

    def _compound(self, node: ast.stmt, names: Names, function: Function | None) -> None:
        read = self._expressions.read
        if isinstance(node, ast.For | ast.AsyncFor):
            shape = read(node.iter, names).mark("iterated")
            self._bind(node.target, shape.get_each(), names, fresh=True)
            self._nested([*node.body, *node.orelse], names, function)
        elif isinstance(node, ast.If | ast.While):
            guard(node, names)
            read(node.test, names).mark("truth")
            self._nested(node.body, names, function)
            self._nested(node.orelse, names, function)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                shape = read(item.context_expr, names)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, shape, names, fresh=True)
            self._nested(node.body, names, function)
        elif isinstance(node, ast.Try):
            handlers = [statement for handler in node.handlers for statement in handler.body]
            self._nested([*node.body, *handlers, *node.orelse, *node.finalbody], names, function)
        elif isinstance(node, ast.Assert):
            assertion(node, names)
            read(node.test, names)
        elif isinstance(node, ast.Raise | ast.Delete):
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr):
                    read(part, names)

    def _local(self, node: _Definition, names: Names) -> None:
        """Reads a nested function as part of its surrounding one."""
        function = self._fresh(node, names)
        self._expressions.locals[node.name] = function
        if _returns_parameter(node):
            function.read_anew = partial(self._read_anew, node, names, function)

    def _read_anew(self, node: _Definition, names: Names, function: Function) -> Function:
        """Reads a function for one call; the shared one within itself, and where there are too many calls."""
        if node in self._active or self._readings >= _MOST_READINGS:
            return function
        self._readings += 1
        self._active.add(node)
        found = self._fresh(node, names)
        self._active.remove(node)
        return found

    def _fresh(self, node: _Definition, names: Names) -> Function:
        parameters = {one.arg: Shape() for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        function = Function(parameters)
        depth, self._depth = self._depth, 0
        self._body(node.body, ChainMap(dict(parameters), names), function)
        self._depth = depth
        return function

    def _assign(self, target: ast.expr, value: ast.expr, names: Names) -> None:
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple):
            # Read all before any is bound: `a, b = b, a`.
            shapes = [self._expressions.read(part, names) for part in value.elts]
            for part, shape in zip(target.elts, shapes, strict=False):
                self._bind(part, shape, names)
            return
        converted = _converted_by(target, value) if self._depth else ""
        if converted in _NUMBERS and _names_itself(target, value):
            return  # `key = int(key)` in a branch: not every key is a number
        shape = self._expressions.read(value, names)
        if converted:
            return  # `text = str(text)` in a branch: what it was before is what callers pass
        self._bind(target, shape, names)

    def _bind(self, target: ast.expr, shape: Shape, names: Names, *, fresh: bool = False) -> None:
        if isinstance(target, ast.Name):
            known = names.get(target.id)
            if known in self._set_aside:
                return  # what a branch makes of a value of the other kind is no value of that kind
            if known is not None and self._depth and not fresh:
                unify(known, shape)
            else:
                names[target.id] = shape
        elif isinstance(target, ast.Tuple | ast.List):
            plain = [part for part in target.elts if not isinstance(part, ast.Starred)]
            shape.mark("unpacked" if len(plain) == len(target.elts) else "iterated")
            for at, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    self._bind(part.value, shape, names, fresh=fresh)
                else:
                    self._bind(part, shape.get_position(at), names, fresh=fresh)
        elif isinstance(target, ast.Attribute):
            unify(self._expressions.read(target.value, names).get_attribute(target.attr), shape)
        elif isinstance(target, ast.Subscript):
            base = self._expressions.read(target.value, names)
            base.mark("assigned")
            unify(self._expressions.read(target, names), shape)

    def _augment(self, node: ast.AugAssign, names: Names) -> None:
        """`x += y` is `x = x + y`; a container takes items of the other one."""
        shape = self._expressions.read(ast.BinOp(node.target, node.op, node.value), names)
        if isinstance(node.target, ast.Name) and not self._depth:
            names[node.target.id] = shape
        if isinstance(node.target, ast.Subscript):
            self._expressions.read(node.target.value, names).mark("assigned")


def _returns_parameter(node: _Definition) -> bool:
    """Whether a short function may return a parameter as it is."""
    if (node.end_lineno or node.lineno) - node.lineno > _MOST_LINES:
        return False
    names = {one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    returned += [part for one in returned if isinstance(one, ast.IfExp) for part in (one.body, one.orelse)]
    return any(isinstance(one, ast.Name) and one.id in names for one in returned)


def _names_itself(target: ast.expr, value: ast.expr) -> bool:
    """Whether what a call is passed is the variable that it is bound to, and nothing else."""
    given = value.args if isinstance(value, ast.Call) else []
    return len(given) == 1 and isinstance(given[0], ast.Name) and ast.unparse(target) == given[0].id


def _converted_by(target: ast.expr, value: ast.expr) -> str:
    """The function that converts the value that a variable is bound to; "" where none does."""
    called = value.func if isinstance(target, ast.Name) and isinstance(value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) and called.id in CONVERTING else ""


def with_constants(tree: ast.Module, source_of: Callable[[str], str | None]) -> ast.Module:
    """The module with texts and numbers in the place of names in capitals that stand for them.

    Args:
        source_of: the source of a constant by its name; None for any other name.
    """
    changed = _NamedConstants(source_of, _bound_in_functions(tree)).visit(tree)
    assert isinstance(changed, ast.Module)
    return changed


def _bound_in_functions(tree: ast.Module) -> set[str]:
    """Names that some function binds itself: as a parameter, by assignment, in a loop."""
    bound: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, _Definition | ast.Lambda):
            bound |= bound_variables(function)
    return bound


class _NamedConstants(ast.NodeTransformer):
    def __init__(self, source_of: Callable[[str], str | None], others: set[str]) -> None:
        self._source_of = source_of
        self._known: dict[str, ast.expr | None] = dict.fromkeys(others)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not node.id.isupper() or not isinstance(node.ctx, ast.Load):
            return node
        if node.id not in self._known:
            self._known[node.id] = expression_or_none(self._source_of(node.id) or "")
        constant = self._known[node.id]
        return ast.copy_location(ast.Constant(constant.value), node) if isinstance(constant, ast.Constant) else node
