"""An object with its defaults is shown first; what an option changes is told beside it (B-16)."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import (
    CallableFacts,
    ClassFacts,
    ModuleFacts,
    Observation,
    Parameter,
    Trial,
    Value,
)
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.degeneracy import has_size_below_zero
from testwright.engine.python.selection.representative import represent
from testwright.engine.python.selection.select_trials import select_candidates

pytestmark = pytest.mark.feature("B-16")

SELF = Parameter("self", "positional_or_keyword")
OPTIONS = (
    SELF,
    Parameter("size", "positional_or_keyword", default="1"),
    Parameter("strict", "positional_or_keyword", default="False"),
)
WORD = Parameter("word", "positional_or_keyword")
ASKED = CallableFacts("Rule.shown", "method", (4, 9), (SELF, WORD), owner="Rule")
RULE = ClassFacts(
    "Rule",
    "plain",
    (1, 9),
    constructor=CallableFacts("Rule", "constructor", (1, 3), OPTIONS, owner="Rule"),
    members=(ASKED,),
)
FACTS = ModuleFacts("m.py", "m", ".", "", classes=(RULE,))


def shown(number: int, made: str, answer: int, *lines: int) -> TrialRecord:
    trial = Trial("Rule.shown", "rule.shown('kitten')", arrange=(f"rule = {made}",))
    seen = Observation("returned", value=Value("int", source=f"{answer}"))
    ways = frozenset((line, line + 1) for line in lines)
    return TrialRecord(number, trial, ObservedTrial(seen), ways, ways)


def test_the_object_with_its_defaults_is_the_anchor_though_an_option_runs_more() -> None:
    default, strict = shown(0, "Rule()", 12, 4), shown(1, "Rule(strict=True)", 10, 4, 5, 6, 7)

    found = select_candidates([strict, default], FACTS, frozenset()).candidates

    assert [one.record.number for one in found] == [0, 1]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param("Rule()", 0, id="without_options"),
        pytest.param("Rule(strict=True)", 1, id="with_one"),
        pytest.param("Rule(size=2, strict=True)", 2, id="with_two"),
    ],
)
def test_the_options_of_an_object_are_counted_and_each_is_a_whole(made: str, expected: int) -> None:
    record = shown(0, made, 12)

    found = represent(record.trial, record.observation, ASKED, FACTS)

    assert (found.set_up, found.degeneracy) == (expected, 0)


def test_nothing_that_comes_of_a_negative_size_becomes_a_test() -> None:
    default, wide = shown(0, "Rule()", 12, 4), shown(1, "Rule(size=2)", 10, 4, 5)
    empty, telling = shown(2, "Rule(size=-1)", 0, 4, 6, 7), shown(3, "Rule(size=-1)", 9, 4, 6, 7)

    assert [one.record.number for one in select_candidates([default, wide, empty], FACTS, frozenset()).candidates] == [
        0,
        1,
    ]
    assert len(select_candidates([default, wide, telling], FACTS, frozenset()).candidates) == 3


@pytest.mark.parametrize(("option", "expected"), [("b", False), ("offset", False), ("ndigits", False), ("size", True)])
def test_a_negative_option_is_a_size_below_zero_only_where_it_counts_things(option: str, expected: bool) -> None:
    asked = CallableFacts("add", "function", (1, 2), (Parameter(option, "positional_or_keyword", default="0"),))
    act = ast.parse(f"add({option}=-1)", mode="eval").body

    assert has_size_below_zero(asked, act, None, FACTS) == expected
