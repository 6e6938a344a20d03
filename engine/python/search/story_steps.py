"""The steps of stories: the method that fills an object, which may be inherited, and what its calls are given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from ....utils.python_source import parse_expression, shared_expression, walk
from ..domain.degenerate import is_degenerate
from ..inputs.calls import Row
from ..inputs.receivers import changes_state
from ..model.model import CallableFacts, Candidate, ClassFacts, ModuleFacts, Parameter, Trial
from ..usage.harvest import AS_WRITTEN, tree_with_literals, whole_row
from ..usage.project_index import ProjectIndex

EMPTYING = frozenset({"clear", "reset", "flush"})
_FILLING = re.compile(r"__setitem__|(add|set|put|push|insert|append|register|enqueue|store|save|write|record)(_.*)?")
# By method: its parameters, and the containers of the standard library that have it.
_BUILT_IN: tuple[tuple[str, tuple[str, ...], frozenset[str]], ...] = (
    ("__setitem__", ("key", "value"), frozenset("dict OrderedDict UserDict defaultdict MutableMapping Dict".split())),
    ("append", ("item",), frozenset("list UserList deque MutableSequence List".split())),
    ("add", ("item",), frozenset("set MutableSet".split())),
)
_NUMBERS = (3, 5, 8)
_SIZE = re.compile(
    r"(max_?|min_?|table_?|initial_?|buffer_?)?(size|capacity|len|length|items|limit|buckets|slots|room)"
)
# Records are numbered from 1 on by whatever keeps them.
_NUMBERED = re.compile(r"id|(\w+_)?(id|pk|number)")
_TYPE_VARIABLE = re.compile(r"_?([KV]?T|[KRSUV])(_co|_contra)?|_?(Key|Value|Item)(T|Type)|Any|object|Hashable")


def is_number(parameter: Parameter) -> bool:
    """Whether a parameter takes the number of a record."""
    return _NUMBERED.fullmatch(parameter.name) is not None and parameter.annotation in (None, "", "int")


def inherited_alike(index: ProjectIndex, facts: ModuleFacts, owner: ClassFacts) -> frozenset[str]:
    """Names of the members that a class takes as they are from a class of the module that is tested itself.

    Their tests would be those of the other class again. A constructor of its own, constants, and members that the
    inherited one calls make a difference.
    """
    own = {member.name for member in owner.members}
    if owner.constructor is not None or owner.fields:
        return frozenset()
    alike: dict[str, bool] = {}
    for where, base in index.lineage(facts, owner)[1:]:
        tested = base.kind not in ("abstract", "protocol") and not base.name.startswith("_")
        for member in base.members if where is facts else ():
            called = {call.removeprefix("self.") for call in member.calls if call.startswith("self.")}
            alike.setdefault(member.name, tested and own.isdisjoint(called))
    return frozenset(name for name, is_alike in alike.items() if is_alike) - own


def filler_of(
    index: ProjectIndex, facts: ModuleFacts, owner: ClassFacts, own: Mapping[str, CallableFacts]
) -> CallableFacts | None:
    """The method of a class that puts something into its objects; None where there is none.

    Args:
        own: the members that the module itself defines for the class, by name; they come first.
    """
    found = _first(own.values())
    if found is not None:
        return found
    lineage = index.lineage(facts, owner)
    inherited = [member for where, one in lineage if where is not facts for member in one.members]
    found = _first(one for one in inherited if one.public and not one.is_async)
    if found is not None:
        return _of(owner, found.name, found.parameters)
    bases = [
        base
        for where, one in lineage
        for base in one.bases
        if index.class_in(base.partition("[")[0], where) is None  # a class of the project's own may have any name
    ]
    return next((made for base in bases if (made := _built_in(owner, base))), None)


def required_parameters(one: CallableFacts) -> list[Parameter]:
    """The required parameters of a method, else its variadic one."""
    found = [item for item in one.parameters if item.required and item.kind not in ("var_positional", "var_keyword")]
    spread = [item for item in one.parameters if item.kind == "var_positional"]
    return found or spread[:1]


def takes_anything(parameter: Parameter) -> bool:
    """Whether a parameter's annotation says nothing of its values: there is none, or a type variable."""
    return not parameter.annotation or _TYPE_VARIABLE.fullmatch(parameter.annotation) is not None


def flags_of(one: CallableFacts) -> list[Parameter]:
    """The public options of a method that are on or off."""
    return [item for item in one.parameters if item.default in ("True", "False") and not item.name.startswith("_")]


def switched(flag: Parameter) -> str:
    """The source of the truth value that an option does not have by default."""
    return str(flag.default != "True")


def with_switched(call: ast.Call, flag: Parameter) -> str:
    """The source of a call with one argument more: the truth value that an option does not have by default."""
    option = ast.keyword(flag.name, ast.Name(switched(flag), ast.Load()))
    return ast.unparse(ast.Call(call.func, call.args, [*call.keywords, option]))


def is_filling(method: str) -> bool:
    """Whether a method of this name puts something into its object."""
    return _FILLING.fullmatch(method) is not None


def is_size(name: str) -> bool:
    """Whether a parameter of this name says how many items an object takes."""
    return _SIZE.fullmatch(name) is not None


def shown_first(values: Sequence[Candidate]) -> list[Candidate]:
    """Values that show something before empty ones and zeros."""
    return sorted(values, key=lambda value: (node := shared_expression(value.source)) is None or is_degenerate(node))


def with_small_numbers(source: str) -> str:
    """Replaces a construction's numbers by 3, 5 and 8, so that capacity and expiry are reached within a few steps."""
    call = parse_expression(source)
    if not isinstance(call, ast.Call):
        return source
    small = iter(_NUMBERS)
    values = [*call.args, *(one.value for one in call.keywords)]
    for value in values:
        number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
        if number or ast.unparse(value) in ("math.inf", "float('inf')"):
            chosen = ast.Constant(next(small, 1))
            call.args = [chosen if arg is value else arg for arg in call.args]
            for keyword in call.keywords:
                keyword.value = chosen if keyword.value is value else keyword.value
    return ast.unparse(call)


def _first(members: Iterable[CallableFacts]) -> CallableFacts | None:
    fillers = [one for one in members if is_filling(one.name) and required_parameters(one)]
    return next((one for one in fillers if changes_state(one) or one.name == "__setitem__"), None)


def _built_in(owner: ClassFacts, base: str) -> CallableFacts | None:
    """The filling method of a container of the standard library, its parameters typed as the base is written."""
    name, _, inner = base.partition("[")
    types = [text.strip() for text in inner.removesuffix("]").split(",")] if inner and "[" not in inner else []
    for method, parameters, containers in _BUILT_IN:
        if name.rpartition(".")[2] in containers:
            annotation = dict(enumerate(types))
            given = [Parameter(one, "positional_only", annotation.get(at)) for at, one in enumerate(parameters)]
            return _of(owner, method, tuple(given))
    return None


def _of(owner: ClassFacts, method: str, parameters: tuple[Parameter, ...]) -> CallableFacts:
    return CallableFacts(f"{owner.name}.{method}", "method", owner.lines, parameters, owner=owner.name)


def shown_rows(filler: CallableFacts, seeds: Iterable[Trial], count: int) -> list[Row]:
    """Returns how documents fill such an object, where they pass more than a call has to: an item and its priority.

    Each row has another first argument; none unless there are `count` such rows.
    """
    needed = len(required_parameters(filler))
    found: dict[str, Row] = {}
    for trial in seeds:
        tree = tree_with_literals(trial) if trial.source in AS_WRITTEN else None
        for node in walk(tree) if tree is not None else ():
            called = node.func if isinstance(node, ast.Call) else None
            if not isinstance(called, ast.Attribute) or called.attr != filler.name or not isinstance(node, ast.Call):
                continue
            row = whole_row(node, filler, {})
            if len(row) > needed and all(item.is_positional for item, _ in row):
                found.setdefault(row[0][1].source, row)
    rows = list(found.values())
    return rows[:count] if len(rows) >= count else []
