"""Calls whose result is thrown away are no steps of a test, and what compares with itself is none (B-16, B-18)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.idle_steps import asking_methods, records_with_idle_steps
from testwright.engine.python.selection.tautologies import says_nothing
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16", "B-18")


def asked(number: int, act: str, seen: Observation, *arrange: str, subject: str, source: str = "") -> TrialRecord:
    found = record(number, act, seen, arrange=arrange)
    return replace(found, trial=replace(found.trial, subject=subject, source=source or "sequence"))


ADDING = asked(0, "url.add('x')", returned("Url('?x')"), "url = Url('')", subject="Url.add")


def test_a_call_that_leaves_its_object_as_it_was_is_no_step() -> None:
    thrown = asked(1, "url.to_text()", returned("''"), "url = Url('')", "url.add('x')", subject="Url.to_text")
    bound = asked(2, "url.to_text()", returned("'?x'"), "url = Url('').add('x')", subject="Url.to_text")
    written = replace(thrown, number=3, trial=replace(thrown.trial, source="doctest"))
    assert records_with_idle_steps([ADDING, thrown, bound, written]) == {1}


def test_a_call_that_changes_something_is_a_step() -> None:
    changes = (("len(cart)", Value("int", "1")),)
    adding = asked(0, "cart.add('x')", returned("True", effects=changes), "cart = Cart()", subject="Cart.add")
    assert asking_methods([adding]) == set()


def test_a_call_after_which_another_answer_comes_is_a_step() -> None:
    first = asked(0, "ids.take()", returned("1"), "ids = Ids()", subject="Ids.take")
    second = asked(1, "ids.take()", returned("2"), "ids = Ids()", "ids.take()", subject="Ids.take")
    assert asking_methods([first, second]) == set()


def test_a_call_that_a_busy_machine_cut_short_says_nothing_of_a_step() -> None:
    plain = asked(1, "url.to_text()", returned("''"), "url = Url('')", subject="Url.to_text")
    late = asked(
        2, "url.to_text()", Observation("timed_out"), *plain.trial.arrange, "url.add('x')", subject="Url.to_text"
    )
    assert asking_methods([ADDING, plain, late]) == {"Url.add", "Url.to_text"}


@pytest.mark.parametrize(
    ("act", "source", "empty"),
    [
        ("Url.from_text('a')", "Url.from_text('a')", True),
        ("Url.from_text('A').lower()", "Url.from_text('a')", False),
        ("hash(Url('a')) != hash(Url('b'))", "True", True),
        ("hash(Url('a')) == hash(Url('a'))", "True", False),
    ],
)
def test_a_call_that_is_compared_with_itself_says_nothing(act: str, source: str, empty: bool) -> None:
    assert says_nothing(record(0, act, returned(source))) is empty
