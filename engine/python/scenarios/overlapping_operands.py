"""Shows what a container makes of an operand that has some of its items and some of its own: `{1, 2} | {2, 3}`.

Of two equal operands, and of none at all, a union and an intersection are the same. Where the answer is yes or no, an
operand for each of both is shown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....utils.python_names import assignment_in, names_of
from ....utils.python_source import literal_or
from ..inputs.calls import mode_of, variable_for
from ..model.model import RICH_SOURCES, CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..search.trial_search import TrialRecord
from ..source.set_algebra import ASKING, CHANGING, COMBINING, IN_PLACE, OPERATORS
from .scenario import Scenario, is_plain_return, returned_source, scenario_trial

OVERLAPPING, ANSWERS_YES, ANSWERS_NO = "overlapping operand", "operand answered with yes", "operand answered with no"
SHOWN_OPERANDS = frozenset({OVERLAPPING, ANSWERS_YES, ANSWERS_NO})
_OTHERS = frozenset({"other", "others", "iterables"})
_FEWEST_OPERATIONS = 2


@dataclass(frozen=True, slots=True)
class _Items:
    """Items of a container, and operands beside it.

    Attributes:
        own: what the container holds.
        overlapping: some of them, and others.
        apart: others alone.
        whole: all of them, and one more.
        part: some of them alone.
    """

    own: Sequence[Any]
    overlapping: Sequence[Any]
    apart: Sequence[Any]
    whole: Sequence[Any]
    part: Sequence[Any]


_NUMBERS = _Items([1, 2, 3, 4], [3, 4, 5], [7, 8], [1, 2, 3, 4, 5], [2, 3])
_WORDS = _Items(
    ["apple", "banana", "cherry"],
    ["banana", "cherry", "plum"],
    ["lemon", "plum"],
    ["apple", "banana", "cherry", "plum"],
    ["apple", "cherry"],
)


def overlapping_operands(records: Sequence[TrialRecord], facts: ModuleFacts) -> Iterator[Scenario]:
    """Generates calls and operations with such operands, for the members of containers that no document shows."""
    documented = {one.trial.subject for one in records if one.trial.wanted is not None and is_plain_return(one)}
    for owner in facts.classes:
        members = [one for one in owner.members if one.public and not one.is_async]
        if sum(one.name in OPERATORS or one.name in COMBINING for one in members) < _FEWEST_OPERATIONS:
            continue
        receiver = _plainest_receiver(records, owner)
        if receiver is None:
            continue
        for member in members:
            if member.qualname not in documented and _takes_operand(member):
                yield from receiver.scenarios(member)


def _takes_operand(member: CallableFacts) -> bool:
    """Whether a member puts its object together, or compares it, with others of its kind."""
    if member.kind != "method":
        return False
    if member.name in OPERATORS or member.name in IN_PLACE | CHANGING | COMBINING | ASKING:
        return True
    taken = [one.name for one in member.parameters if one.name not in ("self", "cls")]
    return not member.name.startswith("_") and len(taken) == 1 and taken[0] in _OTHERS


@dataclass(frozen=True, slots=True)
class _Receiver:
    """An object that holds some items.

    Attributes:
        base: a trial that makes such an object and returned.
        owner: name of its class.
        call: what makes it, of a collection alone.
        items: what it can hold.
        kind: the type of the collection.
    """

    base: Trial
    owner: str
    call: ast.Call
    items: _Items
    kind: type

    def made_of(self, items: Sequence[Any]) -> str:
        """Source of an object of such items."""
        return f"{ast.unparse(self.call.func)}({_written(items, self.kind)})"

    def scenarios(self, member: CallableFacts) -> Iterator[Scenario]:
        """Generates the scenarios of one member: of those that show the same, the first that holds is kept."""
        if member.name in ASKING or member.name.startswith("is_"):
            for items in (self.items.overlapping, self.items.whole, self.items.part, self.items.apart):
                for operand in self._operands(items, member):
                    yield Scenario(self._trial(member, operand), ANSWERS_YES, _Answers("True"))
                    yield Scenario(self._trial(member, operand), ANSWERS_NO, _Answers("False"))
            return
        for operand in self._operands(self.items.overlapping, member):
            yield Scenario(self._trial(member, operand), OVERLAPPING, _shows_something)

    def _operands(self, items: Sequence[Any], member: CallableFacts) -> list[str]:
        """Sources of an operand: an object of the same class; what takes any collection is given a plain one."""
        plain = _written(items, self.kind)
        made = self.made_of(items)
        return [made] if member.name.startswith("__") else [plain, made]

    def _trial(self, member: CallableFacts, operand: str) -> Trial:
        variable, operator = variable_for(self.owner), OPERATORS.get(member.name)
        made = f"{variable} = {self.made_of(self.items.own)}"
        call = f"{variable}.{member.name}({operand})"
        act = f"{variable} {operator} {operand}" if operator is not None else call
        return replace(scenario_trial(self.base, member.qualname, (made,), act), mode=mode_of(member))


def _written(items: Sequence[Any], kind: type) -> str:
    """Source of a collection of items in their order, which the `repr` of a set does not keep."""
    return f"{{{', '.join(map(repr, items))}}}" if kind is set else repr(kind(items))


def _plainest_receiver(records: Sequence[TrialRecord], owner: ClassFacts) -> _Receiver | None:
    """The plainest object of a class that is made of numbers or words, as a record of one of its members makes it."""
    subjects = {one.qualname for one in owner.members}
    found = [
        receiver
        for record in records
        if record.trial.subject in subjects
        and is_plain_return(record)
        and (receiver := _receiver(record.trial, owner.name))
    ]
    return min(found, key=lambda one: (one.base.source not in RICH_SOURCES, one.items is _WORDS), default=None)


def _receiver(trial: Trial, owner: str) -> _Receiver | None:
    """The object that the only statement of a trial makes of a collection; None for any other."""
    bound = assignment_in(trial.arrange[0]) if len(trial.arrange) == 1 else None
    if bound is None or not isinstance(bound[1], ast.Call) or len(bound[1].args) != 1 or bound[1].keywords:
        return None
    held = _collection(bound[1].args[0])
    if not isinstance(held, list | tuple | set) or not held or "tmp_path" in names_of(bound[1]):
        return None
    kinds = {type(item) for item in held}
    items = _NUMBERS if kinds == {int} else _WORDS if kinds == {str} else None
    return _Receiver(trial, owner, bound[1], items, type(held)) if items is not None else None


def _collection(node: ast.expr) -> Any:
    """The collection that an expression of literals, `range`, and lists joined by `+` makes; None for others."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _collection(node.left), _collection(node.right)
        return left + right if isinstance(left, list) and isinstance(right, list) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        held = _collection(node.args[0])
        if node.func.id == "range":
            return [0] if isinstance(held, int) and held > 0 else []
        kinds = {"list": list, "tuple": tuple, "set": set}
        if node.func.id not in kinds or not isinstance(held, list | tuple | set):
            return None
        # A set holds nothing that can change.
        return kinds[node.func.id](held) if all(isinstance(one, int | str) for one in held) else None
    return literal_or(node, None)


@dataclass(frozen=True, slots=True)
class _Answers:
    """The condition that an act returned one of the two answers."""

    answer: str

    def __call__(self, observation: Observation) -> bool:
        return returned_source(observation) == self.answer


def _shows_something(observation: Observation) -> bool:
    """Whether an act returned something, or changed its object."""
    if observation.outcome != "returned" or observation.raised is not None:
        return False
    value = observation.value
    return bool(observation.effects) or (value is not None and value.source not in (None, "None", "[]", "set()"))
