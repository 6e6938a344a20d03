"""Statements and options that change nothing are left out of the trials that become tests (B-16)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from testwright.engine.python.explore.idle_setup import drop_idle_constructions, drop_idle_setup
from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.exploration import Listed
from testwright.tests.support.engine.in_process_search import InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

SOURCE = """
def add_to(items, value):
    items.append(value)

class Disk:
    def __init__(self):
        self.asked = []

    def size(self):
        self.asked.append(1)

class Pointer:
    def __init__(self, path, strict=True):
        self.path = path
        self.strict = strict
        self.count = 0

        self.items = []

    def size(self):
        return len(self.path)

    def hand_on(self, value):
        add_to(self.items, value)

    def enter(self):
        self.count, self.strict = 1, False

    def holds(self, other):
        return self.path.startswith(other.path)

    def put(self, box, item):
        box[self.path] = item
        return item

    def child(self, name):
        return Pointer(f'{self.path}/{name}')

    def step(self):
        self.count += 1
        return self.count > 0
"""
SOURCE += """
class Shelf:
    def __init__(self, items=()):
        self.items = []
        self.load(items)

    def load(self, items):
        self.items = list(items)
        return self

    def put(self, items):
        self.items.extend(items)

    def total(self):
        return sum(self.items)
"""
FACTS = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))
PAIR = ("child = Pointer('/foo/bar')", "parent = Pointer('/foo')")


def left(*trials: Trial, kills: int = 0) -> set[tuple[str, ...]]:
    """The lines of the trials that are left; `kills`: how many mutants each of them detects."""

    async def drop() -> TrialSearch:
        search, observer = (
            TrialSearch(FACTS, ArcMap(SOURCE), Listed(trials), frozenset(), 100),
            InProcessWatcher(SOURCE),
        )
        for one, seen in zip(trials, await observer.watch(trials), strict=True):
            search.learn(one, seen)
        known = {one.number: frozenset({one.number} if kills else ()) for one in search.records}
        await drop_idle_setup(FACTS, search, observer, frozenset(), known)  # pyrefly: ignore[bad-argument-type]
        return search

    return {(*one.trial.arrange, one.trial.act) for one in asyncio.run(drop()).records}


def shown(act: str, *before: str, subject: str = "Pointer.holds") -> Trial:
    """A line of a document that shows several in a row."""
    return Trial(subject, act, arrange=before, source="doctest", wanted="True", imports=("from m import *",))


@pytest.mark.parametrize("kills", [0, 1])
def test_questions_that_a_document_asks_before_another_one_are_left_out(kills: int) -> None:
    first = shown("child.holds(parent)", *PAIR)
    second = shown("child.holds(child)", *PAIR, "child.holds(parent)")

    found = left(first, second, kills=kills)
    assert {lines[-1] for lines in found} == {first.act, second.act}
    assert all(first.act not in lines[:-1] for lines in found)


def test_calls_that_change_their_object_stay_in_what_a_document_shows() -> None:
    first = shown("child.step()", PAIR[0], subject="Pointer.step")
    second = shown("child.step()", PAIR[0], "child.step()", subject="Pointer.step")

    assert left(first, second) == {(PAIR[0], "child.step()"), (PAIR[0], "child.step()", "child.step()")}


def test_a_call_whose_new_object_is_thrown_away_is_left_out_of_what_a_document_shows() -> None:
    made = shown("root.child('b')", "root = Pointer('/a')", "root.child('c')", subject="Pointer.child")
    made = replace(made, wanted=None)

    assert left(made) == {("root = Pointer('/a')", "root.child('b')")}


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("shelf = Shelf()", "shelf.load([1, 2])"), id="in_two_statements"),
        pytest.param(("shelf = Shelf([9])", "shelf = shelf.load([1, 2])"), id="bound_again"),
        pytest.param(("shelf = Shelf().load([1, 2])",), id="in_one_statement"),
    ],
)
def test_an_object_is_made_at_once_where_the_constructor_calls_what_fills_it(lines: tuple[str, ...]) -> None:
    asked = Trial("Shelf.total", "shelf.total()", arrange=lines, imports=("from m import *",))

    found = left(asked, kills=1)

    assert ("shelf = Shelf([1, 2])", "shelf.total()") in found
    assert (*lines, "shelf.total()") not in found


def test_an_object_that_another_method_fills_is_not_made_at_once_of_that() -> None:
    lines = ("shelf = Shelf([1, 2])", "shelf.put([3])")
    asked = Trial("Shelf.total", "shelf.total()", arrange=lines, imports=("from m import *",))

    assert (*lines, "shelf.total()") in left(asked, kills=1)


@pytest.mark.parametrize("call", ["child.put({}, 3)", "child.enter()", "child.hand_on('a')"])
def test_a_call_that_was_not_seen_to_only_ask_stays_where_mutants_were_noticed(call: str) -> None:
    held = Trial("Pointer.holds", "child.holds(child)", arrange=(PAIR[0], call), imports=("from m import *",))

    assert (PAIR[0], call, held.act) in left(held, kills=1)


def test_a_call_on_an_object_of_another_class_is_no_question_that_the_subject_answers() -> None:
    lines = ("disk = Disk()", PAIR[0])
    asked = Trial("Pointer.size", "child.size()", arrange=(PAIR[0],), imports=("from m import *",))
    held = Trial("Pointer.holds", "child.holds(child)", arrange=(*lines, "disk.size()"), imports=("from m import *",))

    assert (*lines, "disk.size()", held.act) in left(asked, held, kills=1)


def test_a_call_stays_that_may_change_what_the_test_names() -> None:
    lines = ("box = {}", PAIR[0], "child.put(box, 3)")
    held = Trial("Pointer.put", "child.put(box, 4)", arrange=lines, imports=("from m import *",))

    assert (*lines, held.act) in left(held, kills=1)


def test_a_part_of_a_new_object_is_read_without_an_argument_that_it_does_not_depend_on() -> None:
    trials = [
        Trial("Pointer", f"Pointer('/a', strict=False).{name}", source="document", imports=("from m import *",))
        for name in ("path", "strict")
    ]

    async def drop() -> TrialSearch:
        observer = InProcessWatcher(SOURCE)
        search = TrialSearch(FACTS, ArcMap(SOURCE), Listed(trials), frozenset(), 100)
        for one, seen in zip(trials, await observer.watch(trials), strict=True):
            search.learn(one, seen)
        await drop_idle_constructions(search, observer, {})  # pyrefly: ignore[bad-argument-type]
        return search

    acts = {one.trial.act for one in asyncio.run(drop()).records}

    assert acts == {"Pointer('/a').path", "Pointer('/a', strict=False).strict", "Pointer('/a').strict"}
