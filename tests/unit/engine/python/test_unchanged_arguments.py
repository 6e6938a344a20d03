"""A function that promises a new container is shown to leave the one that it was passed as it was (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.scenario import Scenario
from testwright.engine.python.scenarios.unchanged_arguments import unchanged_arguments
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.write.scenario_words import unchanged_words
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

CODE = b'''
def put(box, key, item):
    """Put an item into a box.

    The box itself is not modified.
    """
    return {**box, key: item}


def fill(box, key, item):
    """Put an item into a box."""
    return {**box, key: item}
'''
PLACE = ModulePlace("m.py", "m", ".")
FACTS = facts_from_source(CODE, PLACE)


def called(act: str, answer: str, *arrange: str, changed: str = "") -> TrialRecord:
    effects = (("box", Value("dict", changed)),) if changed else ()
    found = record(0, act, returned(answer, effects=effects), arrange=arrange, imports=("from m import fill, put",))
    return replace(found, trial=replace(found.trial, subject=act.partition("(")[0]))


def shown(*records: TrialRecord) -> list[Scenario]:
    return list(unchanged_arguments(records, FACTS))


def test_the_container_gets_a_name_and_is_looked_at_after_the_call() -> None:
    (found,) = shown(called("put({'a': 1}, 'b', 2)", "{'a': 1, 'b': 2}"))

    assert found.trial.arrange == ("box = {'a': 1}", "put(box, 'b', 2)")
    assert found.trial.act == "box"
    assert found.holds(returned("{'a': 1}"))
    assert not found.holds(returned("{'a': 1, 'b': 2}"))


def test_a_promise_of_the_docstring_is_what_the_test_documents() -> None:
    (found,) = shown(called("put({'a': 1}, 'b', 2)", "{'a': 1, 'b': 2}"))

    assert found.trial.wanted == "{'a': 1}"
    assert CODE.decode().splitlines()[found.trial.wanted_line - 1].strip() == "The box itself is not modified."


def test_a_container_that_has_a_name_keeps_it() -> None:
    (found,) = shown(called("put(crate, 'b', 2)", "{'a': 1, 'b': 2}", "crate = {'a': 1}"))

    assert found.trial.arrange == ("crate = {'a': 1}", "put(crate, 'b', 2)")
    assert found.trial.act == "crate"


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(called("fill({'a': 1}, 'b', 2)", "{'a': 1, 'b': 2}"), id="nothing is promised"),
        pytest.param(called("put({'a': 1}, 'a', 1)", "{'a': 1}"), id="the answer is equal"),
        pytest.param(called("put({}, 'a', 1)", "{'a': 1}"), id="the container is empty"),
        pytest.param(
            called("put(box, 'b', 2)", "{'a': 1, 'b': 2}", "box = {'a': 1}", changed="{'a': 1, 'b': 2}"),
            id="the call changes it",
        ),
    ],
)
def test_no_other_call_shows_it(one: TrialRecord) -> None:
    assert not shown(one)


def case(expected: str, *statements: str) -> Case:
    expect = (SpecExpectation("equals", "result", expected),)
    variable = statements[0].partition(" = ")[0]
    return Case("c", "x", "put", variable, "call", expect, statements=statements)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        pytest.param(case("{'a': 1}", "crate = {'a': 1}", "put(crate, 2)"), "leaves_crate_alone", id="its name"),
        pytest.param(case("{'a': 1}", "d = {'a': 1}", "put(d, 2)"), "leaves_its_argument_alone", id="a letter"),
        pytest.param(case("{'a': 2}", "crate = {'a': 1}", "put(crate, 2)"), "", id="it was changed"),
        pytest.param(case("{'a': 1}", "crate = {'a': 1}", "send(crate, 2)"), "", id="another call"),
    ],
)
def test_the_name_of_the_test_says_what_stays_as_it_was(case: Case, words: str) -> None:
    assert unchanged_words(case) == words


def test_an_observation_without_a_value_shows_nothing() -> None:
    (found,) = shown(called("put({'a': 1}, 'b', 2)", "{'a': 1, 'b': 2}"))

    assert not found.holds(Observation("raised"))


@pytest.mark.parametrize(
    ("promise", "holds"),
    [
        ("Return a new dict with an item more.", True),
        ("Returns a shallow copy of the box with an item more.", True),
        ("Put an item into a box. Does not modify the initial dictionary.", True),
        ("Put an item without changing `box`.", True),
        ("Put an item; the original is left unchanged.", True),
        ("Return the keys whose values did not change.", False),
        ("Make copies of each file.", False),
        ("Adds a new item to the list; build a new list of names.", False),
        ("Sort the box in place, so that its items need not be changed later.", False),
        ("Put an item without changing the order.", False),
    ],
)
def test_only_what_is_said_of_the_argument_or_of_the_answer_is_documented(promise: str, holds: bool) -> None:
    facts = facts_from_source(
        f'''def put(box, key, item):\n    """{promise}"""\n    return {{**copy(box), key: item}}\n'''.encode(), PLACE
    )
    (found,) = unchanged_arguments([called("put({'a': 1}, 'b', 2)", "{'a': 1, 'b': 2}")], facts)

    assert (found.trial.source == "document") is holds
