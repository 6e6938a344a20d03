"""Suggestions for missing names: the same as ever for usual names, and quickly made for hostile ones."""

from __future__ import annotations

import difflib
import time

import pytest

from testwright.utils.names.similar_names import similar_names

USUAL = ["src/shop/cart.py", "src/shop/card.py", "src/shop/checkout.py", "shop.cart", "total", "totals", "discount_of"]


@pytest.mark.parametrize("missing", ["src/shop/crat.py", "shop.cat", "totl", "discount", "nothing alike", "", "x"])
def test_usual_names_get_the_suggestions_of_difflib(missing: str) -> None:
    assert similar_names(missing, USUAL) == difflib.get_close_matches(missing, USUAL, n=3, cutoff=0.6)


def _hostile() -> list[str]:
    different = ["".join("ab"[(at * 7919 + number) >> 3 & 1] for at in range(120)).encode() for number in range(16)]
    return [different[number % 16].decode() for number in range(20_000)]


@pytest.mark.parametrize("missing", ["ab" * 64, "ba" * 50_000, "aabb" * 30, "a" * 128])
def test_names_of_an_attackers_choice_cost_little(missing: str) -> None:
    names = _hostile()
    began = time.process_time()
    similar_names(missing, names)
    assert time.process_time() - began < 5
