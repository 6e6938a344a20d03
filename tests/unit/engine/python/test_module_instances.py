"""What a module offers ready made is used as people use it."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import ModuleFacts, Observation, Trial, Value
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.mutants.module_instances import with_module_instances
from testwright.engine.python.search.trial_search import TrialRecord

TREE = ast.parse("class Jaro: ...\nother = jaro = Jaro()\nHOURS = Unit.HOURS\n_own = Jaro()\nLIMIT = 3\n")
FACTS = ModuleFacts("m.py", "m", ".", "")


def record(number: int, act: str, *arrange: str, effects: tuple[tuple[str, Value], ...] = ()) -> TrialRecord:
    trial = Trial("Jaro.__call__", act, arrange=arrange, imports=("from m import Jaro",))
    return TrialRecord(number, trial, ObservedTrial(Observation("returned", effects=effects)), frozenset(), frozenset())


RECORDS = [
    record(0, "a_jaro('x', 'y')", "a_jaro = Jaro()"),
    record(1, "a_jaro.words('Jaro()')", "a_jaro = Jaro()"),
    record(2, "a_jaro('x', 'y')", "a_jaro = Jaro()", "a_jaro.learn(1)"),
    record(3, "a_jaro.learn(2)", "a_jaro = Jaro()", effects=(("a_jaro.known", Value("int", "2")),)),
    record(4, "ask(Unit.HOURS, 'Unit.HOURS')"),
]


@pytest.mark.feature("B-11")
def test_an_object_of_the_module_stands_for_one_that_a_trial_builds_where_nothing_changes_it() -> None:
    told = with_module_instances(RECORDS, FACTS, TREE, 2)

    assert [(one.arrange, one.act) for one in told] == [((), "jaro('x', 'y')"), ((), "jaro.words('Jaro()')")]
    assert told[0].imports == ("from m import Jaro", "from m import jaro")


def test_a_name_stands_for_what_it_means_and_private_and_plain_ones_for_nothing() -> None:
    assert [instance.act for instance in with_module_instances(RECORDS, FACTS, TREE, 3)] == ["ask(HOURS, 'Unit.HOURS')"]
    assert with_module_instances(RECORDS, FACTS, TREE, 4) == []
    assert with_module_instances(RECORDS, FACTS, TREE, 5) == []
