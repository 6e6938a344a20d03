"""Stories: objects filled, met again by what was put in, then asked; and what they let a hunt notice."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.facts.analyse import analyse_module
from testwright.engine.python.model.model import Exploration
from testwright.engine.python.model.mutant_search import MutantSearchLimits
from testwright.engine.python.project.layout import find_layout
from testwright.engine.python.search.source_proposer import SourceProposer
from testwright.engine.python.search.stories import stories_of
from testwright.tests.support.engine.exploration import PATH, files
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.engine.written_tests import written_spec
from testwright.tests.support.projects.files import make_project

SHELF = '''
"""A shelf with room for a few things; what was touched last stays."""

import time
from collections import OrderedDict


class Shelf:
    """Holds things for a while."""

    def __init__(self, room, keep=60, timer=time.monotonic):
        self.room = room
        self.keep = keep
        self._timer = timer
        self._things = OrderedDict()

    def __setitem__(self, name, thing):
        while len(self._things) >= self.room:
            self._things.popitem(last=False)
        self._things[name] = (thing, self._timer() + self.keep)

    def __getitem__(self, name):
        self._things.move_to_end(name, last=True)
        return self._things[name][0]

    def __copy__(self):
        other = Shelf(self.room, self.keep, self._timer)
        other._things = self._things.copy()
        return other

    def __iter__(self):
        now = self._timer()
        return iter([name for name, (_, until) in self._things.items() if now < until])


class Money:
    """Nothing to fill."""

    def __init__(self, amount):
        self.amount = amount

    def doubled(self):
        """Twice as much."""
        return Money(2 * self.amount)
'''


def project(folder: Path) -> Path:
    for path, text in files(SHELF).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


@pytest.mark.feature("B-06")
def test_a_story_fills_an_object_meets_what_was_put_in_and_asks_in_time(tmp_path: Path) -> None:
    root = project(tmp_path)
    layout = find_layout(root)
    facts = analyse_module(root, PATH, layout)
    context = SourceProposer(root, layout, facts).context
    shelf, money = facts.classes

    whole = ["; ".join((*one.trial.arrange, one.trial.act)) for one in stories_of(context, shelf)]
    told = [re.sub(r"lambda: \d+", "lambda: 1", text) for text in whole]

    filled = "shelf = Shelf(3, timer=lambda: 1); shelf[1] = 10; shelf[2] = 20; shelf[3] = 30"
    assert f"{filled}; shelf[2]" in told
    assert f"{filled}; shelf[9]" in told
    assert f"{filled}; shelf.__setitem__(4, 40)" in told
    assert f"{filled}; shelf[1]; shelf.__setitem__(4, 40)" in told
    assert f"{filled}; copied_shelf = copy.copy(shelf); list(copied_shelf)" in told
    timed = "now = [0]; shelf = Shelf(3, timer=lambda: now[0]); shelf[1] = 10"
    assert f"{timed}; now[0] = 3; shelf[2] = 20; list(shelf)" in told
    assert len(whole) == len(set(whole))
    assert stories_of(context, money) == []


@pytest.mark.feature("B-11")
def test_which_thing_is_given_up_first_is_noticed_because_a_story_meets_one_again(tmp_path: Path) -> None:
    async def run() -> Exploration:
        async with prepared(tmp_path, files(SHELF)) as target:
            root = target.snapshot.path
            layout = find_layout(root)
            facts = analyse_module(root, PATH, layout)
            budget = ExplorationBudget(trials=300, quiet=120, mutant_search=MutantSearchLimits(mutants=80))
            return await explore(target, facts, SourceProposer(root, layout, facts), budget)

    found = asyncio.run(run())

    sequences = [(*finding.trial.arrange, finding.trial.act) for finding in found.findings]
    met = [sequence for sequence in sequences if sequence[-3:-1] == ("shelf['banana'] = 2", "shelf['apple']")]
    assert met, "something is read again before another thing is put in"
    assert len(found.findings) < 40


STACKS = '''
"""Stacks that grow."""

from abc import ABCMeta, abstractmethod


class AbstractStack(metaclass=ABCMeta):
    """A stack."""

    def __init__(self):
        self._top = -1

    def __len__(self):
        return self._top + 1

    @abstractmethod
    def push(self, value):
        """Put a value on top."""


class ArrayStack(AbstractStack):
    """A stack in a list that doubles when it is full."""

    def __init__(self, size=10):
        super().__init__()
        self._array = [None] * size

    def push(self, value):
        self._top += 1
        if self._top == len(self._array):
            self._expand()
        self._array[self._top] = value

    def pop(self):
        if self._top < 0:
            raise IndexError("stack is empty")
        value = self._array[self._top]
        self._top -= 1
        return value

    def _expand(self):
        self._array += [None] * len(self._array)
'''


@pytest.mark.feature("B-06")
def test_an_object_is_filled_past_its_size_by_a_small_size_and_by_a_loop(tmp_path: Path) -> None:
    root = make_project(tmp_path, files(STACKS))
    layout = find_layout(root)
    facts = analyse_module(root, PATH, layout)
    context = SourceProposer(root, layout, facts).context

    told = ["; ".join((*one.trial.arrange, one.trial.act)) for one in stories_of(context, facts.classes[1])]

    assert (
        "array_stack = ArrayStack(size=3); array_stack.push(3); array_stack.push(1); array_stack.push(2); "
        "array_stack.push(4)" in told
    )
    loop = "array_stack = ArrayStack(); for number in range(12):\n    array_stack.push(number)"
    assert f"{loop}; array_stack.pop()" in told
    emptied = "array_stack.pop(); array_stack.pop(); array_stack.pop()"
    assert any(text.endswith(f"{emptied}; array_stack.pop()") for text in told)


@pytest.mark.feature("B-02")
def test_an_abstract_method_is_said_to_be_tested_in_the_class_that_implements_it(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, STACKS)
    reasons = {entry["subject"]: entry["reason"] for entry in spec["not_reached"]}
    assert reasons["AbstractStack.push"] == "it is abstract: tested as `ArrayStack.push`"
    assert {"ArrayStack.push", "ArrayStack.pop"} <= {case["subject"] for case in spec["cases"]}


INHERITED = """
class Box:
    def __init__(self):
        self.items = {}

    def __setitem__(self, key, value):
        self.items[key] = self.kept(value)

    def kept(self, value):
        return value

    def __getitem__(self, key):
        return self.items[key]

    def pop(self, key):
        return self.items.pop(key)


class Crate(Box):
    def label(self):
        return "crate"


class Safe(Box):
    def kept(self, value):
        return [value]
"""


def test_what_a_class_inherits_unchanged_is_told_by_the_stories_of_the_class_that_has_it(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / PATH).write_text(INHERITED)
    layout = find_layout(root)
    facts = analyse_module(root, PATH, layout)
    context = SourceProposer(root, layout, facts).context
    asked = {
        owner.name: {one.trial.subject.rpartition(".")[2] for one in stories_of(context, owner)}
        for owner in facts.classes
    }
    assert {"__getitem__", "pop"} <= asked["Box"]
    assert asked["Crate"] <= {"label"}
    assert "__setitem__" in asked["Safe"]
