"""Trials that differ only in values and in names of variables have one shape (B-06)."""

from __future__ import annotations

import pytest

from testwright.engine.python.source.trial_shapes import shape_of

pytestmark = pytest.mark.feature("B-06")

PLAIN = shape_of(("url = Url('a')",), "url.parse(3)", "call")


def test_the_values_are_told_in_order_and_the_shape_has_none() -> None:
    shape, values = PLAIN

    assert values == ("'a'", "3")
    assert "'a'" not in shape


@pytest.mark.parametrize(
    "statements",
    [
        pytest.param(("t = Url('kitten')",), id="another_name"),
        pytest.param(("text = 'kitten'", "t = Url(text)"), id="a_variable_for_a_text"),
        pytest.param(("t = Url('kitten')", "size = -7"), id="a_variable_for_a_number"),
    ],
)
def test_names_of_variables_make_no_shape(statements: tuple[str, ...]) -> None:
    variable = "size" if "size = -7" in statements else "9"
    assert shape_of(statements, f"t.parse({variable})", "call")[0] == PLAIN[0]


@pytest.mark.parametrize(
    ("statements", "act"),
    [
        pytest.param(("url = Link('a')",), "url.parse(3)", id="another_class"),
        pytest.param(("url = Url('a')", "url.add('b')"), "url.parse(3)", id="another_step"),
        pytest.param(("text = 'a'", "text = text + 'b'", "url = Url(text)"), "url.parse(3)", id="assigned_again"),
        pytest.param(("url = Url('a')",), "url.parse(size)", id="a_name_of_elsewhere"),
    ],
)
def test_what_is_done_makes_the_shape(statements: tuple[str, ...], act: str) -> None:
    assert shape_of(statements, act, "call")[0] != PLAIN[0]


def test_two_variables_are_told_apart() -> None:
    first, second = ("one = Url('a')", "two = Url('b')"), ("two = Url('a')", "one = Url('b')")

    assert shape_of(first, "one.join(two)", "call") == shape_of(second, "two.join(one)", "call")
    assert shape_of(first, "one.join(two)", "call") != shape_of(first, "two.join(one)", "call")


def test_what_an_f_string_reads_is_a_value_too() -> None:
    first = shape_of(("name = 'apple'",), "greet(f'{name}!')", "call")
    second = shape_of(("word = 'pear'",), "greet(f'{word}!')", "call")

    assert first[0] == second[0]
    assert (first[1], second[1]) == (("'apple'",), ("'pear'",))
