"""Values of literals, of source text and of trees."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.python_source import literal_or, literal_value, shared_expression, shared_module


@pytest.mark.parametrize(
    "source", ["-1", "1e999", "'a' 'b'", "[1, (2, {3: None})]", "{1, 2}", "set()", "b'x'", "1 + 2j"]
)
def test_a_text_and_its_tree_have_the_same_value(source: str) -> None:
    tree = ast.parse(source, mode="eval").body
    assert literal_value(source) == literal_value(tree)


@pytest.mark.parametrize("source", ["name", "f(1)", "1 +", "\0", "(" * 500 + ")" * 500])
def test_what_is_no_literal_has_the_default(source: str) -> None:
    assert [literal_or(source, "default") for _ in range(2)] == ["default"] * 2


def test_a_value_that_is_changed_is_not_the_next_one_of_the_same_text() -> None:
    first = literal_value("{'a': [1]}")
    first["a"].append(2)
    assert literal_value("{'a': [1]}") == {"a": [1]}


def test_a_text_that_is_asked_for_again_has_the_same_tree_unless_it_is_long() -> None:
    long = f"f({'1, ' * 300})"
    assert shared_expression("f(1)") is shared_expression("f(1)")
    assert shared_expression(long) is not shared_expression(long)
    assert (shared_expression("f("), shared_module("x =")) == (None, None)
