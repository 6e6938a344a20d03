"""Reads from a function's body its constants, comparisons, raises, branches, and the uses of its parameters.

A use is a pair of a name (a parameter, or `self.attribute`) and one of: `called:N`, `iterated`, `len`, `truth`,
`awaited`, `entered`, `number`, `arithmetic`, `text`, `method:NAME`, `attribute:NAME`, `item:SOURCE`, `unpacked:N`,
`isinstance:TYPE`, `argument:FUNCTION:POSITION`, `stored:ATTRIBUTE`, `compared:NAME` (by order),
`masked:NAME.MEMBER` (by named flags), `assigned`, and any of these after `element:` for what is done with its items.
That of `self` itself is `escapes`: the body changes what no other use tells of, such as a global variable, or gives the
object to other code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ....utils.python_names import Function, dotted_name
from ..model.model import BodyComparison, RaiseSite
from ..source.written_literals import written_literals
from .parameter_aliases import ParameterAliases, Root

_MAXIMUM_SOURCE = 200
_ORDERING = frozenset({"<", "<=", ">", ">="})


def read_body(node: Function, parameters: tuple[str, ...]) -> BodyFacts:
    """Reads the facts of a body; nested functions count as part of it. Linear in its size."""
    statements = node.body
    if statements and isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
        statements = statements[1:]
    reader = _Reader(frozenset(parameters), written_literals(statements))
    for statement in statements:
        reader.visit(statement)
    return reader.body


class _Reader(ast.NodeVisitor):
    def __init__(self, parameters: frozenset[str], written: frozenset[ast.Constant]) -> None:
        self.body = BodyFacts()
        self._written = written
        self._names = ParameterAliases(parameters, self.body.uses)
        self._conditions: list[str] = []
        self._depth = 0
        self._alike: tuple[tuple[tuple[type[ast.AST], ...], Callable[[Any], None]], ...] = (
            ((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), self._comprehension),
            ((ast.FunctionDef, ast.AsyncFunctionDef), self._function),
        )

    def visit(self, node: ast.AST) -> None:
        """Dispatches groups of similar nodes to one method, other nodes by their name.

        A method `_note_…` leaves the node's children to this one; others visit them as they need.
        """
        for kinds, read in self._alike:
            if isinstance(node, kinds):
                read(node)
                return
        note = getattr(self, f"_note_{type(node).__name__.lower()}", None)
        if note is None:
            super().visit(node)
        else:
            note(node)
            self.generic_visit(node)

    # Statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        if _is_object(node.value):
            self._escapes()
        for target in node.targets:
            self._assigned(target)
            if isinstance(target, ast.Tuple | ast.List):
                if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts):
                    for one, value in zip(target.elts, node.value.elts, strict=True):
                        self._names.alias(one, value)
                else:
                    self._names.use(node.value, f"unpacked:{len(target.elts)}")
            else:
                self._names.alias(target, node.value)
            self.visit(target)

    def _assigned(self, target: ast.AST) -> None:
        """`self.items = …`, `self.items[key] = …` and `self.count += 1` change the object."""
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._assigned(one)
        inside = isinstance(target, ast.Subscript)
        while isinstance(target, ast.Subscript | ast.Starred):
            target = target.value
        if isinstance(target, ast.Attribute):
            self._names.use(target, "assigned")
            if self._names.root(target) is None:
                self._escapes()
        elif inside and isinstance(target, ast.Name) and target.id.isupper():
            self._escapes()

    def _escapes(self) -> None:
        self.body.uses[("self", "escapes")] = None

    def _note_global(self, _: ast.Global | ast.Nonlocal) -> None:
        self._escapes()

    _note_nonlocal = _note_global

    def _note_augassign(self, node: ast.AugAssign) -> None:
        self._assigned(node.target)
        if isinstance(node.op, ast.BitAnd):
            self._masked(node.target, node.value)

    def _note_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._assigned(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._names.alias(node.target, node.value)

    def _note_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.body.branch_lines.add(node.lineno)
        self._note_comprehension(node)

    _note_asyncfor = _note_for

    def _note_comprehension(self, node: ast.comprehension | ast.For | ast.AsyncFor) -> None:
        self._assigned(node.target)
        self._names.use(node.iter, "iterated")
        self._names.bind_items(node.target, node.iter)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for generator in node.generators:
            self.visit(generator)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        self._test(node.test)
        self.visit(node.test)
        condition = ast.unparse(node.test)[:_MAXIMUM_SOURCE]
        for statements, text in ((node.body, condition), (node.orelse, f"not ({condition})")):
            self._conditions.append(text)
            for statement in statements:
                self.visit(statement)
            self._conditions.pop()

    def _note_while(self, node: ast.While | ast.IfExp) -> None:
        self._test(node.test)

    _note_ifexp = _note_while

    def _test(self, test: ast.expr) -> None:
        self.body.branch_lines.add(test.lineno)
        for part in test.values if isinstance(test, ast.BoolOp) else [test]:
            inner = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not) else part
            self._names.use(inner, "truth")

    def _note_try(self, node: ast.Try) -> None:
        self.body.branch_lines.update(handler.lineno for handler in node.handlers)

    def _note_raise(self, node: ast.Raise) -> None:
        exception = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = dotted_name(exception) if exception is not None else ""
        if name:
            condition = self._conditions[-1] if self._conditions else None
            self.body.raises.append(RaiseSite(exception=name, line=node.lineno, condition=condition))

    def _note_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self._names.use(item.context_expr, "entered")
            if item.optional_vars is not None:
                self._assigned(item.optional_vars)

    _note_asyncwith = _note_with

    def _note_match(self, node: ast.Match) -> None:
        root = self._names.deep_root(node.subject)
        for case in node.cases:
            self.body.branch_lines.add(case.pattern.lineno)
            for one in ast.walk(case.pattern):
                if isinstance(one, ast.MatchValue) and root is not None:
                    self._compare(root, "==", one.value, one.lineno)

    def _function(self, node: Function) -> None:
        self._depth += 1
        for statement in node.body:
            self.visit(statement)
        self._depth -= 1

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    # Expressions

    def _note_yield(self, node: ast.AST) -> None:
        if not self._depth:
            self.body.yields = True

    def _note_yieldfrom(self, node: ast.YieldFrom) -> None:
        self._note_yield(node)
        self._names.use(node.value, "iterated")

    def _note_await(self, node: ast.Await) -> None:
        self._names.use(node.value, "awaited")

    def _note_starred(self, node: ast.Starred) -> None:
        self._names.use(node.value, "iterated")

    def visit_Constant(self, node: ast.Constant) -> None:
        if node.value is None or isinstance(node.value, bool) or node.value is Ellipsis:
            return
        source = repr(node.value)
        if len(source) <= _MAXIMUM_SOURCE:
            self.body.constants[source] = None
            if node not in self._written:
                self.body.read[source] = None

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)
        called = node.value.func if isinstance(node.value, ast.Call) else None
        # What a method of a part of a part is called for, and no result: `self.items["a"].append(1)`.
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call | ast.Subscript):
            self._escapes()

    def _note_compare(self, node: ast.Compare) -> None:
        self.body.branch_lines.add(node.lineno)
        for operator, sides in zip(node.ops, pairwise((node.left, *node.comparators)), strict=True):
            self._compare_sides(*sides, OPERATORS[type(operator)], node.lineno)

    def _compare_sides(self, left: ast.expr, right: ast.expr, name: str, line: int) -> None:
        for side, other in ((left, right), (right, left)):
            root = self._names.deep_root(side)
            if root is not None and isinstance(other, ast.Name) and name in _ORDERING:
                self._names.use(side, f"compared:{other.id}")
            if root is None or not is_operand(other):
                continue
            prefix = "len " if isinstance(side, ast.Call) and dotted_name(side.func) == "len" else ""
            self._compare(root, prefix + name, other, line)
            if not prefix and isinstance(other, ast.Constant) and name not in ("is", "is not") and side is left:
                if isinstance(other.value, int | float):
                    self._names.use(side, "number")
                elif isinstance(other.value, str):
                    self._names.use(side, "text")

    def _compare(self, root: Root, operator: str, operand: ast.expr, line: int) -> None:
        source = ast.unparse(operand)
        if len(source) <= _MAXIMUM_SOURCE:
            self.body.comparisons[BodyComparison(name=root[0], operator=operator, operand=source, line=line)] = None

    def _note_binop(self, node: ast.BinOp) -> None:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(node.op, ast.Mod) and side is node.right:
                continue
            if isinstance(other, ast.Constant) and isinstance(other.value, str):
                self._names.use(side, "text")
            elif isinstance(other, ast.Constant) and isinstance(other.value, int | float):
                self._names.use(side, "number")
            elif isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Pow):
                self._names.use(side, "arithmetic")
            elif isinstance(node.op, ast.BitAnd):
                self._masked(side, other)
            if isinstance(other, ast.Name) and other.id == "self":
                self._names.use(side, f"beside_self:{type(node.op).__name__}")

    def _masked(self, side: ast.expr, mask: ast.expr) -> None:
        """Records the named flags that a value is masked with, as in `flags & (Mode.STRICT | Mode.FAST)`."""
        for one in ast.walk(mask):
            name = dotted_name(one) if isinstance(one, ast.Attribute) else ""
            if name.count(".") == 1 and name.rpartition(".")[2].isupper() and not name.startswith(("self.", "cls.")):
                self._names.use(side, f"masked:{name}")

    def _note_boolop(self, node: ast.BoolOp) -> None:
        self.body.branch_lines.add(node.lineno)
        for value in node.values:
            self._names.use(value, "truth")

    def _note_subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        source = "slice" if isinstance(index, ast.Slice) else ast.unparse(index) if is_literal(index) else "?"
        if isinstance(node.ctx, ast.Store) and isinstance(index, ast.Name) and index.id == "self":
            source = "self"
        self._names.use(node.value, f"item:{source[:60]}")

    def _note_attribute(self, node: ast.Attribute) -> None:
        self._names.use(node.value, f"attribute:{node.attr}")

    def visit_Call(self, node: ast.Call) -> None:
        function = dotted_name(node.func)
        if isinstance(node.func, ast.Name | ast.Attribute):
            self._names.use(node.func, f"called:{len(node.args)}")
        if isinstance(node.func, ast.Attribute):
            self._names.use(node.func.value, f"method:{node.func.attr}")
            if any(map(_is_object, (*node.args, *(one.value for one in node.keywords)))):
                self._escapes()
            root = self._names.deep_root(node.func.value)
            if root is not None and node.func.attr in TEXT_TESTS and node.args and is_operand(node.args[0]):
                self._compare(root, node.func.attr, node.args[0], node.lineno)
        if function:
            self.body.calls[function] = None
            self._arguments(node, function)
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            self.visit(node.func)
        for one in (*node.args, *node.keywords):
            self.visit(one)

    def _arguments(self, node: ast.Call, function: str) -> None:
        first = node.args[0] if node.args else None
        if function == "isinstance" and len(node.args) == 2 and first is not None:
            self.body.branch_lines.add(node.lineno)
            kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            for kind in kinds:
                self._names.use(first, f"isinstance:{ast.unparse(kind)}")
            return
        if function in ("len", "iter", "sorted", "list", "tuple", "set", "sum", "min", "max", "any", "all") and first:
            self._names.use(first, "len" if function == "len" else "iterated")
        for position, argument in enumerate(node.args):
            self._names.use(argument, f"argument:{function}:{position}")
        for keyword in node.keywords:
            self._names.use(keyword.value, f"argument:{function}:{keyword.arg or '**'}")


OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


TEXT_TESTS = frozenset(
    {"startswith", "endswith", "split", "partition", "rpartition", "find", "index", "count", "strip"}
)


@dataclass(slots=True)
class BodyFacts:
    """The facts of one body, in order of appearance, without repetitions; `read`: constants that it not only writes."""

    constants: dict[str, None] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)
    comparisons: dict[BodyComparison, None] = field(default_factory=dict)
    raises: list[RaiseSite] = field(default_factory=list)
    branch_lines: set[int] = field(default_factory=set)
    uses: dict[tuple[str, str], None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    yields: bool = False


def _is_object(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def is_operand(node: ast.expr) -> bool:
    """Literals, containers of literals, and upper-case or dotted names that may be constants."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(is_operand(element) for element in node.elts)
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id.lstrip("_").isupper()
    if isinstance(node, ast.Attribute):
        of_instance = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        return bool(dotted_name(node)) and not of_instance
    return is_literal(node)


def is_literal(node: ast.expr) -> bool:
    """Whether this is a constant, or one with a sign."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))
