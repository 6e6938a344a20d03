"""The same call on the module's own instance and on a new object is one test (B-11, B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import Arc, ModuleFacts
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.shared_instances import (
    on_shared_instances,
    shared_instances,
    without_own_instances,
)
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-11", "B-16")

FACTS = ModuleFacts("m.py", "m", ".", "")
WAY = (1, 2)


def call(number: int, act: str, answer: str, *arrange: str, arc: Arc = WAY, source: str = "signature") -> TrialRecord:
    found = record(number, act, returned(answer), arc, arrange=arrange, source=source)
    name = "Jaro" if arrange else "jaro"
    return replace(found, trial=replace(found.trial, subject="Jaro.__call__", imports=(f"from m import {name}",)))


SHARED = call(0, "jaro('kitten', 'sitting')", "0.7")
BUILT = call(1, "a_jaro('kitten', 'sitting')", "0.7", "a_jaro = Jaro()")


def test_a_call_on_a_new_object_gives_way_to_the_same_on_the_instance_of_the_module() -> None:
    left, kills = without_own_instances([BUILT, SHARED], FACTS, {0: frozenset({9}), 1: frozenset({3, 4})})

    assert left == [SHARED]
    assert kills == {0: {3, 4, 9}}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(call(1, "a_jaro('kitten', 'mitten')", "0.7", "a_jaro = Jaro()"), id="another_call"),
        pytest.param(call(1, "a_jaro('kitten', 'sitting')", "2", "a_jaro = Jaro(2)"), id="another_answer"),
        pytest.param(call(1, "a_jaro('kitten', 'sitting')", "0.7", "a_jaro = Jaro()", arc=(1, 3)), id="another_way"),
        pytest.param(call(1, "a_jaro('kitten', 'sitting')", "0.7", "a_jaro = Jaro()", source="doctest"), id="written"),
    ],
)
def test_what_differs_or_was_written_by_a_person_stays(other: TrialRecord) -> None:
    assert without_own_instances([other, SHARED], FACTS, {})[0] == [other, SHARED]


def test_the_call_on_the_instance_stands_where_the_one_on_the_new_object_came_from() -> None:
    found = replace(SHARED, trial=replace(SHARED.trial, source="mutation"))

    assert [one.trial.source for one in without_own_instances([BUILT, found], FACTS, {})[0]] == ["signature"]


def test_the_call_that_a_person_wrote_on_the_instance_keeps_its_origin() -> None:
    written = replace(SHARED, trial=replace(SHARED.trial, source="doctest"))

    assert without_own_instances([BUILT, written], FACTS, {})[0] == [written]


def test_words_of_texts_and_names_of_arguments_are_no_names_of_the_object() -> None:
    built = call(1, "text('some text here', text='sitting')", "0.7", "text = Jaro()")
    shared = call(0, "jaro('some text here', text='sitting')", "0.7")
    other = call(2, "text('other text here', text='sitting')", "0.2", "text = Jaro()")

    found = on_shared_instances([other], shared_instances([built, shared], FACTS))

    assert [one.act for one in found] == ["jaro('other text here', text='sitting')"]


def test_other_trials_that_build_what_the_module_offers_use_its_instance_too() -> None:
    instances = shared_instances([BUILT, SHARED], FACTS)
    other = call(2, "a_jaro('a_jaro', word)", "0.2", "a_jaro = Jaro()", "word = 'hello'")
    of_another = call(3, "a_jaro('kitten', 'hello')", "0.2", "a_jaro = Jaro(2)")
    changing = call(4, "a_jaro('kitten', 'hello')", "0.2", "a_jaro = Jaro()", "a_jaro.learn('hello')")

    found = on_shared_instances([other, of_another, changing], instances)

    assert [(one.arrange, one.act) for one in found] == [(("word = 'hello'",), "jaro('a_jaro', word)")]
    assert set(found[0].imports) == {"from m import Jaro", "from m import jaro"}
