"""What is learned of the objects of a class that nothing changes, and whose objects functions make (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.inputs.learning import LearnedInputs
from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.usage.harvest import Harvester

pytestmark = pytest.mark.feature("B-16")

SOURCE = '''
class Row:
    """Do not instantiate directly, use the factory function `row`, or `Row.of`."""

    def __init__(self, count, items):
        self.count, self.items = count, items

    @classmethod
    def of(cls, *items):
        return cls(len(items), items)

    def append(self, item):
        return Row(self.count + 1, (*self.items, item))


def row(*items):
    return Row(len(items), items)
'''


def learned_of(*seen: tuple[str, str, Observation]) -> LearnedInputs:
    """What subjects, acts and observations teach, each of an object `one`."""
    facts = facts_from_source(SOURCE.encode(), ModulePlace("m.py", "m", "."))
    learned = LearnedInputs(facts, Harvester(facts))
    for subject, act, observation in seen:
        learned.take(Trial(subject, act, arrange=("one = row(5, 6)",)), observation, new=False)
    return learned


def gave_row(**more: object) -> Observation:
    return Observation("returned", value=Value("m.Row", **more))  # pyrefly: ignore[bad-argument-type]


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("row(5, 6)", ["row(5, 6)"]),
        ("Row.of(5, 6)", ["Row.of(5, 6)"]),
        ("one[1:3]", []),
        ("one.append(7)", []),
    ],
)
def test_an_object_is_made_as_its_document_says_and_not_of_another_one(act: str, expected: list[str]) -> None:
    learned = learned_of(("row", act, gave_row()))

    assert [one.source for one in learned.objects.get("Row", [])] == expected


def test_a_method_that_leaves_its_object_alone_and_makes_another_one_changes_none() -> None:
    assert learned_of(("Row.append", "one.append(7)", gave_row())).deriving == {"Row.append"}


@pytest.mark.parametrize(
    "observation",
    [
        gave_row(unchanged=True),
        Observation("returned", value=Value("m.Shelf")),
        Observation("returned", value=Value("m.Row"), effects=(("one.count", Value("int", "3")),)),
        Observation("returned", value=Value("int", "3")),
    ],
)
def test_a_method_that_gives_its_object_back_or_changes_it_makes_no_other_one(observation: Observation) -> None:
    assert learned_of(("Row.append", "one.append(7)", observation)).deriving == set()


def test_a_method_that_changed_its_object_once_may_always_do_so() -> None:
    changed = Observation("returned", value=Value("m.Row"), effects=(("one.count", Value("int", "3")),))

    learned = learned_of(("Row.append", "one.append(7)", changed), ("Row.append", "one.append()", gave_row()))

    assert learned.deriving == set()


@pytest.mark.parametrize(
    ("subject", "act", "given", "leaves"),
    [
        ("Pointer.set", "one.set({'a': 1}, 2)", Value("dict", "{'a': 2}"), True),
        ("Pointer.set", "one.set({'a': 1}, 2)", Value("int", "2"), False),
        ("Pointer.add", "one.add('b')", Value("list", "['a', 'b']"), False),
    ],
)
def test_what_changes_what_it_is_passed_changes_no_object(subject: str, act: str, given: Value, leaves: bool) -> None:
    pointer = facts_from_source(
        b"""
class Pointer:
    def __init__(self, path):
        self._parts = path.split("/")

    def set(self, document, value):
        document[self._parts[-1]] = value
        return document

    def add(self, part):
        self._parts.append(part)
        return list(self._parts)
""",
        ModulePlace("m.py", "m", "."),
    )
    learned = LearnedInputs(pointer, Harvester(pointer))

    learned.take(Trial(subject, act, arrange=("one = Pointer('a')",)), Observation("returned", value=given), new=False)

    assert (subject in learned.deriving) is leaves
