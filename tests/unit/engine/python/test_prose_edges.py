"""A limit that a docstring states and the code draws one step away is asked about."""

from __future__ import annotations

import pytest

from testwright.engine.python.judge.prose_edges import edge_questions


def module(says: str, test: str, *, before: str = "") -> str:
    return (
        f'{before}\ndef price(quantity, total=0):\n    """Price.\n\n    {says}\n    """\n    {test}\n    return total\n'
    )


@pytest.mark.parametrize(
    ("says", "test"),
    [
        ("quantity: at most 10.", "if quantity >= 10: raise ValueError"),
        ("A quantity of at most 10 costs nothing.", "if quantity < 10: return 0"),
        ("A quantity of no more than 1_000 is free.", "if 1000 > quantity: return 0"),
        ("quantity: at least 1.", "if quantity <= 1: raise ValueError"),
        ("A quantity of more than 10 is cheaper.", "total = 1 if quantity >= 10 else 2"),
        ("A quantity below 10 is dear.", "if 0 < quantity <= 10: total = 9"),
        ("quantity: at least 2.5", "assert quantity > 2.5"),
        ("A quantity over 10 is cheaper.", "return quantity < LIMIT"),
    ],
)
def test_a_number_on_the_other_side_is_asked_about_with_both_lines(says, test):
    [(subject, question)] = edge_questions(module(says, test, before="LIMIT = 10"), "shop/prices.py")

    assert subject == "price"
    assert question.startswith("a question: shop/prices.py:5 says `quantity` and `")
    assert "line 7 asks `quantity " in question


@pytest.mark.parametrize(
    ("says", "test"),
    [
        ("quantity: at most 10.", "if quantity > 10: raise ValueError"),
        ("quantity: at most 10.", "if quantity <= 10: return 0"),
        ("quantity: at least 1.", "if quantity < 1: raise ValueError"),
        ("A quantity of more than 10 is cheaper.", "if quantity > 10: return 0"),
        ("A quantity of no less than 10 is cheaper.", "if quantity >= 10: return 0"),
        # Another number, another name, no limit, or what tells the number apart elsewhere.
        ("quantity: at most 10.", "if quantity >= 11: raise ValueError"),
        ("The total is at most 10.", "if quantity >= 10: raise ValueError"),
        ("quantity: 10 is usual.", "if quantity >= 10: return 1"),
        ("quantity: at most 10 %.", "if quantity >= 100: return 1"),
        ("quantity: at most 10.", "if quantity < 10 or quantity == 10: return 1"),
        ("quantity: at most 10.", "quantity = quantity - 1\n    if quantity >= 10: return 1"),
        ("quantity: at most 10.", "while quantity < 10: return 1"),
        ("quantity: at most 10.", "if len(quantity) < 10: return 1"),
    ],
)
def test_what_agrees_or_may_mean_something_else_is_not_asked_about(says, test):
    assert edge_questions(module(says, test), "shop/prices.py") == []


def test_methods_have_their_class_and_what_does_not_parse_asks_nothing():
    method = module("quantity: at most 10.", "if quantity >= 10: return 1").replace("\n", "\n    ")

    assert [subject for subject, _ in edge_questions(f"class Cart:{method}", "a.py")] == ["Cart.price"]
    assert edge_questions("def price(:", "a.py") == []


def test_numbers_beyond_any_float_are_not_asked_about():
    assert edge_questions(f"PRIME = {'9' * 400}\n", "a.py") == []
