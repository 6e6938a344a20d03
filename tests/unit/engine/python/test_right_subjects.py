"""A trial is of the member whose lines ran, and only what a member gave is held against its annotation (B-02)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.explore.right_subjects import with_right_subjects
from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.judge.defects import contradiction
from testwright.engine.python.model.model import Arc, Observation, TrialFinding, Value
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.tests.unit.engine.python.test_select_trials import record

pytestmark = pytest.mark.feature("B-02")

CODE = b"""class Number:
    def value(self) -> int:
        return 12

class Word:
    def value(self) -> str:
        return 'apple'

class Twice(Word):
    def value(self) -> str:
        return super().value() * 2

def parse(text):
    return Number() if text == '12' else Word()
"""
FACTS = facts_from_source(CODE, ModulePlace("m.py", "m", "."))
CALLABLES = {one.qualname: one for one in FACTS.callables()}
NUMBER, WORD, TWICE, PARSE = (3, -2), (7, -6), (11, -10), (14, -13)


def asked(act: str, *arcs: Arc, subject: str = "Number.value", arrange: tuple[str, ...] = ()) -> TrialRecord:
    seen = Observation("returned", value=Value("str", "'apple'", text="'apple'"), arcs=frozenset(arcs))
    found = record(0, act, seen, *arcs, arrange=arrange)
    return replace(found, trial=replace(found.trial, subject=subject))


def gave(act: str, type_name: str) -> TrialRecord:
    """The record of a call of a function that gave an object of a class."""
    return record(0, act, Observation("returned", value=Value(type_name, text=type_name.rpartition(".")[2])))


def subject_of(one: TrialRecord, *others: TrialRecord) -> str:
    return with_right_subjects([one, *others], FACTS)[0].trial.subject


def contradicted(one: TrialRecord) -> str | None:
    return contradiction(TrialFinding(one.trial, one.observation), CALLABLES)


@pytest.mark.parametrize(
    ("arcs", "subject"),
    [
        ((PARSE, WORD), "Word.value"),
        ((PARSE, NUMBER), "Number.value"),
        ((PARSE, TWICE, WORD), "Twice.value"),
        ((PARSE, NUMBER, WORD), "Number.value"),
        ((PARSE,), "Number.value"),
    ],
)
def test_a_trial_is_of_the_member_whose_lines_it_ran(arcs: tuple[Arc, ...], subject: str) -> None:
    assert subject_of(asked("parse('apple').value()", *arcs)) == subject


def test_what_another_call_of_a_factory_made_moves_no_trial() -> None:
    made = Observation("returned", value=Value("m.Number"))
    word = asked("parse('apple').value()", PARSE, WORD, subject="Word.value")
    assert subject_of(word, record(1, "parse('12')", made, PARSE)) == "Word.value"


@pytest.mark.parametrize("arcs", [(PARSE, WORD), (PARSE, WORD, NUMBER), ()])
def test_the_annotation_of_a_member_says_nothing_of_what_another_one_gave(arcs: tuple[Arc, ...]) -> None:
    assert contradicted(asked("parse('apple').value()", *arcs)) is None


def test_the_annotation_of_a_member_contradicts_what_it_gave() -> None:
    assert contradicted(asked("parse('12').value()", PARSE, NUMBER)) == "the annotation -> int"
    assert contradicted(asked("one.value()", NUMBER, WORD, arrange=("one = Number()",))) == "the annotation -> int"


CALLED = facts_from_source(
    b"""class Upper:
    def __init__(self, mark='!'):
        self.mark = mark

    def __call__(self, text):
        return text.upper() + self.mark
""",
    ModulePlace("m.py", "m", "."),
)


def test_what_calls_an_object_of_a_class_is_of_its_call_and_so_are_the_other_rows_of_such_a_table() -> None:
    body, built = (6, -5), (3, -2)
    made = ("check = Schema(Any(int, Upper()))",)
    ran = replace(asked("check('hi')", body, subject="Upper", arrange=made), number=0)
    passed_by = replace(asked("check(2)", subject="Upper", arrange=made), number=1)
    read = replace(asked("check.name", built, subject="Upper", arrange=made), number=2)
    held = replace(asked("Upper('?')", built, subject="Upper"), number=3)

    found = with_right_subjects([ran, passed_by, read, held], CALLED)

    assert [one.trial.subject for one in found] == ["Upper.__call__", "Upper.__call__", "Upper", "Upper"]


@pytest.mark.parametrize("body", [(3, -2), (6, -5)])
def test_a_call_of_what_was_just_made_is_of_the_objects_call_which_a_base_class_may_have(body: Arc) -> None:
    facts = facts_from_source(
        b"""class _Base:
    def __call__(self, value):
        return value

    def _run(self, value):
        return value

class Some(_Base):
    def __init__(self, least=1):
        self.least = least
""",
        ModulePlace("m.py", "m", "."),
    )
    built = (10, -9)
    ran = asked("Schema(Some(2))(6.6)", body, built, subject="Some")
    made = asked("Some(2).least", built, subject="Some")

    assert [one.trial.subject for one in with_right_subjects([ran, made], facts)] == ["Some.__call__", "Some"]


SHELF = facts_from_source(
    b"""class Shelf(Set):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)

    __and__ = Set.__and__

def shelf(*items):
    return Shelf.filled(items)
""",
    ModulePlace("m.py", "m", "."),
)


def test_a_construction_that_is_iterated_over_is_of_the_iteration_unless_that_has_records_of_its_own() -> None:
    iterated = asked("list(Shelf([4]))", (3, -2), (6, -5), subject="Shelf")
    own = replace(asked("list(one)", (6, -5), subject="Shelf.__iter__", arrange=("one = Shelf([1, 2])",)), number=1)

    assert [one.trial.subject for one in with_right_subjects([iterated], SHELF)] == ["Shelf.__iter__"]
    assert with_right_subjects([iterated, own], SHELF) == [own]


@pytest.mark.parametrize(
    ("act", "subject"),
    [
        ("one & shelf(3, 4)", "Shelf.__and__"),
        ("shelf(1) < shelf(1, 2)", "Shelf.__lt__"),
        ("1 in one", "Shelf.__contains__"),
        ("len(shelf(1))", "Shelf.__len__"),
        ("one == shelf(1, 2)", "shelf"),
        ("word & shelf(1)", "shelf"),
        ("list(one)", "shelf"),
    ],
)
def test_an_operator_on_what_a_function_made_is_a_member_of_its_class(act: str, subject: str) -> None:
    made = gave("shelf(1, 2)", "m.Shelf")
    used = replace(asked(act, subject="shelf", arrange=("one = shelf(1, 2)", "word = 'a'")), number=1)

    assert [one.trial.subject for one in with_right_subjects([made, used], SHELF)] == ["shelf", subject]


TASK = facts_from_source(
    b"""class Task:
    def __init__(self, value):
        self.value = self._clean(value)

    def _clean(self, value):
        return value or 0

    def __call__(self, other):
        return other

    def __iter__(self):
        if self.value < 0:
            raise ValueError('negative')
        yield self.value

def make(value):
    return Task(value)
""",
    ModulePlace("m.py", "m", "."),
)
MAKING, ENDING, REFUSING = ((3, -2), (6, -5)), (14, -11), (13, -11)


@pytest.mark.parametrize(
    ("act", "subject"),
    [
        ("Task(double(3)).value", "Task"),
        ("Task(adder(1)(2))", "Task"),
        ("Task(3).started()(2)", "Task"),
        ("Task(3)(2)", "Task.__call__"),
        ("task(2)", "Task.__call__"),
        ("checked(2)", "Task.__call__"),
        ("Checks([Task(3)])(2)", "Task.__call__"),
    ],
)
def test_only_what_calls_the_new_object_or_what_was_made_with_it_is_of_its_call(act: str, subject: str) -> None:
    arrange = ("double = lambda x: x", "task = Task(3)", "checked = Checks(task)")
    ran = asked(act, *MAKING, subject="Task", arrange=arrange)

    assert [one.trial.subject for one in with_right_subjects([ran], TASK)] == [subject]


@pytest.mark.parametrize(("inner", "subject"), [("3", "Task"), ("Task(3)", "Task.__call__"), ("task", "Task.__call__")])
def test_a_long_chain_of_calls_that_an_object_is_passed_through_is_followed_at_once(inner: str, subject: str) -> None:
    arrange = ("task = Task(3)", *(f"task{n + 1} = join(task{n or ''}, task{n or ''})" for n in range(40)))
    ran = asked(f"{'Checks(' * 60}{inner}{')' * 60}(2)", *MAKING, subject="Task", arrange=arrange)
    unmade = asked("task40(2)", *MAKING, subject="Task", arrange=("task = 3", *arrange[1:]))

    found = [one.trial.subject for one in with_right_subjects([ran, replace(unmade, number=1)], TASK)]

    assert found == [subject, "Task"]


@pytest.mark.parametrize(
    ("outcome", "arc", "stays"), [("returned", ENDING, False), ("raised", REFUSING, True), ("returned", (12, 14), True)]
)
def test_an_iteration_over_a_new_object_stays_where_no_other_one_shows_as_much(
    outcome: Any, arc: Arc, stays: bool
) -> None:
    looked = asked("list(Task(-1))", *MAKING, arc, subject="Task")
    looked = replace(looked, seen=replace(looked.seen, observation=replace(looked.observation, outcome=outcome)))
    own = replace(asked("list(task)", ENDING, subject="Task.__iter__", arrange=("task = Task(1)",)), number=1)

    found = [one.trial.subject for one in with_right_subjects([looked, own], TASK)]

    assert found == ["Task.__iter__"] * (1 + stays)


@pytest.mark.parametrize(("act", "made"), [("make(1) + 2", "m.Task"), ("len(make(1))", "m.Task")])
def test_an_operator_that_the_class_of_the_module_lacks_stays_with_the_function(act: str, made: str) -> None:
    first = gave("make(1)", made)
    used = replace(asked(act, subject="make"), number=1)

    assert [one.trial.subject for one in with_right_subjects([first, used], TASK)] == ["make", "make"]


def test_an_operator_on_an_object_of_a_namesake_in_another_module_stays_with_the_function() -> None:
    first = gave("shelf(1)", "other.Shelf")
    used = replace(asked("shelf(1) < shelf(2)", subject="shelf"), number=1)

    assert [one.trial.subject for one in with_right_subjects([first, used], SHELF)] == ["shelf", "shelf"]


DECK = facts_from_source(
    b"""class Deck:
    def __init__(self, cards):
        self.cards = cards

    def reverse(self):
        return Deck(self.cards[::-1])

    def deal(self):
        return self.cards[0]

    __reversed__ = reverse

def deck(*cards):
    return Deck(cards)
""",
    ModulePlace("m.py", "m", "."),
)
DECK_REVERSE, DECK_DEAL, DECK_MAKING = (6, -5), (9, -8), (3, -2)


@pytest.mark.parametrize(
    ("arcs", "subject"),
    [
        ((DECK_MAKING, DECK_REVERSE), "Deck.reverse"),
        ((DECK_MAKING, DECK_REVERSE, DECK_DEAL), "deck"),
        ((DECK_MAKING,), "deck"),
    ],
)
def test_what_reverses_a_new_object_is_of_the_method_that_it_runs(arcs: tuple[Arc, ...], subject: str) -> None:
    made = gave("deck(1, 2)", "m.Deck")
    turned = replace(asked("reversed(deck(1, 2))", *arcs, subject="deck"), number=1)

    assert [one.trial.subject for one in with_right_subjects([made, turned], DECK)] == ["deck", subject]
