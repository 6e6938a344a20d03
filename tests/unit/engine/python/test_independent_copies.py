"""A copy is shown to be one of its own: what is changed in it leaves its original alone (B-16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.model.spec_case import Case, SpecExpectation
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.independent_copies import independent_copies, spared_arguments
from testwright.engine.python.search.trial_search import TrialRecord
from testwright.engine.python.write.scenario_words import copied_words, spared_words
from testwright.tests.unit.engine.python.test_select_trials import record, returned

pytestmark = pytest.mark.feature("B-16")

CODE = b"""
class Cart:
    def __init__(self, *items):
        self.items = list(items)

    def copy(self):
        return Cart(*self.items)

    def add(self, item):
        self.items.append(item)


def put(box, item, inplace=True):
    box = box if inplace else list(box)
    box.append(item)
    return box
"""
FACTS = facts_from_source(CODE, ModulePlace("m.py", "m", "."))


def called(number: int, act: str, seen: Observation, *arrange: str) -> TrialRecord:
    found = record(number, act, seen, arrange=arrange, imports=("from m import Cart",))
    name = "Cart.copy" if "copy" in act else "Cart.add"
    return replace(found, trial=replace(found.trial, subject=name))


def adding(act: str, before: str, after: str) -> TrialRecord:
    variable = act.partition(".")[0]
    return called(1, act, returned("None", effects=((variable, Value("Cart", after)),)), f"{variable} = {before}")


COPIED = called(0, "cart.copy()", returned("Cart('a')"), "cart = Cart('a')")
ADDED = adding("basket.add('b')", "Cart()", "Cart('b')")


def test_a_call_that_changes_an_object_is_made_on_a_copy_and_both_are_looked_at() -> None:
    (found,) = independent_copies([COPIED, ADDED], FACTS)

    assert found.trial.subject == "Cart.copy"
    assert found.trial.arrange == ("cart = Cart('a')", "copied_cart = cart.copy()", "copied_cart.add('b')")
    assert found.trial.act == "[cart, copied_cart]"
    assert copied_words(Case("c", "x", "Cart.copy", found.trial.act, statements=found.trial.arrange)) == (
        "leaves_original_alone"
    )


def test_of_two_copies_the_one_of_a_plain_object_is_shown_though_an_odd_one_holds_more() -> None:
    odd = called(2, "cart.copy()", returned("Cart('a}{!', 'b', 'c')"), "cart = Cart('a}{!', 'b', 'c')")

    first, *_ = independent_copies([odd, COPIED, ADDED], FACTS)

    assert first.trial.arrange[0] == "cart = Cart('a')"


@pytest.mark.parametrize(
    ("pair", "alone"),
    [
        pytest.param("[Cart('a'), Cart('a', 'b')]", True, id="only_the_copy_has_changed"),
        pytest.param("[Cart('a', 'b'), Cart('a', 'b')]", False, id="both_have_changed"),
        pytest.param("[Cart('a'), Cart('a')]", False, id="none_has_changed"),
    ],
)
def test_a_copy_leaves_its_original_alone_where_only_the_copy_has_changed(pair: str, alone: bool) -> None:
    (found,) = independent_copies([COPIED, ADDED], FACTS)
    assert found.holds(returned(pair)) is alone


def test_what_is_told_by_its_text_alone_is_compared_by_its_text() -> None:
    shown = called(0, "repr(cart.copy())", returned("\"Cart('a')\""), "cart = Cart('a')")
    (found,) = independent_copies([shown, ADDED], FACTS)
    assert found.trial.act == "[repr(cart), repr(copied_cart)]"
    assert found.holds(returned("""["Cart('a')", "Cart('a', 'b')"]"""))


def test_a_call_with_another_object_of_its_test_changes_no_copy() -> None:
    assert not list(independent_copies([COPIED, adding("basket.add(other)", "Cart()", "Cart('b')")], FACTS))


@pytest.mark.parametrize("act", ["put(box, 4)", "put(box, 4) == [3, 4]"])
def test_a_call_that_changes_its_argument_is_made_with_the_other_value_of_its_flag(act: str) -> None:
    changed = (("box", Value("list", "[3, 4]")),)
    called = replace(record(0, act, returned("[3, 4]", effects=changed)), number=0)
    known = replace(called, trial=replace(called.trial, subject="put", arrange=("box = [3]",)))
    (found,) = spared_arguments([known], FACTS)

    assert found.trial.act == "[put(box, 4, inplace=False), box]"
    assert [found.holds(returned(one)) for one in ("[[3, 4], [3]]", "[[3, 4], [3, 4]]", "[[3], [3]]")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("value", "words"), [("[[3, 4], [3]]", "without_inplace_leaves_box_alone"), ("[[4, 3], [4, 3]]", "")]
)
def test_a_flag_leaves_an_argument_alone_where_the_argument_is_what_it_was_made_as(value: str, words: str) -> None:
    shown = (SpecExpectation("equals", "result", value),)
    act, lines = "[put(box, 4, inplace=False), box]", ("box = [3]",)
    assert spared_words(Case("c", "x", "put", act, "call", shown, statements=lines)) == words


def test_a_call_that_changes_no_argument_shows_no_flag() -> None:
    known = record(0, "put(box, 4)", returned("[3, 4]"), arrange=("box = [3]",))
    assert not list(spared_arguments([known], FACTS))


def test_an_object_that_is_made_of_nothing_is_copied_last() -> None:
    bare = called(0, "cart.copy()", returned("Cart()"), "cart = Cart()")
    filled = called(1, "cart.copy()", returned("Cart('a')"), "cart = Cart()", "cart.add('a')")

    first, *_ = independent_copies([bare, filled, ADDED], FACTS)

    assert first.trial.arrange[:2] == ("cart = Cart()", "cart.add('a')")
