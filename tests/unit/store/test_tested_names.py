"""A test file that is written anew tells which names of its module it no longer exercises."""

from __future__ import annotations

import pytest

from testwright.store.files.tested_names import GONE, lost_names

TARGET = "src/shop/cart.py"
SOURCE = "class Cart:\n    def add(self): ...\n    def total(self): ...\n\n\ndef fee(): ...\n\n\nRATE = 2\n"
BOTH = "from shop.cart import Cart, fee\n\n\ndef test_fee():\n    assert fee() == 1\n\n\n"
CART = "def test_cart():\n    cart = Cart()\n    cart.add()\n    assert cart.total() == 1\n"


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        (BOTH + CART, {}),
        ("from shop.cart import Cart\n\n\n" + CART, {"fee": ""}),
        (BOTH, {"Cart": ""}),
        (BOTH + CART.replace("cart.total()", "1"), {"Cart.total": ""}),
        ("def test_cart(:\n", {}),
    ],
    ids=["the same", "a function", "a class, named without its methods", "a method", "no Python"],
)
def test_what_only_the_old_file_exercised_is_lost(new, lost):
    assert lost_names(BOTH + CART, new, TARGET, SOURCE) == lost


def test_a_name_that_the_module_no_longer_has_is_said_to_be_gone():
    assert lost_names(BOTH + CART, CART, TARGET, SOURCE.replace("def fee", "def charge"))["fee"] == GONE


def test_names_of_other_modules_do_not_count():
    old = "from datetime import date\n" + BOTH + "def test_day():\n    assert date.min\n"
    assert lost_names(old, BOTH, TARGET, SOURCE) == {}
