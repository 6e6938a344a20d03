"""Dropped cases leave a file that a model wrote; the rest stays as it was."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.python.write.repair import proven_cases, without_tests

FILE = '''"""Tests."""

import math

import pytest
from shop import Cart, half

LIMIT = 3  # shared


class TestCart:
    """The cart."""

    def test_add(self):
        """tc_add."""
        assert Cart().add(1) == math.floor(1.5)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(2, 1, id="tc_two"),
        pytest.param(4, 2, id="tc_four"),
    ],
)
def test_half(number, expected):
    assert half(number) == expected


@pytest.mark.filterwarnings("ignore")
def test_ünï():
    """tc_uni: größer."""
    assert half(LIMIT * 2) == LIMIT
'''


@pytest.mark.feature("B-11")
@pytest.mark.parametrize(
    ("drop", "gone", "left"),
    [
        ({"tc_add"}, ["class TestCart", "import math", "Cart"], {"tc_two", "tc_four", "tc_uni"}),
        ({"tc_two"}, ["tc_two"], {"tc_add", "tc_four", "tc_uni"}),
        ({"tc_four"}, ["tc_four"], {"tc_add", "tc_two", "tc_uni"}),
        ({"tc_two", "tc_four"}, ["test_half", "parametrize"], {"tc_add", "tc_uni"}),
        ({"tc_uni"}, ["test_ünï", "filterwarnings"], {"tc_add", "tc_two", "tc_four"}),
        ({"tc_nobody"}, [], {"tc_add", "tc_two", "tc_four", "tc_uni"}),
    ],
)
def test_the_tests_of_dropped_cases_are_cut_out(drop: set[str], gone: list[str], left: set[str]) -> None:
    cut = without_tests(FILE, drop)
    ast.parse(cut)
    assert proven_cases(cut) == left
    assert [one for one in gone if one in cut] == []
    assert ("LIMIT = 3  # shared" in cut) == ("tc_uni" in left)


HELPED = '''"""Tests."""

import pytest

PAYLOAD = {"a": 1}


@pytest.fixture(autouse=True)
def clock():
    """For all of them."""


@pytest.fixture
def cart(shop):
    return make_cart(shop)


def make_cart(shop):
    return shop.post("/carts", json=PAYLOAD)


def test_cart(cart):
    """tc_cart."""
    assert cart


def test_shop(shop):
    """tc_shop."""
    assert shop
'''


@pytest.mark.feature("B-11")
def test_what_only_cut_tests_used_goes_with_them() -> None:
    cut = without_tests(HELPED, {"tc_cart"})
    assert [word for word in ("cart", "PAYLOAD", "make_cart") if word in cut] == []
    assert "def clock" in cut
    assert "def test_shop(shop)" in cut


@pytest.mark.feature("B-11")
def test_what_other_tests_use_stays() -> None:
    assert "PAYLOAD" in without_tests(HELPED, {"tc_shop"})


def test_a_file_that_does_not_parse_is_left_alone() -> None:
    assert without_tests("def test_a(:", {"tc_a"}) == "def test_a(:"
