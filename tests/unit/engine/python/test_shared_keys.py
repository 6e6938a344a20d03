from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.inputs.shared_keys import keys_in, with_shared_keys
from testwright.engine.python.model.model import Candidate
from testwright.engine.python.search.stories import stories_of
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-18")

BASKET = """
class Basket:
    def __init__(self, stock: dict[str, int], prices: dict[str, int]):
        self._stock, self._prices, self._items = stock, prices, {}

    def put(self, sku: str, quantity: int = 1) -> int:
        self._items[sku] = self._items.get(sku, 0) + quantity
        return self._stock[sku] - self._items[sku]

    def total(self) -> int:
        return sum(self._prices[sku] * count for sku, count in self._items.items())


class Store:
    def __init__(self):
        self._rows = []

    def add(self, title: str) -> int:
        self._rows.append(title)
        return len(self._rows)

    def finish(self, note_id: int) -> bool:
        return note_id <= len(self._rows)

    def delete(self, note_id: int) -> None:
        del self._rows[note_id - 1]

    def get(self, note_id: int) -> str:
        return self._rows[note_id - 1]
"""


def stories(folder: Path, name: str) -> list[str]:
    facts, context = context_of(write_project(folder, {"m.py": BASKET}), "m.py")
    owner = next(one for one in facts.classes if one.name == name)
    return ["; ".join((*one.trial.arrange, one.trial.act)) for one in stories_of(context, owner)]


def test_mappings_of_one_object_have_the_same_keys_and_records_keep_theirs() -> None:
    record = "{'host': '127.0.0.1', 'port': 6}"
    texts = (record, "{'dog': 3, 'cat': 4}", "5", "{'banana': 1, 'apple': 2, 'cherry': 3}", "{}", "{1: 2}", record)
    shared = [value.source for value in with_shared_keys([Candidate(text) for text in texts])]
    assert shared == [record, "{'dog': 3, 'cat': 4}", "5", "{'dog': 1, 'cat': 2}", "{}", "{1: 2}", record]


def test_keys_are_example_words_or_those_that_two_mappings_have() -> None:
    assert keys_in(["shop = Shop({'a': 1, 'b': 2}, prices={'b': 3})", "shop.put('c')"]) == ["'b'"]
    assert keys_in(["shop = Shop({'dog': 1, 'cat': 2}, {'ttl': 3})"]) == ["'dog'", "'cat'"]
    assert keys_in(["cache = Cache({'ttl': 5})", "shop = Shop({1: 2}, ['a'])"]) == []


def test_an_object_is_filled_with_what_it_was_built_for(tmp_path: Path) -> None:
    told = stories(tmp_path, "Basket")
    assert any(".put('banana'); basket.put('apple')" in text and text.endswith("basket.total()") for text in told)
    assert all("Basket({'banana'" not in text or "put('kitten');" not in text for text in told[:4])


def test_records_are_asked_for_by_number_once_and_again_and_after_they_were_taken_out(tmp_path: Path) -> None:
    told = stories(tmp_path, "Store")
    filled = "store = Store(); store.add("
    assert any(text.startswith(filled) and text.endswith("; store.finish(2); store.finish(2)") for text in told)
    assert any(text.startswith(filled) and text.endswith("; store.finish(9)") for text in told)
    assert any(text.endswith("; store.delete(1); store.get(1)") for text in told)
