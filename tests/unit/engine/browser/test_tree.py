"""Accessibility trees are read as Playwright writes them."""

from __future__ import annotations

import pytest

from testwright.engine.browser.model.page import page_key
from testwright.engine.browser.model.tree import Seen, read_tree
from testwright.sandbox.worker.browser.page import cut


@pytest.mark.feature("T-20")
def test_roles_names_texts_and_what_is_around_them_are_read_in_order():
    text = """
- navigation "Main":
  - link "Orders":
    - /url: /orders
- heading "New \\"order\\"" [level=1]
- text: Customer
- textbox "Customer": Ada
- button "Place order" [disabled]
- paragraph: "Total: 2.80"
"""
    assert read_tree(text) == (
        Seen("navigation", "Main"),
        Seen("link", "Orders", within=("navigation",)),
        Seen("heading", 'New "order"', attributes=(("level", "1"),)),
        Seen("text", text="Customer"),
        Seen("textbox", "Customer", "Ada"),
        Seen("button", "Place order", attributes=(("disabled", ""),)),
        Seen("paragraph", text="Total: 2.80"),
    )


@pytest.mark.parametrize("text", ["", "{", "- [", "just words"])
def test_what_is_no_tree_is_empty(text):
    assert read_tree(text) == ()


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/orders/17", "/orders/{id}"),
        ("/orders/17/lines/3?b=1&a=2#top", "/orders/{id}/lines/{id}?a&b"),
        ("/users/0b9f2a4e-6f0e-4b0e-9f0a-3a0f4d1c2b3a", "/users/{id}"),
        ("/", "/"),
        ("/orders/", "/orders"),
    ],
)
def test_pages_of_one_kind_have_one_key(path, key):
    assert page_key(path) == key


@pytest.mark.parametrize("words", ["0000-00-00", "12:30", "2026-11-26", "yes", "1_000", "0x10"])
def test_what_a_page_says_is_text_whatever_it_looks_like(words):
    assert read_tree(f"- paragraph: {words}\n") == (Seen("paragraph", text=words),)


def test_a_tree_that_is_too_deep_is_empty():
    assert read_tree("- main:\n" + "".join(f"{' ' * 2 * depth}- group:\n" for depth in range(1, 3000))) == ()


def test_a_long_tree_is_cut_between_lines():
    assert cut('- text: one\n- text: "two\\nlines"\n', 20) == "- text: one\n"
    assert cut("- text: one\n", 20) == "- text: one\n"
