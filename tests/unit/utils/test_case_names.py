"""Which case a test proves, told by its names."""

from __future__ import annotations

import ast

import pytest

from testwright.utils.names.case_names import cases_of_test, named_case, owned_tests

SOURCE = '''
import pytest


class TestCart:
    def test_add_of_apple(self):
        assert True


@pytest.mark.parametrize("value", [pytest.param(1, id="of_1"), pytest.param(2, id="tc_two")])
def test_double(value):
    assert value


def test_total():
    """Case tc_sum."""
'''


def proven(known: set[str]) -> dict[str, tuple[str, ...]]:
    """What each test of the source proves."""
    return {test.name: cases_of_test(test, owner, known) for test, owner in owned_tests(ast.parse(SOURCE))}


@pytest.mark.parametrize(
    ("owner", "function", "row", "expected"),
    [
        ("TestCart", "test_add_of_apple", "", "tc_cart_add_of_apple"),
        ("TestURL", "test_str", "of_slash", "tc_url_str_of_slash"),
        (None, "test_double", "", "tc_double"),
    ],
)
def test_a_case_is_named_by_class_function_and_row(owner, function, row, expected):
    assert named_case(owner, function, row) == expected


def test_names_prove_only_cases_that_are_known():
    assert proven(set()) == {"test_add_of_apple": (), "test_double": ("tc_two",), "test_total": ("tc_sum",)}
    assert proven({"tc_cart_add_of_apple", "tc_double_of_1", "tc_total"}) == {
        "test_add_of_apple": ("tc_cart_add_of_apple",),
        "test_double": ("tc_double_of_1", "tc_two"),
        "test_total": ("tc_sum",),
    }


def test_a_function_with_the_name_of_a_class_is_told_by_the_name_of_its_test():
    source = "class TestLower:\n    def test_lower(self):\n        assert True\n"
    ((test, owner),) = owned_tests(ast.parse(source))

    assert cases_of_test(test, owner, {"tc_lower"}) == ("tc_lower",)
