"""What is expected of a page: what a person reads there, and nothing that another machine or day would change."""

from __future__ import annotations

from datetime import date

import pytest

from testwright.engine.browser.explore.expectations import (
    content_expectations,
    is_volatile,
    outcome_expectations,
    row_expectations,
)
from testwright.engine.browser.model.page import PageState
from testwright.engine.browser.model.tree import read_tree
from testwright.engine.browser.model.words import nameable, sent_title, slug, thing_made

pytestmark = pytest.mark.feature("T-20")


def page(tree: str) -> PageState:
    return PageState("/", seen=read_tree(tree))


def names(expectations: list) -> list[str]:
    return [one["locator"].get("name") or one["locator"]["value"] for one in expectations]


def test_moments_and_versions_are_not_expected():
    tree = '- row "Size 12"\n- row "Modified 2026-11-26 20:47"\n- row "SQLite 3.40.1"\n- row "Seen 5 minutes ago"\n'
    state = page(tree)
    assert names(row_expectations(state, state.seen)) == ["Size 12"]


@pytest.mark.parametrize("words", ["2026-11-26 Amina 50.00", "Due 27 November", "Posted Nov 25", "26/11/2026"])
def test_the_days_around_today_are_not_expected(words):
    assert is_volatile(words, date(2026, 11, 26))
    assert not is_volatile(words, date(2030, 5, 17))


def test_a_page_is_called_by_a_heading_of_its_own_rather_than_by_the_name_of_the_site():
    assert page('- banner:\n  - heading "Shop"\n- main:\n  - heading "Orders"\n').heading == "Orders"
    assert page('- banner:\n  - heading "Shop"\n').heading == "Shop"


def test_what_other_pages_have_as_well_is_not_expected_again():
    state = page('- link "Drop"\n- paragraph: Only here\n')
    assert names(content_expectations(state, state.seen, known={("link", "Drop")})) == ["Only here"]


def test_what_is_there_twice_cannot_be_told_apart_and_is_not_expected():
    state = page('- button "Edit"\n- button "Edit"\n- button "Add"\n')
    assert names(content_expectations(state, state.seen)) == ["Add"]


def test_an_outcome_is_what_is_new_and_what_has_gone():
    before = page('- heading "Order 1"\n- text: open\n- button "Cancel"\n')
    after = page('- heading "Order 1"\n- status: It was cancelled.\n- text: cancelled\n')
    kinds = [(one["kind"], one.get("value") or names([one])[0]) for one in outcome_expectations(after, before)]
    assert kinds == [("text", "It was cancelled."), ("visible", "cancelled"), ("hidden", "Cancel")]


@pytest.mark.parametrize(
    ("heading", "button", "made"),
    [
        ("New order", "Place order", "a new order"),
        ("Guests", "Add a guest", "a new guest"),
        ("Query", "Execute", "the form “Query”"),
    ],
)
def test_what_a_form_makes_is_called_by_its_heading_or_button(heading, button, made):
    assert thing_made(heading, button) == made


def test_only_what_is_made_is_said_to_appear():
    assert sent_title("a new order", "pieces 2", "Orders") == "a new order with pieces 2 appears on the page “Orders”"
    assert sent_title("the form “Query”", "", "Rows", seen=False) == "the form “Query” leads to the page “Rows”"


def test_a_name_is_cut_at_a_word():
    assert slug("The keeper’s order: 2 apples", 20) == "the_keepers_order_2"


@pytest.mark.parametrize(
    ("title", "name"),
    [("Größe", "grosse"), ("Цены", "tseny"), ("Café, menu", "cafe_menu"), ("価格 /prices", "prices"), ("価格", "page")],
)
def test_titles_in_other_alphabets_have_names_of_their_own(title, name):
    assert slug(title) == name


def test_a_title_of_which_no_letter_can_be_in_a_name_gives_way_to_the_path():
    assert nameable("価格", "/prices") == "/prices"
    assert nameable("Größe", "/sizes") == "Größe"
