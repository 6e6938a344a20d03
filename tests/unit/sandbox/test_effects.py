"""What an act changed is told as narrowly as a reader needs it."""

from __future__ import annotations

from typing import Any

from testwright.sandbox.worker.observe.effects import changes
from testwright.sandbox.worker.observe.equality import tells_apart

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
