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

    assert differences(mine, usual, CHOP) == ["after_add", "larger_begin"]


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
