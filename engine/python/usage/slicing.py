"""Slices the statements before an expression down to those that it depends on, and finds the callable that it tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from ....utils.python_names import (
    BUILTIN_NAMES,
    assigned_names,
    bound_outside_patterns,
    dotted_name,
    last_name,
    loaded_names,
    names_of,
    printed_argument,
)
from ....utils.python_source import parse_python
from ..facts.lineage import bases_by_class, lineage
from ..facts.makers import made_class
from ..facts.operators import OPERATOR_METHODS, operation
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, TrialFinding
from .scoping import NameScope

# Functions of the standard library that change their first argument.
_FUNCTIONS_THAT_CHANGE = frozenset(
    "heappush heappop heapify insort insort_left insort_right shuffle setattr delattr next setitem delitem".split()
)
_MAXIMUM_BEFORE = 60
_FUNCTIONS = {
    "len": "__len__",
    "str": "__str__",
    "repr": "__repr__",
    "bool": "__bool__",
    "iter": "__iter__",
    "hash": "__hash__",
    "list": "__iter__",
    "sorted": "__iter__",
    "reversed": "__reversed__",
    "next": "__next__",
}


def needed_statements(before: Sequence[ast.stmt], act: ast.AST) -> list[ast.stmt]:
    """Selects the statements that bind a name the act reads, directly or through others, or that change its object."""
    wanted = set(loaded_names(act))
    kept: list[ast.stmt] = []
    before = before[-_MAXIMUM_BEFORE:]
    for index in range(len(before) - 1, -1, -1):
        node = _without_print(before[index])
        changes = _changed_name(node) in wanted and _is_variable(node, before[:index])
        if changes or bound_outside_patterns([node]) & wanted:
            kept.append(node)
            wanted.discard(_bound_anew(node))
            wanted.update(loaded_names(node))
    return kept[::-1]


def _without_print(node: ast.stmt) -> ast.stmt:
    """`print(stack.pop())` as `stack.pop()`; other statements as they are."""
    shown = printed_argument(node.value) if isinstance(node, ast.Expr) else None
    return ast.copy_location(ast.Expr(shown), node) if isinstance(shown, ast.Call) else node


def _bound_anew(node: ast.stmt) -> str:
    """The variable that a plain assignment binds, whatever it held before; "" for other statements."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else ""


def _changed_name(node: ast.stmt) -> str | None:
    """The variable whose object a statement changes, or None; for a block the first one inside it."""
    if isinstance(node, ast.Assign | ast.Delete):
        return base_name(node.targets[0])
    if isinstance(node, ast.AugAssign):
        return base_name(node.target)
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            if last_name(call.func) in _FUNCTIONS_THAT_CHANGE and call.args:
                return base_name(call.args[0])
            # Any method may change its object.
            return base_name(call.func) if isinstance(call.func, ast.Attribute) else None
    if isinstance(node, ast.For | ast.While | ast.With | ast.If | ast.Try):
        inner = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt))
        return next((name for one in inner if (name := _changed_name(one)) is not None), None)
    return None


def _is_variable(node: ast.stmt, before: Sequence[ast.stmt]) -> bool:
    """Whether the changed name was bound before: it is a variable, not a function or module."""
    name = _changed_name(node)
    return any(name in bound_outside_patterns([it]) for it in before if not isinstance(it, ast.Import | ast.ImportFrom))


def base_name(node: ast.AST) -> str | None:
    """The name at the bottom of `name.attribute[index]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def source_of(node: ast.AST) -> str | None:
    """The node as source text; None where this Python cannot write it (nested quotes in an f-string)."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return None


def standalone(
    needed: Sequence[ast.stmt], act: ast.expr, scope: NameScope
) -> tuple[list[ast.stmt], ast.Expr, tuple[str, ...], str] | None:
    """Resolves module prefixes in statements and an act, and writes them as source text.

    Returns:
        The arranging statements, the act, and the text of both; None where they cannot be written.
    """
    statements = [*needed, ast.fix_missing_locations(ast.copy_location(ast.Expr(value=act), act))]
    *arranged, last = (ast.fix_missing_locations(scope.plain(statement)) for statement in statements)
    texts = tuple(text for statement in arranged if (text := source_of(statement)) is not None)
    act_text = source_of(last.value) if isinstance(last, ast.Expr) else None
    if act_text is None or len(texts) != len(arranged) or not isinstance(last, ast.Expr):
        return None
    return arranged, last, texts, act_text


_LISTING = frozenset({"list", "tuple", "sorted", "set", "dict"})


class Subjects:
    """Finds the subject of an expression among the callables of one module."""

    def __init__(self, facts: ModuleFacts, subjects: tuple[CallableFacts, ...]) -> None:
        self._functions = {one.qualname: one for one in subjects if one.owner is None or one.kind == "constructor"}
        self._members: dict[str, list[CallableFacts]] = {}
        for subject in subjects:
            if subject.owner is not None and subject.kind != "constructor":
                self._members.setdefault(subject.name, []).append(subject)
        self._classes = {owner.name for owner in facts.classes}
        self._makers = {
            one.name: made for one in facts.functions if (made := made_class(one, self._classes)) is not None
        }
        for owner in facts.classes:
            if owner.makers and owner.kind != "abstract":
                self._makers = {**dict.fromkeys(owner.makers, owner.name), **self._makers}
        owners, named = {owner.name: owner for owner in facts.classes}, bases_by_class(facts.classes)
        self._bases = {name: [owners[one] for one in lineage(name, named)] for name in owners}
        self._inheriting = {name for name, bases in self._bases.items() if _has_base_outside(bases)}
        self._actions = {action for name in self._members for action in _actions(name)}
        self._dunders = [name for name in self._members if name.startswith("__")]

    def may_concern(self, act: ast.expr) -> bool:
        """A cheap filter: whether the act names a function or member, or uses the syntax of a dunder method."""
        for node in ast.walk(act):
            if isinstance(node, ast.Name) and (node.id in self._functions or node.id in self._classes):
                return True
            if isinstance(node, ast.Attribute) and (node.attr in self._members or node.attr in self._functions):
                return True
            if isinstance(node, ast.Attribute) and node.attr in self._actions:
                return True
            dunder = _FUNCTIONS.get(dotted_name(node.func)) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Subscript | ast.BinOp | ast.Compare) or dunder in self._members:
                return bool(self._dunders)
        return False

    def of(self, act: ast.expr, arrange: list[ast.stmt]) -> CallableFacts | None:
        """The outermost callable that the act calls; None when it calls none of them."""
        classes = self._variables(arrange)
        # Breadth first: the expression's parts, outer before inner, receivers before arguments.
        return next((found for node in ast.walk(act) if (found := self._one(node, classes)) is not None), None)

    def prepared(self, arrange: list[ast.stmt]) -> CallableFacts | None:
        """The class of the target whose object the statements prepare, the last one first; None for none."""
        names = [*self._variables(arrange).values()]
        return next((self._functions[name] for name in reversed(names) if name in self._functions), None)

    def in_place(self, arrange: list[ast.stmt]) -> CallableFacts | None:
        """The operator in place that the last such statement calls on an object of the target; None for none."""
        classes = self._variables(arrange)
        for node in reversed(arrange):
            if isinstance(node, ast.AugAssign):
                operator = OPERATOR_METHODS.get(type(node.op), "").replace("__", "__i", 1)
                return self._member(operator, node.target, classes, True) if operator else None
        return None

    def _variables(self, arrange: list[ast.stmt]) -> dict[str, str]:
        """Variables that hold an object of a class of the target."""
        found: dict[str, str] = {}
        for node in arrange:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = self._class_of(node.value, {}) if isinstance(node.value, ast.Call | ast.BinOp) else None
                name = name or self._made_by_member(node.value, found)
                if name is not None:
                    found[node.targets[0].id] = name
        return found

    def _made_by_member(self, made: ast.expr, classes: dict[str, str]) -> str | None:
        """The class of which a member gives an object: itself, or a new one; None where nothing says that it does."""
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
            return None
        member = self._member(made.func.attr, made.func.value, classes, True)
        if member is None or member.owner is None:
            return None
        calls = set(member.returned_calls) & {member.owner, "self.__class__", "type(self)"}
        annotated = (member.returns or "").strip("'\"") in (member.owner, "Self", "typing.Self")
        return member.owner if member.returns_self or calls or annotated else None

    def _one(self, node: ast.AST, classes: dict[str, str]) -> CallableFacts | None:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                if node.func.id in self._functions:
                    return self._functions[node.func.id]
                dunder = _FUNCTIONS.get(node.func.id)
                listed = self._listed(node, classes)
                return listed or (self._member(dunder, node.args[0], classes, True) if dunder and node.args else None)
            if isinstance(node.func, ast.Attribute):
                found = self._member(node.func.attr, node.func.value, classes, False)
                return found or self._completed(node.func, classes)
        if isinstance(node, ast.Attribute):
            return self._member(node.attr, node.value, classes, False)
        if isinstance(node, ast.Subscript):
            return self._member("__getitem__", node.value, classes, True)
        operated = operation(node)
        if operated is None or (
            isinstance(node, ast.UnaryOp) and isinstance(operated[1], ast.Attribute | ast.Subscript)
        ):
            return None
        return self._member(*operated, classes, True)

    def _listed(self, call: ast.Call, classes: dict[str, str]) -> CallableFacts | None:
        """The member whose result a call lists: `list(rates.items())` shows `items`, and `list(rates)` does not."""
        asked = call.args[0] if len(call.args) == 1 and last_name(call.func) in _LISTING else None
        if not isinstance(asked, ast.Call) or not isinstance(asked.func, ast.Attribute):
            return None
        return self._member(asked.func.attr, asked.func.value, classes, True)

    def _member(
        self, name: str | None, receiver: ast.expr, classes: dict[str, str], surely: bool
    ) -> CallableFacts | None:
        """The member of that name on the receiver's class; for a dunder that class must be known."""
        if name is None or name not in self._members:
            return None
        owner = self._class_of(receiver, classes)
        inherited = self._inherited(owner, self._members[name]) if owner is not None else None
        if inherited is not None:
            return inherited
        for one in self._members[name]:
            if one.owner == owner:
                return one
        if owner is not None or surely:
            return None
        return self._members[name][0] if isinstance(receiver, ast.Name | ast.Call) else None

    def _class_of(self, receiver: ast.expr, classes: dict[str, str]) -> str | None:
        """The class of the target that an expression begins with, or whose object it begins with."""
        computed = isinstance(receiver, ast.BinOp | ast.UnaryOp)
        while isinstance(receiver, ast.BinOp | ast.UnaryOp):
            receiver = receiver.left if isinstance(receiver, ast.BinOp) else receiver.operand
        if computed and isinstance(receiver, ast.Attribute | ast.Subscript):
            return None  # a part of an object: `span(1, 2).width + 3` is a number
        base = base_name(receiver) or ""
        is_plain_call = isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name)
        made = self._makers.get(base) if is_plain_call else None
        return classes.get(base) or made or (base if base in self._classes else None)

    def _completed(self, called: ast.Attribute, classes: dict[str, str]) -> CallableFacts | None:
        """The member by which a class completes a method that it inherits from another module, by its name.

        `token.dumps(data)` shows what `dump_payload` is for, where `dumps` is a method of the base class.
        """
        owner = self._class_of(called.value, classes)
        if owner not in self._inheriting or called.attr in self._members:
            return None
        return self._inherited(
            owner, [one for members in self._members.values() for one in members if completes(one.name, called.attr)]
        )

    def _inherited(self, owner: str, members: Sequence[CallableFacts]) -> CallableFacts | None:
        """The member that objects of a class have, of those of several classes: its own, or the nearest base's.

        That of an abstract class is a member of the class that inherits it, as it is where trials are made.
        """
        for base in self._bases[owner]:
            for one in members:
                if one.owner == base.name:
                    is_own = base.name == owner or base.kind not in ("abstract", "protocol")
                    return one if is_own else replace(one, qualname=f"{owner}.{one.name}", owner=owner)
        return None


def _has_base_outside(bases: Sequence[ClassFacts]) -> bool:
    """Whether a class inherits methods from another module; builtin types call none that a class of theirs adds."""
    known = {"ABC", "Generic", "Protocol", *BUILTIN_NAMES, *(one.name for one in bases)}
    names = (base.partition("[")[0] for one in bases for base in one.bases)
    return any(name.rpartition(".")[2] not in known for name in names)


def completes(member: str, called: str) -> bool:
    """Returns whether a member's name is that of the part of an inherited method: `dump_payload` of `dumps`."""
    return called in _actions(member)


def _actions(member: str) -> tuple[str, ...]:
    """The names of methods that a member may be a part of: `dump` and `dumps` of `dump_payload`."""
    action, _, rest = member.partition("_")
    return (action, f"{action}s") if action and rest else ()


def without_unrelated(finding: TrialFinding) -> TrialFinding:
    """Drops statements that share no name with the act: earlier calls of the same example block, unused values.

    Fixtures that nothing names any more go, too.
    """
    trial = finding.trial
    local = assigned_names(trial.arrange) | set(trial.fixtures)
    versions = dict.fromkeys(local, 0)
    shared: list[set[tuple[str, int]]] = []
    for one in trial.arrange:
        names = {(name, versions[name]) for name in (names_in(one) | assigned_names([one])) & local}
        assigned = _assigned(one)
        if assigned is not None:
            # A reassigned name is a new version: statements about its former value matter only if that is used.
            if count_of(one, assigned) < 2:
                names.discard((assigned, versions[assigned]))
            versions[assigned] += 1
            names.add((assigned, versions[assigned]))
        shared.append(names)
    watched = "\n".join((trial.act, *_observed(finding)))
    # What a trial changes of its surroundings concerns every call, whatever names the statement has.
    ambient = {"monkeypatch"} & set(trial.fixtures)
    related = {(name, versions[name]) for name in (names_in(watched) & local) | ambient}
    # The transitive closure: a statement that shares a name with a kept one is kept, too.
    while (wider := related.union(*(names for names in shared if names & related))) != related:
        related = wider
    kept = tuple(
        one
        for one, names in zip(trial.arrange, shared, strict=True)
        if names & related or (not names and (one.startswith("random.seed(") or not _calls(one, trial.subject)))
    )
    named = names_in(watched).union(*(names_in(one) for one in kept))
    fixtures = tuple(one for one in trial.fixtures if one in named)
    return replace(finding, trial=replace(trial, arrange=kept, fixtures=fixtures))


def _observed(finding: TrialFinding) -> Iterator[str]:
    """Generates the expressions that a test of the finding reads or expects."""
    value = finding.observation.value
    for expression, effect in finding.observation.effects:
        yield expression
        yield effect.source or ""
    for part in (value, *(inner for _, inner in value.attributes)) if value is not None else ():
        yield part.source or ""


@lru_cache(maxsize=4096)
def _assigned(statement: str) -> str | None:
    """The name that a plain assignment binds."""
    body = parse_python(statement.strip()).body
    node = body[0] if len(body) == 1 else None
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return node.target.id
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _calls(statement: str, subject: str) -> bool:
    """Whether a statement is a bare expression that may call the subject."""
    body = parse_python(statement.strip()).body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return False
    node = body[0].value
    if not isinstance(node, ast.Call):
        return True
    return last_name(node.func) == subject.rpartition(".")[2]


@lru_cache(maxsize=4096)
def count_of(source: str, name: str) -> int:
    """How often a name occurs in source text. Raises SyntaxError."""
    return sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(parse_python(source.strip())))


@lru_cache(maxsize=4096)
def names_in(source: str) -> frozenset[str]:
    """Every plain name in source text. Raises SyntaxError."""
    return frozenset(names_of(parse_python(source.strip())))
