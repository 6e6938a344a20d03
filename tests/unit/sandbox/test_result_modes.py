"""Results that tell more when they are iterated over are known by their types."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, KeysView, Mapping
from typing import Any

import pytest

from testwright.sandbox.worker.observe.modes import calls_for


class Prices(KeysView[str]):
    """A view of another class."""

    def __init__(self, held: Mapping[str, Any]) -> None:
        super().__init__(held)


@pytest.mark.parametrize(
    ("result", "mode"),
    [
        pytest.param(iter([1]), "iterate", id="an iterator"),
        pytest.param({"a": 1}.values(), "iterate", id="values of a dictionary"),
        pytest.param(OrderedDict(a=1).items(), "iterate", id="items of an ordered dictionary"),
        pytest.param(ItemsView({"a": 1}), "iterate", id="items of a mapping of another class"),
        pytest.param(Prices({"a": 1}), "iterate", id="keys of a class of their own"),
        pytest.param({"a": 1}.keys(), "", id="keys of a dictionary"),
        pytest.param([1], "", id="a list"),
    ],
)
def test_a_result_that_its_items_tell_is_iterated(result: object, mode: str) -> None:
    assert calls_for(result) == mode
