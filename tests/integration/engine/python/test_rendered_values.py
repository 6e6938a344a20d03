"""Values as source: what rebuilds an equal value, and what is told of values that nothing rebuilds (B-06)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from testwright.engine.python.model.model import Observation, Value
from testwright.engine.python.search.observer import Conditions
from testwright.tests.support.engine.exploration import trial, watched

SOURCE = '''
import collections
import datetime
import decimal
import enum
import fractions
import math
import pathlib
import re
import types
import uuid
from dataclasses import dataclass, field


class Color(enum.Enum):
    RED = 1


Point = collections.namedtuple("Point", "x y")


@dataclass
class Item:
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)


@dataclass(eq=False)
class Unequal:
    name: str


class Bag:
    """Says how to build it again."""

    def __init__(self, items):
        self.items = items

    def __eq__(self, other):
        return isinstance(other, Bag) and self.items == other.items

    def __repr__(self):
        return "Bag(%r)" % (self.items,)


class Word:
    """Stores its arguments and does not say how to build it again."""

    def __init__(self, text, upper=False):
        self.text = text
        self.upper = upper

    def __eq__(self, other):
        return isinstance(other, Word) and vars(self) == vars(other)


class Counted(Word):
    """Is more than it was given."""

    def __init__(self, text):
        super().__init__(text)
        self.upper = object()


class Liar(Bag):
    def __eq__(self, other):
        return True


class Shelves(list):
    """Keeps its items elsewhere, so that all of them are equal, as the empty lists that they are."""

    def __init__(self, items):
        self.rows = [items]

    def __repr__(self):
        return "Shelves(%r)" % (self.rows[0],)


class Plain:
    colour = "red"

    def __init__(self):
        self.size = 3
        self.parts = [object(), object()]
        self._hidden = 1

    @property
    def double(self):
        return self.size * 2

    @property
    def broken(self):
        raise ValueError


class Text(str):
    pass


def loop():
    items = [1]
    items.append(items)
    return items
'''
SOURCES = {
    "None": "None",
    "[1, 'a', b'x', True, None, ...]": "[1, 'a', b'x', True, None, Ellipsis]",
    "(1,)": "(1,)",
    "{3, 10, 1}": "{1, 3, 10}",
    "frozenset({'b', 'a'})": "frozenset({'a', 'b'})",
    "set()": "set()",
    "{'b': [1], 'a': (2, 3)}": "{'b': [1], 'a': (2, 3)}",
    "{'a': 1}.keys()": "{'a'}",
    "2.5": "2.5",
    "float('-inf')": "float('-inf')",
    "[float('nan')]": "[float('nan')]",
    "1+2j": "complex(1.0, 2.0)",
    "range(1, 4)": "range(1, 4)",
    "slice(1, None)": "slice(1, None, None)",
    "bytearray(b'a')": "bytearray(b'a')",
    "decimal.Decimal('1.50')": "decimal.Decimal('1.50')",
    "fractions.Fraction(1, 3)": "fractions.Fraction(1, 3)",
    "datetime.date(2024, 2, 29)": "datetime.date(2024, 2, 29)",
    "datetime.datetime(2024, 1, 1, 9, tzinfo=datetime.timezone.utc)": (
        "datetime.datetime(2024, 1, 1, 9, 0, tzinfo=datetime.timezone.utc)"
    ),
    "datetime.time(9, 30)": "datetime.time(9, 30)",
    "datetime.timedelta(hours=2)": "datetime.timedelta(hours=2)",
    "datetime.timedelta(hours=-6.5)": "datetime.timedelta(hours=-6, minutes=-30)",
    "datetime.timedelta(weeks=2, seconds=1.5)": "datetime.timedelta(days=14, seconds=1, microseconds=500000)",
    "datetime.timedelta.min": "datetime.timedelta(days=-999999999)",
    "datetime.timedelta()": "datetime.timedelta()",
    "pathlib.Path('a/b')": "pathlib.Path('a/b')",
    "pathlib.PurePosixPath('a')": "pathlib.PurePosixPath('a')",
    "uuid.UUID(int=5)": "uuid.UUID('00000000-0000-0000-0000-000000000005')",
    "re.compile('a+', re.I | re.M)": "re.compile('a+', re.IGNORECASE | re.MULTILINE)",
    "Color.RED": "Color.RED",
    "Point(1, [2])": "Point(x=1, y=[2])",
    "Item('pear')": "Item(name='pear')",
    "[Item('pear', 2.0, ['x'])]": "[Item(name='pear', price=2.0, tags=['x'])]",
    "Bag([Bag([1])])": "Bag([Bag([1])])",
    "[Word('a', True), Word('b')]": "[Word('a', upper=True), Word('b')]",
    "collections.OrderedDict(a=1)": "collections.OrderedDict({'a': 1})",
    "collections.Counter('aab')": "collections.Counter({'a': 2, 'b': 1})",
    "collections.defaultdict(list, a=[1])": "{'a': [1]}",
    "collections.deque([1], maxlen=3)": "collections.deque([1], maxlen=3)",
    "types.MappingProxyType({'a': 1})": "{'a': 1}",
    "types.SimpleNamespace(b=1, a=2)": "types.SimpleNamespace(a=2, b=1)",
    "Text('abc')": "'abc'",
    "len": "len",
    "Item": "Item",
    "math.sqrt": "math.sqrt",
}
WITHOUT = [
    "object()",
    "Unequal('a')",
    "Liar([1])",
    "Shelves([3, 1])",
    "Counted('a')",
    "Plain()",
    "loop()",
    "'x' * 401",
    "list(range(100))",
    "lambda: 1",
    "repr(object())",
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Observation]:
    trials = [trial(act, subject="Plain") for act in (*SOURCES, *WITHOUT, "0.1 + 0.2")]
    imported = [*trials, *(trial(act, subject="Plain", imports=()) for act in ("__import__('decimal').Decimal(1)",))]
    return watched(tmp_path_factory.mktemp("values"), SOURCE, imported, Conditions())


def value_of(seen: Mapping[str, Observation], act: str) -> Value:
    value = seen[act].value
    assert value is not None, seen[act]
    return value


@pytest.mark.feature("B-06")
@pytest.mark.parametrize("act", SOURCES)
def test_a_value_is_told_as_source_that_rebuilds_it(seen: Mapping[str, Observation], act: str) -> None:
    assert value_of(seen, act).source == SOURCES[act]


@pytest.mark.parametrize("act", WITHOUT)
def test_no_source_is_better_than_a_wrong_one(seen: Mapping[str, Observation], act: str) -> None:
    assert value_of(seen, act).source is None


def test_an_object_without_source_is_told_by_its_public_attributes(seen: Mapping[str, Observation]) -> None:
    attributes = dict(value_of(seen, "Plain()").attributes)
    assert list(attributes) == ["size", "parts", "double"]
    assert (attributes["size"].source, attributes["double"].source) == ("3", "6")
    assert (attributes["parts"].source, attributes["parts"].length) == (None, 2)


def test_addresses_never_show_in_texts(seen: Mapping[str, Observation]) -> None:
    assert value_of(seen, "object()").text == "<object object at 0x…>"


def test_floats_with_noise_are_marked_as_approximate(seen: Mapping[str, Observation]) -> None:
    assert value_of(seen, "0.1 + 0.2").approximate
    assert not value_of(seen, "2.5").approximate


def test_sets_are_marked_as_unordered(seen: Mapping[str, Observation]) -> None:
    assert value_of(seen, "{3, 10, 1}").unordered
    assert not value_of(seen, "(1,)").unordered


def test_what_the_source_needs_imported_is_told(seen: Mapping[str, Observation]) -> None:
    value = value_of(seen, "__import__('decimal').Decimal(1)")
    assert (value.source, value.imports) == ("Decimal('1')", ("from decimal import Decimal",))
