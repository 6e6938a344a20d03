"""What remembers results, tries again or computes late is shown by the calls of a function of the test (B-16)."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.python.model.model import CallableFacts, ClassFacts, ModuleFacts, Observation, Parameter, Value
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.scenarios.counted_calls import counted_calls
from testwright.engine.python.scenarios.scenario import Scenario
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.write.scenario_words import counted_words
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned

pytestmark = pytest.mark.feature("B-16")


def method(qualname: str, *parameters: Parameter, kind: str = "method") -> CallableFacts:
    itself = Parameter("self", "positional_or_keyword")
    return CallableFacts(qualname, kind, (1, 9), (itself, *parameters), owner=qualname.partition(".")[0])  # pyrefly: ignore[bad-argument-type]


def positional(name: str, default: str | None = None) -> Parameter:
    return Parameter(name, "positional_or_keyword", default=default)


LOADER = ClassFacts(
    "Loader",
    "plain",
    (1, 9),
    constructor=method("Loader", positional("load"), positional("remember", "True"), kind="constructor"),
    members=(
        method("Loader.get", positional("key"), positional("keep", "True")),
        method("Loader.forget", positional("key")),
    ),
)
LATE = ClassFacts(
    "late",
    "plain",
    (1, 9),
    constructor=method("late", positional("function"), kind="constructor"),
    members=(method("late.__get__", positional("instance")),),
)
FACTS = ModuleFacts("m.py", "m", ".", "", classes=(LOADER, LATE))


class Loader:
    """Remembers what was loaded, as the facts above say."""

    def __init__(self, load: Any, remember: bool = True) -> None:
        self.load = load
        self.remember = remember
        self.kept: dict[Any, Any] = {}

    def get(self, key: Any, keep: bool = True) -> Any:
        if key in self.kept:
            return self.kept[key]
        value = self.load(key)
        if keep and self.remember:
            self.kept[key] = value
        return value

    def forget(self, key: Any) -> None:
        self.kept.pop(key, None)


def persistent(function: Any) -> Any:
    """Calls a function again until it does not fail."""

    @functools.wraps(function)
    def again(*arguments: Any) -> Any:
        while True:
            try:
                return function(*arguments)
            except ConnectionError:
                continue

    return again


def observed(scenario: Scenario, **names: Any) -> Observation:
    """What the program of a scenario does, run here."""
    space: dict[str, Any] = dict(names)
    for statement in scenario.trial.arrange:
        exec(statement, space)
    before = list(space["calls"])
    result = eval(scenario.trial.act, space)
    noted = space["calls"]
    effects = (("calls", Value("list", source=repr(noted))),) if noted != before else ()
    return Observation("returned", value=Value("x", source=repr(result)), effects=effects)


def shown(records: list[TrialRecord], **names: Any) -> set[str]:
    found = [one for one in counted_calls(records, FACTS) if one.trial.subject != "late"]
    return {one.shows for one in found if _holds(one, names)}


def _holds(scenario: Scenario, names: dict[str, Any]) -> bool:
    try:
        return scenario.holds(observed(scenario, **names))
    except (ConnectionError, ValueError):  # what does not try again passes the failure on
        return False


def decorated(decorator: str) -> TrialRecord:
    statement = f"@{decorator}\ndef double(number):\n    return 2 * number"
    return record(0, "double(4)", returned("8"), arrange=(statement,), imports=(f"from m import {decorator}",))


def test_a_decorator_that_remembers_calls_the_function_once_for_equal_arguments() -> None:
    assert shown([decorated("keep")], keep=functools.cache) == {"remembers"}


def test_a_decorator_that_tries_again_calls_the_function_again_after_a_failure() -> None:
    assert shown([decorated("persistent")], persistent=persistent) == {"tries again"}


def test_a_decorator_that_calls_the_function_each_time_remembers_nothing() -> None:
    remembering = next(one for one in counted_calls([decorated("plain")], FACTS) if one.shows == "remembers")
    assert not remembering.holds(observed(remembering, plain=lambda function: function))


def test_a_decorator_that_needs_what_the_trial_arranges_is_left_out() -> None:
    unknown = replace(decorated("keep"), trial=replace(decorated("keep").trial, imports=()))
    assert {one.trial.subject for one in counted_calls([unknown], FACTS)} == {"late"}


def test_an_object_built_with_a_function_is_asked_twice_with_options_of_both_and_after_it_forgot() -> None:
    known = record(
        0,
        "loader.get('apple')",
        returned("'APPLE'"),
        arrange=("loader = Loader(str.upper)",),
        imports=("from m import Loader",),
    )
    about_get = replace(known, trial=replace(known.trial, subject="Loader.get"))
    assert shown([about_get], Loader=Loader) == {
        "remembers",
        "asks again with keep",
        "asks again with remember",
        "asks again after forget",
    }


def test_what_decorates_a_method_as_a_property_computes_it_once() -> None:
    late = next(one for one in counted_calls([], FACTS) if one.trial.subject == "late")
    assert late.holds(observed(late, late=functools.cached_property))
    assert not late.holds(observed(late, late=property))


def test_a_call_that_raised_shows_no_decorator() -> None:
    failed = record(0, "double(4)", raised("TypeError"), arrange=("@keep\ndef double(number):\n    return 2",))
    assert {one.trial.subject for one in counted_calls([failed], FACTS)} == {"late"}


@pytest.mark.parametrize(
    ("act", "noted", "last", "words"),
    [
        ("[double(4), double(4), double(5)]", "[4, 5]", "", "calls_double_once_for_equal_arguments"),
        ("[lazy.value, lazy.value]", "['total']", "", "calls_double_once"),
        ("[get(4, keep=False), get(4, keep=False)]", "[4, 4]", "", "with_keep_calls_double_each_time"),
        ("get(4)", "[4, 4]", "loader.forget(4)", "calls_double_again_after_forget"),
        ("[get(4), get(4)]", "[4, 4]", "get = Get(double, keep=False)", "without_keep_calls_double_each_time"),
    ],
)
def test_a_test_that_counts_calls_is_named_by_the_count(act: str, noted: str, last: str, words: str) -> None:
    statements = ("calls = []", "def double(number):\n    calls.append(number)", *([last] if last else []))
    expect = (SpecExpectation("equals", "result", "8"), SpecExpectation("equals", "calls", noted))
    assert counted_words(Case("c", "x", "f", act, "call", expect, statements=statements)) == words


def test_a_test_without_counts_gets_no_such_name() -> None:
    assert counted_words(Case("c", "x", "f", "f(2)", "call", (SpecExpectation("equals", "result", "8"),))) == ""
