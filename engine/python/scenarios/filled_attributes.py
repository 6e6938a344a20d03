"""Shows what methods make of an attribute that a class leaves to its user: `grid.cells = […]`, then `grid.area(0)`.

A constructor fills such an attribute with zeros, and no method writes to it: before somebody sets it, there is nothing
that the methods could work on.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....utils.python_source import expression_or_none, literal_or
from ..inputs.calls import variable_for
from ..model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..search.parallel_observers import Watcher
from ..search.trial_search import TrialRecord, TrialSearch
from .scenario import Scenario, is_plain_return, returned_source, scenario_trial, show_scenarios

SIZE = 4
_MOST_ARGUMENTS = 2
_WEIGHTS = ((0, 4, 1, 0), (4, 0, 2, 5), (1, 2, 0, 8), (0, 5, 8, 0))
"""Symmetric, with zeros in its diagonal: distances or weights between each two of four."""
_NUMBERS = (3, 1, 8, 2)
_READING = ("item:", "iterated", "len", "argument:")


async def show_filled_attributes(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Runs methods on objects whose user has set what the class leaves to them, and learns what differs from zeros."""
    for owner in facts.classes:
        base = _construction(search.records, owner) if not owner.name.startswith("_") else None
        if base is None:
            continue
        calls = list(_calls(owner, base))
        answers = await observer.watch([unset for _, unset, _ in calls])
        unset = [returned_source(one.observation) for one in answers]
        found = [
            Scenario(trial, f"uses {name}", _Unlike(before))
            for (name, _, trial), before in zip(calls, unset, strict=True)
        ]
        await show_scenarios(found, search, observer)


@dataclass(frozen=True, slots=True)
class _Unlike:
    """The condition that an act returned a value that can be written down, and another one than with zeros."""

    before: str

    def __call__(self, observation: Observation) -> bool:
        found = returned_source(observation)
        return bool(found) and found not in (self.before, "None", repr(float("inf")))


@dataclass(frozen=True, slots=True)
class _Construction:
    """An object of `SIZE`.

    Attributes:
        source: the call that makes it.
        filled: (name, source) of the attributes that are left to its user, as they are to be set.
    """

    trial: Trial
    source: str
    filled: tuple[tuple[str, str], ...]


def _construction(records: Sequence[TrialRecord], owner: ClassFacts) -> _Construction | None:
    """The first construction by one number that gives the size of what is left to the user; None for none."""
    left = _left_to_users(owner)
    for record in records if left else ():
        value = record.observation.value
        call = expression_or_none(record.trial.act)
        if not is_plain_return(record) or value is None or record.trial.subject != owner.name:
            continue
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or record.trial.arrange:
            continue
        size = literal_or(call.args[0], None)
        filled = [
            (name, _filling(literal_or(held.source or "", None), size))
            for name, held in value.attributes
            if name in left
        ]
        if any(source for _, source in filled):
            source = f"{ast.unparse(call.func)}({SIZE})"
            return _Construction(record.trial, source, tuple(one for one in filled if one[1]))
    return None


def _left_to_users(owner: ClassFacts) -> set[str]:
    """Public attributes that the constructor sets and methods only read."""
    set_first = {name for name, use in owner.constructor.uses if use == "assigned"} if owner.constructor else set()
    uses = [one for member in owner.members for one in member.uses]
    read = {name for name, use in uses if use.startswith(_READING)}
    changed = {name for name, use in uses if use == "assigned" or use.startswith(("method:", "element:method:"))}
    names = {name.removeprefix("self.") for name in (set_first & read) - changed if name.startswith("self.")}
    return {name for name in names if not name.startswith("_")}


def _filling(empty: Any, size: Any) -> str:
    """What a user would set in place of zeros, `SIZE` of a side; "" for what is no list of as many zeros as `size`."""
    if not isinstance(empty, list) or isinstance(size, bool) or len(empty) != size or not empty:
        return ""
    if all(one == 0 and type(one) is int for one in empty):  # False is none that is counted with
        return repr(list(_NUMBERS))
    square = all(isinstance(row, list) and len(row) == size and set(map(repr, row)) == {"0"} for row in empty)
    return repr([list(row) for row in _WEIGHTS]) if square else ""


def _calls(owner: ClassFacts, made: _Construction) -> Iterator[tuple[str, Trial, Trial]]:
    """(attribute, call before it is set, call after) of each method that takes at most two numbers.

    Arguments are positions in what is set: the first, the last, and between both.
    """
    variable = variable_for(owner.name)
    arrange = [f"{variable} = {made.source}"]
    for member in owner.members:
        if member.name.startswith("_") or member.kind != "method" or member.is_async:
            continue
        if len(member.needed) > _MOST_ARGUMENTS:
            continue
        for name, source in made.filled:
            if not _reaches(member, f"self.{name}", owner):
                continue
            for given in itertools.permutations((0, SIZE - 1, 2), len(member.needed)):
                act = f"{variable}.{member.name}({', '.join(map(str, given))})"
                before = scenario_trial(made.trial, member.qualname, arrange, act)
                after = scenario_trial(made.trial, member.qualname, [*arrange, f"{variable}.{name} = {source}"], act)
                yield name, before, after


def _reaches(member: CallableFacts, attribute: str, owner: ClassFacts) -> bool:
    """Whether a method reads an attribute, itself or by one that it calls."""
    called = {name.removeprefix("self.") for name, use in member.uses if use.startswith("called:")}
    readers = [member, *(one for one in owner.members if one.name in called)]
    return any(name == attribute for one in readers for name, _ in one.uses)
