"""A call is worth little that an empty object lets pass, or that another method would answer alike (B-06, B-18)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.model.model import Observation
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.selection.compared_calls import (
    constant_callables,
    deprecated_uses,
    interchangeable_calls,
    loose_comparisons,
    misuses_of_empty_objects,
)
from testwright.tests.unit.engine.python.test_select_trials import raised, record, returned

pytestmark = pytest.mark.feature("B-06", "B-18")

FILLED = ("tree = Tree([1, 2])",)
EMPTY = ("tree = Tree()",)


def call(number: int, method: str, given: str, seen: Observation, arrange: tuple[str, ...] = FILLED) -> TrialRecord:
    found = record(number, f"Tree.{method}({given})", seen, arrange=arrange)
    return replace(found, trial=replace(found.trial, act=f"tree.{method}({given})"))


def test_what_returns_on_an_empty_object_alone_is_misuse() -> None:
    refused = call(0, "overlap", "6", raised("AttributeError"))
    empty = call(1, "overlap", "6", returned("set()"), EMPTY)
    other = call(2, "overlap", "Span(1, 6)", returned("set()"), EMPTY)
    assert misuses_of_empty_objects([refused, empty, other]) == {1}


def test_what_another_filled_object_takes_is_no_misuse() -> None:
    # Letters do not sort among numbers; a tree of letters takes them.
    refused = call(0, "add", "'a'", raised("TypeError"))
    letters = call(1, "add", "'a'", returned("None"), ("tree = Tree(['b'])",))
    assert misuses_of_empty_objects([refused, letters]) == set()


def test_what_the_code_refuses_by_another_error_is_no_misuse() -> None:
    refused = call(0, "remove", "6", raised("KeyError"))
    empty = call(1, "remove", "6", returned("None"), EMPTY)
    assert misuses_of_empty_objects([refused, empty]) == set()


def test_calls_that_two_methods_answer_alike_show_neither() -> None:
    union = call(0, "union", "[3]", returned("[1, 2, 3]"))
    disjoint = call(1, "symmetric_difference", "[3]", returned("[1, 2, 3]"))
    shared = call(2, "symmetric_difference", "[2, 3]", returned("[1, 3]"))
    both = call(3, "union", "[2, 3]", returned("[1, 2, 3]"))
    assert interchangeable_calls([union, disjoint, shared, both]) == {0, 1}


def test_what_returns_nothing_is_like_no_other_call() -> None:
    found = [call(0, "clear", "1", returned("None")), call(1, "drop", "1", returned("None"))]
    assert interchangeable_calls(found) == set()


def test_what_an_object_with_another_option_refuses_is_no_misuse_of_one_with_its_defaults() -> None:
    refused = call(0, "similarity", "'kitten'", raised("TypeError"), ("tree = Tree(size=2)",))
    plain = call(1, "similarity", "'kitten'", returned("4"), EMPTY)
    filled = call(2, "similarity", "'kitten'", raised("TypeError"), ("tree = Tree(items=[1, 2])",))
    assert misuses_of_empty_objects([refused, plain]) == set()
    assert misuses_of_empty_objects([filled, plain]) == {1}


def test_a_callable_with_one_answer_to_all_that_it_was_asked_is_constant() -> None:
    alike = [call(at, "maximum", f"[{at}]", returned("1")) for at in range(3)]
    assert constant_callables([*alike, call(3, "maximum", "None", raised("TypeError"))]) == {"Tree.maximum"}
    assert constant_callables(alike[:2]) == set()
    assert constant_callables([*alike, call(3, "maximum", "[4]", returned("2"))]) == set()
    assert constant_callables([*alike, call(3, "maximum", "[]", raised("ValueError"))]) == set()


def test_what_str_and_repr_give_alike_shows_neither() -> None:
    def shown(number: int, by: str, made: str, text: str) -> TrialRecord:
        found = record(number, f"{by}(word)", returned(repr(text)), arrange=(f"word = Word({made})",))
        return replace(found, trial=replace(found.trial, subject=f"Word.__{by}__"))

    numbers = [shown(0, "str", "3", "3"), shown(1, "repr", "3", "3")]
    texts = [shown(2, "str", "'abc'", "abc"), shown(3, "repr", "'abc'", "'abc'")]

    assert interchangeable_calls([*numbers, *texts]) == {0, 1}


@pytest.mark.parametrize(
    ("wanted", "quiet", "passed_over"), [(None, True, {0}), (None, False, set()), ("no", True, set())]
)
def test_a_use_that_is_going_away_is_passed_over_where_another_one_answers(wanted, quiet: bool, passed_over) -> None:
    warned = returned("False", warnings=(("builtins.DeprecationWarning", "compare with a span"),))
    old = call(0, "is_before", "6", warned)
    old = replace(old, trial=replace(old.trial, wanted=wanted))
    new = call(1, "is_before", "Span(1, 6)", returned("True"))
    assert deprecated_uses([old, new] if quiet else [old]) == passed_over


def compared(number: int, act: str, answer: str, wanted: str | None = None) -> TrialRecord:
    found = record(number, act, returned(answer), arrange=("tree = Tree([1, 2])",))
    return replace(found, trial=replace(found.trial, subject="Tree.__eq__", wanted=wanted))


def test_objects_that_differ_in_one_item_show_better_what_is_compared_than_others() -> None:
    item = compared(0, "tree == Tree([1, -3])", "False")
    size = compared(1, "tree == Tree([1, 2, 3])", "False")
    other = compared(2, "tree != [3, 1, 2]", "True")
    told = compared(3, "tree == 1", "False", wanted="False")
    equal = compared(4, "tree == Tree([1, 2])", "True")
    assert loose_comparisons([item, size, other, told, equal]) == {1, 2}
    assert loose_comparisons([size, other, equal]) == {2}
    assert loose_comparisons([other, equal]) == frozenset()
