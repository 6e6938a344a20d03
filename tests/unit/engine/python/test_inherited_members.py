"""What a class inherits is judged as what it defines: by its parameters and by what its object holds (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.facts.lineage import members_that_run
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.selection.candidates import rank_candidates
from testwright.engine.python.selection.degeneracy import SEVERE
from testwright.engine.python.selection.reaching import concerns_of
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

FACTS = facts_from_source(
    b"""
class Queue:
    def __init__(self):
        self._tasks = []
    def add(self, task):
        self._tasks.append(task)
    def peek(self):
        return self._tasks[0]

class Heap(Queue):
    pass
""",
    ModulePlace("m.py", "m", "."),
)


@pytest.mark.parametrize("subject", ["Queue.peek", "Heap.peek"])
@pytest.mark.parametrize(("tasks", "is_severe"), [(["a"], True), (["a", "b"], False)])
def test_the_first_of_one_item_shows_no_order_wherever_the_member_is_defined(subject, tasks, is_severe: bool) -> None:
    owner = subject.partition(".")[0]
    steps = (f"queue = {owner}()", *(f"queue.add({task!r})" for task in tasks))
    asked = record(0, "queue.peek()", returned("'a'"), (8, 8), arrange=steps)

    (candidate,) = rank_candidates([replace(asked, trial=replace(asked.trial, subject=subject))], FACTS)

    assert (candidate.representation.degeneracy >= SEVERE) is is_severe


SPELLING = facts_from_source(
    b"""
class Speller:
    def to_cardinal(self, value):
        return self.title(self.clean(value))
    def to_year(self, value):
        return self.to_cardinal(value)
    def to_ordinal(self, value):
        return self.to_cardinal(value) + self.ending
    def clean(self, value):
        return self.merge(value % 10, value - value % 10)
    def merge(self, one, other):
        raise NotImplementedError
    def title(self, value):
        return value.title()
    def join(self, *values):
        return self.merge(*values)
    def verify(self, value):
        return value == int(value)

class French(Speller):
    def merge(self, one, other):
        return f"{other} et {one}"
    def to_ordinal(self, value):
        return self.to_cardinal(value) + "ieme"

class Loud(Speller):
    def shout(self, value):
        return self.to_cardinal(value).upper()
""",
    ModulePlace("m.py", "m", "."),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # `clean` is a part of `to_cardinal`; `verify` and `title` run nothing that a language has of its own;
        # what `join` takes is not told.
        pytest.param("French", {"to_cardinal", "to_year"}, id="overrides_what_the_base_calls"),
        pytest.param("Loud", set(), id="overrides_nothing"),
    ],
)
def test_inherited_methods_that_run_what_a_class_overrides_are_found(name: str, expected: set[str]) -> None:
    classes = {owner.name: owner for owner in SPELLING.classes}

    assert members_that_run(classes[name], [classes["Speller"]]) == expected


def test_the_code_of_a_class_is_the_business_of_what_it_inherits_from_another_module() -> None:
    concerns = concerns_of(
        facts_from_source(
            b"""
class French(Speller):
    def merge(self, one, other):
        return f"{other} et {one}"

def spell(number):
    return str(number)
""",
            ModulePlace("m.py", "m", "."),
        )
    )

    assert concerns("French.to_cardinal", (4, -3))
    assert not concerns("French.to_cardinal", (7, -6))
    assert not concerns("spell", (4, -3))
