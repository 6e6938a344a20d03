"""Which method fills an object: its class's own, an inherited one, or one of a container that the class extends."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.search.stories import stories_of
from testwright.tests.support.engine.python_projects import context_of, write_project

pytestmark = pytest.mark.feature("B-16")

BASE = """
class Shelf:
    def __init__(self, **things):
        self._things = dict(things)

    def __setitem__(self, key: KT, value: VT) -> None:
        self._things[key] = value
"""
SOURCES = {
    "base.py": BASE,
    "shelves.py": """
from collections.abc import Set

from base import Shelf


class Drawer(Shelf):
    def take(self, last: bool = True):
        return self._things.popitem()


class Note:
    def __init__(self, text: str):
        self.text = text


class Notes(list[Note]):
    def first(self):
        return self[0]


class Index(dict):
    def names(self):
        return sorted(self)


class Item:
    def __init__(self, name: str):
        self.name = name


class Cart:
    def __init__(self):
        self._items = []

    def add(self, item: Item) -> None:
        self._items.append(item)

    def total(self, _raw=False):
        return len(self._items)


class Tags(Set):
    def names(self):
        return sorted(self)


class Plain:
    def name(self):
        return "plain"
""",
}


@pytest.fixture
def told(tmp_path: Path):
    root = write_project(tmp_path, SOURCES)
    facts, context = context_of(root, "shelves.py")
    owners = {owner.name: owner for owner in facts.classes}

    def lines(name: str) -> list[str]:
        return [
            "; ".join((*one.trial.arrange, one.trial.act)) for one in stories_of(context, owners[name]) if one.plain
        ]

    return lines


def test_an_inherited_method_fills_an_object_that_begins_empty(told) -> None:
    assert "drawer = Drawer(); drawer[1] = 10; drawer[2] = 20; drawer[3] = 30; drawer.take()" in told("Drawer")


def test_an_option_is_tried_with_its_other_value(told) -> None:
    filled = "drawer = Drawer(); drawer[1] = 10; drawer[2] = 20; drawer[3] = 30"
    assert f"{filled}; drawer.take(last=False)" in told("Drawer")


def test_a_list_of_objects_is_filled_with_objects(told) -> None:
    (story,) = [one for one in told("Notes") if one.endswith("notes.first()")]
    assert story.count("notes.append(Note(") == 3


def test_a_class_that_extends_a_dictionary_is_filled_by_keys(told) -> None:
    assert "index = Index(); index[1] = 10; index[2] = 20; index[3] = 30; index.names()" in told("Index")


def test_a_class_is_no_type_variable_whatever_its_name(told) -> None:
    (story,) = [one for one in told("Cart") if one.endswith("cart.total()")]
    assert story.count("cart.add(Item(") == 3


def test_private_options_are_left_alone(told) -> None:
    assert not [one for one in told("Cart") if "_raw" in one]


@pytest.mark.parametrize("name", ["Plain", "Tags"])
def test_a_class_that_cannot_be_filled_has_no_stories(name: str, told) -> None:
    assert told(name) == []
