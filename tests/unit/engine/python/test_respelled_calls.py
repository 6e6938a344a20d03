"""A call that passes by keyword what another one passes by position is the same call (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Parameter
from testwright.engine.python.search.influence_trials import Distinction
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.respelled_calls import without_respelled_calls
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned

pytestmark = pytest.mark.feature("B-16")

PARAMETERS = (
    Parameter("text", "positional_or_keyword"),
    Parameter("width", "positional_or_keyword", default="9"),
    Parameter("strict", "keyword_only", default="False"),
)
WRAP = CallableFacts("wrap", "function", (1, 9), parameters=PARAMETERS)
FACTS = ModuleFacts("m.py", "m", ".", "", functions=(WRAP,))


def wrap(number: int, act: str, answer: str = "'a'", **more: object) -> TrialRecord:
    made = record(number, act, returned(answer), **more)
    return replace(made, trial=replace(made.trial, subject="wrap"))


def test_one_of_two_spellings_stays_and_has_the_kills_of_both() -> None:
    spelled = [wrap(1, "wrap('a b', width=3)"), wrap(2, "wrap('a b', 3)")]

    left, kills = without_respelled_calls(spelled, FACTS, {1: frozenset({7}), 2: frozenset({8})})

    assert [one.trial.act for one in left] == ["wrap('a b', 3)"]
    assert kills == {2: frozenset({7, 8})}


def test_the_spelling_of_a_document_stays() -> None:
    documented = wrap(1, "wrap('a b', width=3)", wanted="'a'")

    left, _ = without_respelled_calls([documented, wrap(2, "wrap('a b', 3)")], FACTS, {})

    assert left == [documented]


@pytest.mark.parametrize(
    ("act", "arrange"),
    [
        pytest.param("wrap('a b', 3)", (), id="by_position"),
        pytest.param("wrap(given, width=3)", ("given = 'a b'",), id="with_a_variable"),
    ],
)
def test_what_a_document_tells_is_not_told_again_with_another_spelling(act: str, arrange: tuple[str, ...]) -> None:
    documented = wrap(1, "wrap('a b', width=3)", wanted="'a'")
    again = wrap(2, act, arrange=arrange)
    again.notes[Distinction] = "option width"

    assert without_respelled_calls([documented, again], FACTS, {})[0] == [documented]


def test_a_lambda_that_only_calls_a_function_is_that_function() -> None:
    written = [wrap(1, "wrap('a b', width=lambda text: len(text))"), wrap(2, "wrap('a b', width=len)")]
    apart = [wrap(1, "wrap('a b', width=lambda text: len(words))"), wrap(2, "wrap('a b', width=len)")]

    assert [one.number for one in without_respelled_calls(written, FACTS, {})[0]] == [2]
    assert without_respelled_calls(apart, FACTS, {})[0] == apart


def test_a_variable_that_is_read_twice_is_no_other_spelling() -> None:
    records = [wrap(1, "wrap(given, width=len(given))", arrange=("given = 'a b'",)), wrap(2, "wrap('a b', 3)")]

    assert without_respelled_calls(records, FACTS, {})[0] == records


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(wrap(2, "wrap('a b', 4)"), id="another_value"),
        pytest.param(wrap(2, "wrap('a b', 3)", "'b'"), id="another_result"),
        pytest.param(wrap(2, "wrap('a b', 3, strict=True)"), id="one_argument_more"),
        pytest.param(wrap(2, "wrap('a b', 3)", arrange=("x = 1",)), id="another_arrangement"),
        pytest.param(wrap(2, "wrap('a b', **{'width': 3})"), id="arguments_of_a_mapping"),
        pytest.param(replace(wrap(2, "wrap('a b', 3)"), time_dependent=True), id="another_answer_tomorrow"),
    ],
)
def test_what_differs_in_more_than_its_spelling_stays(other: TrialRecord) -> None:
    records = [wrap(1, "wrap('a b', width=3)"), other]

    assert without_respelled_calls(records, FACTS, {})[0] == records


def test_refusals_of_one_call_are_told_apart_by_what_is_raised() -> None:
    made = [record(1, "wrap('a b', width=3)", raised("ValueError")), record(2, "wrap('a b', 3)", raised("KeyError"))]
    records = [replace(one, trial=replace(one.trial, subject="wrap")) for one in made]

    assert without_respelled_calls(records, FACTS, {})[0] == records


def test_a_text_that_is_put_together_stays_as_it_is_written() -> None:
    records = [
        wrap(1, "f'{wrap(given)}'", arrange=(r"given = 'a\\b'",)),
        wrap(2, "wrap(a)", arrange=("a = 'x'", "base = 1")),
        wrap(3, "wrap('x')", arrange=("base = 1",)),
    ]

    assert [one.number for one in without_respelled_calls(records, FACTS, {})[0]] == [1, 3]
