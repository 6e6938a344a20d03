"""Names that a request calls functions or classes: of a module and a function of one name the latter is meant."""

from __future__ import annotations

import pytest

from testwright.agents.embedded.plan.request.parser import parse_request

pytestmark = pytest.mark.feature("T-02")


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("test the slugify function", {"slugify"}),
        ("test the function slugify and cart", {"slugify"}),
        ("test cart function total", {"total"}),
        ("test the cart class and the slugify function", {"cart", "slugify"}),
        ("test the slugify and total functions", {"slugify", "total"}),
        ("test cart and the slugify, unique and total functions of text", {"slugify", "unique", "total"}),
        ("test the functions slugify and total", {"slugify", "total"}),
        ("test the classes cart, order", {"cart", "order"}),
        ("test the slugify functions", set()),
        ("test function order service", {"order_service"}),
    ],
)
def test_a_word_for_a_kind_speaks_of_the_name_after_it_else_of_the_one_before_and_a_plural_of_a_whole_list(
    text: str, symbols: set[str]
) -> None:
    known = {"order_service", "cart", "slugify", "total", "unique", "text", "order"}
    mentions = parse_request(text, known.__contains__).mentions
    assert {mention.text for mention in mentions if mention.is_symbol} == symbols
