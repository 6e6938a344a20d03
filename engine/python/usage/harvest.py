"""Collects from real calls which values parameters are given, and how objects of a class are built."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....utils.python_names import assigned_variable, bound_variables, dotted_name
from ....utils.python_source import (
    expression_or_none,
    literal_or,
    parse_expression,
    parse_or_none,
    shared_module,
    walk,
)
from ..model.model import RICH_SOURCES, CallableFacts, Candidate, ModuleFacts, Parameter, Trial
from .receiver_classes import ReceiverClasses

_MAXIMUM_EACH = 12
AS_WRITTEN = frozenset({"doctest", "prose", "document", "example", "existing_test"})
"""Sources of trials that stand in documents and tests as they are."""
_SUBSCRIPTED = ("__getitem__", "__setitem__", "__delitem__")
_MAXIMUM_LENGTH = 160
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|<[^<>]*>|\$\w+")


@dataclass(slots=True)
class Harvest:
    """Values by `(qualified name, parameter)` and objects by class name, in order of appearance."""

    arguments: dict[tuple[str, str], list[Candidate]] = field(default_factory=dict)
    objects: dict[str, list[Candidate]] = field(default_factory=dict)


class Harvester:
    """Reads trials into a `Harvest`; later trials add to it."""

    def __init__(self, facts: ModuleFacts) -> None:
        self.harvest = Harvest()
        self._functions = {
            callable_.qualname: callable_
            for callable_ in facts.callables()
            if callable_.owner is None or callable_.kind == "constructor"
        }
        self._members: dict[str, list[CallableFacts]] = {}
        for function in facts.callables():
            if function.owner is not None and function.kind != "constructor":
                self._members.setdefault(function.name, []).append(function)
        self._classes = {owner.name for owner in facts.classes}
        self._made: dict[str, list[str]] = {}
        for owner in facts.classes:
            for maker in owner.makers or ():
                self._made.setdefault(maker, []).append(owner.name)
        self._receivers = ReceiverClasses(facts)

    def read(self, trials: Iterable[Trial]) -> Harvest:
        """Adds the arguments and objects of the trials' calls; what a search found stays known as that."""
        for trial in trials:
            origin = "call_site" if trial.source in RICH_SOURCES else trial.source
            tree = tree_with_literals(trial)
            if tree is None:
                continue
            imports, bound = imports_by_name(trial), self._receivers.bound_in(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    self._call(node, imports, origin, bound)
                self._operator(trial.subject, node, imports, origin)
        return self.harvest

    def targets(self, node: ast.Call) -> list[CallableFacts]:
        """The callables of the target that a call may mean."""
        name = dotted_name(node.func)
        if name in self._functions:
            return [self._functions[name]]
        return self._members.get(node.func.attr, []) if isinstance(node.func, ast.Attribute) else []

    def _call(self, node: ast.Call, imports: dict[str, str], origin: str, bound: dict[str, str]) -> None:
        name = dotted_name(node.func)
        for target in self._receivers.chosen(node, self.targets(node), bound):
            for parameter, value in certain_arguments(node, target):
                candidate = candidate_of(value, imports, origin)
                if candidate is not None:
                    _add(self.harvest.arguments, (target.qualname, parameter.name), candidate)
        owner = name.partition(".")[0]
        owners = [owner] if owner in self._classes and (name == owner or owner[:1].isupper()) else []
        candidate = candidate_of(node, imports, origin) if owners or name in self._made else None
        if candidate is not None:
            for one in (*owners, *self._made.get(name, ())):
                _add(self.harvest.objects, one, candidate)

    def _operator(self, subject: str, node: ast.AST, imports: dict[str, str], origin: str) -> None:
        """Adds what an operator gives the special method that the trial is about: 3 in `3 in shelf`."""
        value = given_to_operator(node, subject.rpartition(".")[2])
        target = next(
            (one for one in self._members.get(subject.rpartition(".")[2], []) if one.qualname == subject), None
        )
        parameter = next((one for one in target.parameters if one.name != "self"), None) if target is not None else None
        candidate = candidate_of(value, imports, origin) if value is not None else None
        if parameter is not None and candidate is not None:
            _add(self.harvest.arguments, (subject, parameter.name), candidate)


def given_to_operator(node: ast.AST, name: str) -> ast.expr | None:
    """What an operator passes first to the special method of a name; None for other nodes and methods."""
    if name == "__contains__" and isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return node.left
    if name in _SUBSCRIPTED and isinstance(node, ast.Subscript):
        return node.slice
    return None


def _add(found: dict[Any, list[Candidate]], key: object, candidate: Candidate) -> None:
    pool = found.setdefault(key, [])
    if len(pool) < _MAXIMUM_EACH and all(one.source != candidate.source for one in pool):
        pool.append(candidate)


def candidate_of(node: ast.expr, imports: dict[str, str], origin: str) -> Candidate | None:
    """The expression as a candidate; None when it reads a name that is neither imported nor builtin."""
    bound = bound_variables(node)
    needed: list[str] = []
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id not in bound:
            if one.id in imports:
                needed.append(imports[one.id])
            elif one.id not in _BUILTINS:
                return None
    source = ast.unparse(node)
    if len(source) > _MAXIMUM_LENGTH:
        return None
    return Candidate(source, tuple(sorted(set(needed))), origin=origin)


def bound_arguments(call: ast.Call, target: CallableFacts) -> list[tuple[Parameter, ast.expr]]:
    """Pairs the arguments of a call with the parameters they bind; positional ones up to the first starred one."""
    parameters = [one for one in target.parameters if target.owner is None or one.name not in ("self", "cls")]
    positional = [one for one in parameters if one.kind in ("positional_only", "positional_or_keyword")]
    rest = next((parameter for parameter in parameters if parameter.kind == "var_positional"), None)
    found: list[tuple[Parameter, ast.expr]] = []
    for at, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            break  # how many parameters it fills is unknown
        parameter = positional[at] if at < len(positional) else rest
        if parameter is not None:
            found.append((parameter, value))
    named = {parameter.name: parameter for parameter in parameters}
    return found + [(named[keyword.arg], keyword.value) for keyword in call.keywords if keyword.arg in named]


def certain_arguments(call: ast.Call, target: CallableFacts) -> list[tuple[Parameter, ast.expr]]:
    """As `bound_arguments`, but without any positional argument where one is starred: such calls are no examples."""
    starred = any(isinstance(value, ast.Starred) for value in call.args)
    return bound_arguments(ast.Call(call.func, [], call.keywords) if starred else call, target)


def whole_row(
    call: ast.Call, target: CallableFacts, imports: dict[str, str]
) -> tuple[tuple[Parameter, Candidate], ...]:
    """The arguments of a call as candidates; empty where one of them cannot stand alone."""
    given = [(item, candidate_of(value, imports, "call_site")) for item, value in certain_arguments(call, target)]
    row = tuple((item, candidate) for item, candidate in given if candidate is not None)
    return row if len(row) == len(given) else ()


def matched_arguments(harvester: Harvester, tree: ast.expr, subject: str) -> list[tuple[str, str, str]]:
    """Qualified name, parameter and argument source for each argument of the calls of `subject` in an expression."""
    found: list[tuple[str, str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for target in harvester.targets(node):
                if target.qualname == subject:
                    pairs = certain_arguments(node, target)
                    found.extend((subject, parameter.name, ast.unparse(value)) for parameter, value in pairs)
    return found


def texts_of_objects(trials: Iterable[Trial], facts: ModuleFacts) -> dict[str, tuple[str, ...]]:
    """Texts that persons build objects from, by class, in order of appearance; then those without their placeholders.

    Read are the trials that stand in documents and tests as they are; what a search passes to a documented call on an
    object of its own is no person's. What a template does without any variable shows on `https://example.org` as well
    as on `kitten`.
    """
    found: dict[str, tuple[str, ...]] = {}
    written = [one for one in trials if one.source in AS_WRITTEN]
    for name, made in Harvester(facts).read(written).objects.items():
        nodes = [node for one in made for node in ast.walk(parse_expression(one.source))]
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        plain = [text for one in texts if (text := _PLACEHOLDER.sub("", one))]
        found[name] = tuple(dict.fromkeys((*texts, *plain)))
    for name, texts in (*_texts_of_parts(written, facts), *_texts_of_constants(facts)):
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *texts)))
    return found


def _texts_of_parts(trials: Iterable[Trial], facts: ModuleFacts) -> Iterator[tuple[str, list[str]]]:
    """Generates the texts of the objects that others are made of, with their class: `Switch([(Any("a", "e"), 1)])`."""
    classes = {owner.name for owner in facts.classes}
    for line in dict.fromkeys(text for one in trials for text in (*one.arrange, one.act)):
        tree = shared_module(line)
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes:
                yield node.func.id, _texts_given(node)


def _texts_given(call: ast.Call) -> list[str]:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _texts_of_constants(facts: ModuleFacts) -> Iterator[tuple[str, list[str]]]:
    """Generates the texts of the module's own objects, with their class: `EAST = Zone("East", "EST")`."""
    classes = {owner.name for owner in facts.classes}
    for _, source in facts.constants:
        node = expression_or_none(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes:
            yield node.func.id, _texts_given(node)


def builds_from_other_texts(trial: Trial, known: Mapping[str, Sequence[str]]) -> bool:
    """Whether a trial builds an object from texts none of which is among those that are known for its class."""
    for line in (*trial.arrange, trial.act):
        names = [name for name, texts in known.items() if texts and f"{name}(" in line]
        tree = shared_module(line) if names else None
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                texts = _texts_given(node)
                if texts and not set(texts) & set(known[node.func.id]):
                    return True
    return False


def tree_with_literals(trial: Trial) -> ast.Module | None:
    """The code of a trial with literals in place of the variables that hold them; None where it is not Python."""
    tree = parse_or_none("\n".join([*trial.arrange, trial.act]))
    return _WithLiterals(tree).visit(tree) if tree is not None else None


class _WithLiterals(ast.NodeTransformer):
    """Puts literals in place of the variables that hold them from one assignment on: `text = "a"` and `parse(text)`.

    A variable that is bound again, or whose object a method may change, stays.
    """

    def __init__(self, tree: ast.Module) -> None:
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        stored = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
        parts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Subscript)]
        changing = {node.id for node in parts if isinstance(node, ast.Name)}
        bound = [found for node in tree.body if (found := assigned_variable(node)) is not None]
        self._literals = {
            name: value
            for name, value in bound
            if stored[name] == 1 and name not in changing and literal_or(value, value) is not value
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._literals.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def imports_by_name(trial: Trial) -> dict[str, str]:
    """The import statements of a trial by the names that they bind."""
    return {_bound(text): text for text in trial.imports}


def _bound(statement: str) -> str:
    return statement.rpartition(" as ")[2] if " as " in statement else statement.split()[-1].partition(".")[0]


_BUILTINS = frozenset(
    "abs all any bool bytes bytearray callable chr complex dict divmod enumerate filter float frozenset int isinstance "
    "iter len list map max min ord pow range repr reversed round set slice sorted str sum tuple type zip "
    "ValueError TypeError KeyError IndexError Exception StopIteration AttributeError NotImplemented Ellipsis".split()
)
