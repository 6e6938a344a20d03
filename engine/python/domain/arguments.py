"""Finds the arguments that a trial passes to the module's own callables, with their domains."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_source import parse_python
from ..model.domain import UNKNOWN, ParameterDomain
from ..model.model import CallableFacts, ModuleFacts, Parameter, Trial
from ..usage.harvest import bound_arguments
from .contains import Kinds
from .inference import annotated_domains


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of one call.

    Attributes:
        parameter: the parameter's name.
        value: what is passed; a name that the trial binds to an expression counts as that expression.
        in_act: whether the call is part of the act.
        call: the number of the call in the trial: several calls of one callable have arguments of their own.
    """

    called: CallableFacts
    parameter: str
    value: ast.expr
    domain: ParameterDomain
    in_act: bool = False
    call: int = 0

    @property
    def declared(self) -> Parameter | None:
        """The parameter as the callable declares it; None where it goes into `*args` or `**kwargs`."""
        return next((one for one in self.called.parameters if one.name == self.parameter), None)


def arguments_of(trial: Trial, facts: ModuleFacts) -> tuple[tuple[Argument, ...], Kinds]:
    """The arguments of all calls of the module's callables, in order, and what the names of the trial are bound to.

    A statement that does not parse has none.
    """
    classes = {owner.name: owner for owner in facts.classes}
    # The objects that the module itself makes: `UTC = FixedZone("UTC")`.
    made = {name: text.partition("(")[0] for name, text in facts.constants}
    known = {name: owner for name, owner in made.items() if owner in classes}
    kinds = Kinds(classes, {**known, **({"tmp_path": "Path"} if trial.fixtures else {})})
    reader = _Reader(facts, kinds)
    found: list[Argument] = []
    texts = [*trial.arrange, trial.act.strip()]
    for at, text in enumerate(texts):
        try:
            statements = _read(text)
        except SyntaxError:
            continue
        for statement, nodes in statements:
            found.extend(reader.arguments(nodes, in_act=at == len(texts) - 1))
            kinds.bind(statement)
    return tuple(found), kinds


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


class _Reader:
    """Finds the callables that the nodes of one trial call."""

    def __init__(self, facts: ModuleFacts, kinds: Kinds) -> None:
        self._functions = {function.qualname: function for function in facts.functions}
        self._domains = {one.qualname: one for one in facts.domains or annotated_domains(facts)}
        self._kinds = kinds
        self._calls = 0

    def arguments(self, nodes: Iterable[ast.expr], *, in_act: bool) -> Iterable[Argument]:
        """Yields the arguments of every known call among the nodes."""
        for node in nodes:
            self._calls += 1
            for called, name, value in self._passed(node):
                known = self._domains.get(called.qualname)
                domain = known.of(name) if known is not None else UNKNOWN
                yield Argument(called, name, self._kinds.resolved(value), domain, in_act, self._calls)

    def _passed(self, node: ast.expr) -> Iterable[tuple[CallableFacts, str, ast.expr]]:
        if isinstance(node, ast.Call):
            called = self._called(node.func)
            if called is not None:
                for parameter, value in bound_arguments(node, called):
                    yield called, parameter.name, value
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            yield from self._operand(node.comparators[0], "__contains__", node.left)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            yield from self._operand(node.value, "__getitem__", node.slice)

    def _operand(self, receiver: ast.expr, name: str, given: ast.expr) -> Iterable[tuple[CallableFacts, str, ast.expr]]:
        member = self._member(self._kinds.kind(receiver), name)
        parameters = [one for one in member.parameters if one.name != "self"] if member is not None else []
        if member is not None and parameters:
            yield member, parameters[0].name, given

    def _called(self, function: ast.expr) -> CallableFacts | None:
        classes = self._kinds.classes
        if isinstance(function, ast.Name):
            owner = classes.get(function.id)
            if owner is not None:
                return owner.constructor
            # An object of the module's may be called itself.
            return self._functions.get(function.id) or self._member(self._kinds.kind(function), "__call__")
        if not isinstance(function, ast.Attribute):
            return None
        value = function.value
        known = value.id if isinstance(value, ast.Name) and value.id in classes else self._kinds.kind(value)
        return self._member(known, function.attr)

    def _member(self, owner: str, name: str) -> CallableFacts | None:
        """The member of a class of the module, its own or the nearest inherited one."""
        waiting, known = [owner], set[str]()
        for one in waiting:  # grows while it is read
            found = self._kinds.classes.get(one)
            if found is None or one in known:
                continue
            known.add(one)
            member = next((member for member in found.members if member.name == name), None)
            if member is not None:
                return member
            waiting += found.bases
        return None
