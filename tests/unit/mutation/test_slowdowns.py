"""Performance faults are planted where they fit, change no result, and are the same for the same seed."""

from __future__ import annotations

import pytest

from testwright.mutation.slowdowns import KINDS, sample, slowdowns

SOURCE = '''
from functools import lru_cache


def total(prices):
    """The sum."""
    return sum(price for price in prices)


@lru_cache
def rate(day):
    return day * 2


class Cart:
    def pieces(self):
        return len(self.lines)

    def _private(self):
        return 1
'''


@pytest.mark.feature("T-20")
def test_each_kind_is_planted_in_the_public_functions_that_it_fits():
    found = [(one.kind, one.name) for one in slowdowns(SOURCE)]
    assert found == [
        ("sleep", "total"),
        ("lock", "total"),
        ("quadratic loop", "total"),
        ("sleep", "rate"),
        ("lock", "rate"),
        ("lost cache", "rate"),
        ("sleep", "Cart.pieces"),
        ("lock", "Cart.pieces"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_function_still_returns_the_same(kind):
    for one in slowdowns(SOURCE):
        if one.kind == kind:
            space: dict = {}
            exec(one.source, space)
            cart = space["Cart"]()
            cart.lines = [1, 2]
            assert (space["total"]([3, 4]), space["rate"](2), cart.pieces()) == (7, 4, 2)


def test_a_property_and_its_setter_are_slowed_each_for_itself():
    source = """
class Cart:
    @property
    def total(self):
        return self._total

    @total.setter
    def total(self, amounts):
        self._total = sum(amounts)
"""
    for one in slowdowns(source):
        space: dict = {}
        exec(one.source, space)
        cart = space["Cart"]()
        cart.total = [1, 2]
        assert cart.total == 3


def test_a_loop_is_planted_only_over_what_is_there_before_it():
    source = """
def total(path, lines):
    with open(path) as file:
        found = [line for line in file]
    rows = [part for row in found for part in row]
    return sum(rows) + max(lines)
"""
    (loop,) = [one for one in slowdowns(source) if one.kind == "quadratic loop"]
    assert "for _ in lines" in loop.source
    assert "for _ in file" not in loop.source


def test_a_docstring_stays_what_it_was():
    space: dict = {}
    exec(slowdowns(SOURCE)[0].source, space)
    assert space["total"].__doc__ == "The sum."


def test_a_sample_has_all_kinds_and_is_the_same_for_a_seed():
    found = slowdowns(SOURCE)
    chosen = sample(found, 4, seed=7)
    assert {one.kind for one in chosen} == set(KINDS)
    assert chosen == sample(found, 4, seed=7)
    assert len(sample(found, 100, seed=1)) == len(found)
