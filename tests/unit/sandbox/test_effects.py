"""What an act changed is told as narrowly as a reader needs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from testwright.sandbox.worker.observe.effects import changes, distinct_names, state, told_apart
from testwright.sandbox.worker.observe.equality import converts, tells_apart
from testwright.sandbox.worker.observe.values import Renderer

LINES = "Line(article='apple', price=6), Line(article='banana', price=4), Line(article='cherry', price=9)"


def order(status: str, number: int = 6) -> dict[str, Any]:
    source = f"Order(number={number}, lines=[{LINES}], status={status})"
    fields = [("number", {"s": str(number)}), ("lines", {"s": f"[{LINES}]"}), ("status", {"s": status})]
    return {"t": "shop.Order", "s": source, "at": fields}


def test_one_attribute_of_a_long_value_is_told_alone() -> None:
    assert changes({"order": order("Status.PLACED")}, {"order": order("Status.SENT")}) == [
        ["order.status", {"s": "Status.SENT"}]
    ]


def test_a_long_value_with_two_changes_is_told_as_a_whole() -> None:
    after = order("Status.SENT", number=7)
    ((expression, told),) = changes({"order": order("Status.PLACED")}, {"order": after})
    assert (expression, told["s"]) == ("order", after["s"])
    assert "at" not in told


def test_a_short_value_is_told_as_a_whole() -> None:
    assert changes({"cart": {"s": "Cart(1)"}}, {"cart": {"s": "Cart(2)"}}) == [["cart", {"s": "Cart(2)"}]]


def test_an_object_that_holds_nothing_is_compared_with_one_that_holds_something() -> None:
    class Bag(list[int]):
        """Keeps its items elsewhere, so that one bag equals each other one."""

        def __init__(self, kept: list[int]) -> None:
            self.kept = kept

    assert not tells_apart("Bag([])", {"Bag": Bag}, Bag([]))
    assert tells_apart("list([])", {}, [])


class Shelf:
    """Keeps objects below keys that no source builds, and shows them."""

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return self._shown


class Heap:
    """Has a size and shows nothing of what it holds."""

    def __init__(self) -> None:
        self._items = [object(), object()]

    def __len__(self) -> int:
        return len(self._items)


class Latch:
    """Has no size and nothing public but what it shows."""

    def __init__(self) -> None:
        self._closed = [object()]

    def __repr__(self) -> str:
        return "Latch(closed)"


def seen_of(thing: object) -> dict[str, str]:
    """What the state of one object is told by: expression to source."""
    found = state(Renderer({}, "/", ()), ["shelf"], {"shelf": thing})
    return {expression: told["s"] for expression, told in found.items()}


def test_an_object_is_told_by_what_it_shows_where_its_items_cannot_be_written() -> None:
    assert seen_of(Shelf("{[0,2]: 'banana'}")) == {"repr(shelf)": repr("{[0,2]: 'banana'}"), "len(shelf)": "2"}
    assert seen_of(Latch()) == {"repr(shelf)": "'Latch(closed)'"}


def test_how_many_there_are_is_told_where_what_is_shown_stays() -> None:
    before = {"repr(shelf)": {"s": "'{1: 2}'"}, "len(shelf)": {"s": "1"}}
    after = {"repr(shelf)": {"s": "'{1: 2, 3: 4}'"}, "len(shelf)": {"s": "2"}}

    assert changes(before, after) == [["repr(shelf)", {"s": "'{1: 2, 3: 4}'"}]]
    assert changes(before, {**before, "len(shelf)": {"s": "2"}}) == [["len(shelf)", {"s": "2"}]]


def test_what_shows_an_address_or_a_part_is_told_by_its_size() -> None:
    for shown in (
        "Shelf({'b', 'a'})",
        "<Shelf of 2>",
        "Shelf at 0x7f3a",
        "Shelf([1, 2, ...])",
        "Shelf(\n1)",
        "x" * 200,
    ):
        assert seen_of(Shelf(shown)) == {"len(shelf)": "2"}
    assert seen_of(Heap()) == {"len(shelf)": "2"}


class Row:
    """Equals a tuple of the same items."""

    __module__ = "shop.rows"

    def __init__(self, *items: int) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return self.items == (other.items if isinstance(other, Row) else other)

    __hash__ = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[int]:
        return iter(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self.items


def row(*items: int) -> Row:
    """Makes a row."""
    return Row(*items)


row.__module__ = "shop.rows"


@pytest.mark.parametrize(
    ("result", "act", "expected"),
    [
        ((1, 2), "thaw(row(1, 2))", True),
        (Row(1, 2), "freeze((1, 2))", True),
        ((1, 2), "tuple(row(1, 2))", False),
        (None, "stop(row(1, 2))", False),
        ((1, 2), "thaw(held)", True),
        (frozenset({1}), "frozen(set([1]))", True),
        ((1, 2), "same((1, 2))", False),
        ((1, 3), "other(row(1, 2))", False),
        (1.0, "halved(1)", False),
        ((1, 2), "thaw(read(1, 2))", False),
    ],
)
def test_what_equals_the_argument_and_is_of_another_type_was_converted(result: Any, act: str, expected: bool) -> None:
    def read(*items: int) -> Row:
        raise AssertionError("what another package defines is not called again")

    namespace = {"row": row, "read": read, "held": Row(1, 2)}

    assert converts(result, act, ["held"], namespace, "shop") is expected


class Ordered(dict[int, int]):
    """Equal to another one whatever the order of its items."""


def test_an_order_that_equality_does_not_see_is_told_by_the_items() -> None:
    renderer, old, new = Renderer({}, "m", ()), Ordered({2: 20, 3: 30}), Ordered({3: 30, 2: 20})
    found = [["box", {"s": "Ordered({3: 30, 2: 20})"}], ["len(box)", {"s": "2"}]]

    ((expression, told), unchanged) = told_apart(renderer, found, {"box": old}, {"box": new})

    assert (expression, told["s"]) == ("list(box.items())", "[(3, 30), (2, 20)]")
    assert unchanged == found[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(Ordered({2: 20}), Ordered({3: 30}), id="equality_sees_it"),
        pytest.param(Ordered({2: 20}), Ordered({2: 20}), id="the_items_do_not_show_it"),
        pytest.param({2: 20, 3: 30}, {3: 30, 2: 20}, id="of_a_type_of_python"),
    ],
)
def test_other_changes_are_told_as_they_were(old: dict[int, int], new: dict[int, int]) -> None:
    found = [["box", {"s": "Ordered()"}]]

    assert told_apart(Renderer({}, "m", ()), found, {"box": old}, {"box": new}) == found


def test_an_object_with_two_names_is_told_by_the_one_that_the_act_speaks_of() -> None:
    shelf, other = Shelf("a"), Shelf("b")
    names = {"shelf": shelf, "again": shelf, "other": other}
    assert distinct_names(list(names), names, "again.clear()") == ["again", "other"]
    assert distinct_names(list(names), names, "other.clear()") == ["shelf", "other"]


def test_two_names_for_one_number_are_two_values() -> None:
    assert distinct_names(["width", "height"], {"width": 3, "height": 3}, "area(width, height)") == ["width", "height"]
