"""Conditions in names say what a test does differently, not what it has in common with others."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.model.model import CallableFacts, Parameter
from testwright.engine.python.write.conditions import differences
from testwright.engine.python.write.situation import Situation

pytestmark = pytest.mark.feature("B-06", "B-18")

CHOP = CallableFacts(
    "Tree.chop",
    "method",
    (1, 2),
    (Parameter("self", "positional_or_keyword"), Parameter("begin", "positional_or_keyword")),
    owner="Tree",
)


def passed(**values: str) -> dict[str, ast.expr]:
    return {name.replace("self_", "self."): ast.parse(source, mode="eval").body for name, source in values.items()}


def test_an_object_that_calls_filled_is_not_said_to_lack_what_others_are_made_of() -> None:
    usual = Situation(passed(begin="3", self_intervals="[1, 2]"), content="self.intervals")
    mine = Situation(passed(begin="7"), before=("add",))

    assert differences(mine, usual, CHOP) == ["after_add"]


def test_one_more_of_the_values_of_a_table_is_no_condition_beside_an_option() -> None:
    usual = Situation({}, varying={"d"})
    mine = Situation(passed(d="datetime(2024, 5, 3)", cardinalize="False"))

    assert differences(mine, usual, None) == ["without_cardinalize"]


def test_an_object_of_a_class_without_options_is_new_and_has_no_defaults() -> None:
    assert differences(Situation(built=True), Situation(passed()), CHOP) == ["new_tree"]
    assert differences(Situation(built=True), Situation(passed(self_limit="3")), CHOP) == ["with_defaults"]


def test_a_generator_and_two_items_are_called_so() -> None:
    usual = Situation(passed(items="[1, 2, 3]"))

    assert differences(Situation(passed(items="(n for n in range(3))")), usual, None) == ["items_as_generator"]
    assert differences(Situation(passed(items="['a', 'b']")), Situation(passed(items="['a', 'b', 'c']")), None) == [
        "two_items"
    ]


def test_equal_arguments_tell_more_than_what_they_are() -> None:
    usual = Situation(passed(d="datetime(2024, 5, 3)"))
    mine = Situation(passed(d="datetime(2024, 6, 17)", other="datetime(2024, 6, 17)"))

    assert differences(mine, usual, None)[0] == "equal_d_and_operand"


def test_a_step_that_a_test_lacks_is_not_told() -> None:
    usual = Situation(passed(begin="3"), before=("load", "prune"))

    assert differences(Situation(passed(begin="3"), before=("load",)), usual, CHOP) == ["after_only_load"]
    assert differences(Situation(passed(begin="3")), usual, CHOP) == ["new_tree"]
    assert differences(Situation(passed(begin="3"), before=("add", "load")), usual, CHOP) == ["after_add"]


def test_an_option_that_is_passed_tells_more_than_one_that_is_not() -> None:
    usual = Situation(passed(begin="3", args="{'a': 1, 'b': 2}"))

    assert differences(Situation(passed(begin="''", path="{'two': 2}")), usual, CHOP) == [
        "with_path",
        "empty_begin",
        "without_args",
    ]


def test_what_a_call_was_given_is_not_said_to_be_missing() -> None:
    usual = Situation(passed(path="'a/b'", self_path="'a/b'"), content="self.path")

    assert differences(Situation(passed(path="['']"), before=("load",)), usual, CHOP) == ["path_as_list", "after_load"]
    assert differences(Situation(passed(path="['']")), usual, CHOP) == ["path_as_list"]


def test_defaults_of_an_object_are_not_said_of_a_call_that_has_arguments() -> None:
    usual = Situation(passed(self_limit="3"))

    assert differences(Situation(passed(args="{'three': 3}"), built=True), usual, CHOP) == ["with_args", "new_tree"]
    assert differences(Situation({}, varying={"other"}, built=True), usual, CHOP) == ["with_other", "new_tree"]


def test_a_call_is_not_said_to_lack_an_argument_whose_name_anybody_may_choose() -> None:
    free = Parameter("kwargs", "var_keyword")
    expand = CallableFacts("expand", "function", (1, 2), (Parameter("values", "positional_or_keyword"), free))
    usual, mine = Situation(passed(name="'kitten'")), Situation(passed(values="{'page': 3}"))

    assert differences(mine, usual, expand) == ["with_values"]


def test_counterparts_that_are_equal_or_share_nothing_are_called_so_after_an_option() -> None:
    compare = CallableFacts("compare", "function", (1, 2), (Parameter("texts", "var_positional"),))
    usual = Situation(passed(texts="('kitten', 'sitting')"), spread="texts")

    assert differences(Situation(passed(texts="('ox', 'ox')"), spread="texts"), usual, compare)[0] == "with_equal_texts"
    apart = Situation(passed(texts="('ox', 'sky')", self_bias="2.5"), spread="texts")
    assert differences(apart, usual, compare)[:2] == ["with_bias", "with_nothing_in_common"]


def test_operands_of_a_set_that_share_nothing_with_each_other_are_not_called_so() -> None:
    difference = CallableFacts(
        "Bag.difference", "method", (1, 2), (Parameter("others", "var_positional"),), owner="Bag"
    )
    usual = Situation(passed(others="([1, 2], [2, 3])"), spread="others")

    apart = Situation(passed(others="([1, 2], [4, 5])"), spread="others")
    assert "with_nothing_in_common" not in differences(apart, usual, difference)
