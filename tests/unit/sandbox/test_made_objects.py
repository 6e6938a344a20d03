"""Objects that no constructor of stored arguments builds have a source that a person would write."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.sandbox.worker.observe.values import Renderer

SPANS = """
class _Infinity:
    def __repr__(self):
        return "+inf"


inf = _Infinity()


class Span:
    def __init__(self, *parts):
        self._parts = [part for one in parts for part in one._parts]

    @classmethod
    def from_ends(cls, lower, upper, closed):
        made = cls()
        made._parts = [(lower, upper, closed)]
        return made

    @property
    def lower(self):
        return self._parts[0][0]

    @property
    def upper(self):
        return self._parts[-1][1]

    @property
    def closed(self):
        return self._parts[0][2]

    def __iter__(self):
        return (Span.from_ends(*part) for part in self._parts)

    def __or__(self, other):
        return Span(self, other)

    def __eq__(self, other):
        return isinstance(other, Span) and self._parts == other._parts


def closed(lower, upper):
    return Span.from_ends(lower, upper, True)


def forget(lower, upper):
    Span.known = None
    return Span.from_ends(lower, upper, True)


class Rates:
    def __init__(self, rates=None, limit=None):
        self._rates, self._limit = dict(rates or {}), limit

    def keys(self):
        return self._rates.keys()

    def items(self):
        return self._rates.items()

    def __getitem__(self, key):
        return {key: self._rates[key]}

    def __iter__(self):
        return iter(self._rates)

    def __len__(self):
        return len(self._rates)

    def __contains__(self, key):
        return key in self._rates

    def __eq__(self, other):
        return isinstance(other, Rates) and self._rates == other._rates

    def __repr__(self):
        return "%s up to %s" % (self._rates, self._limit)


class Row(tuple):
    def __repr__(self):
        return ">".join(self)


class _Hidden(Rates):
    pass


import collections.abc

collections.abc.Mapping.register(Rates)
"""


@pytest.fixture(name="spans")
def spans_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "spans.py").write_text(SPANS)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("spans")
    del sys.modules["spans"]


@pytest.fixture(name="source_of")
def source_of_fixture(spans: Any) -> Callable[[object], str | None]:
    return lambda thing: Renderer({}, spans.__name__, ()).value(thing).get("s")


def test_an_object_is_written_as_the_function_that_makes_it(spans: Any, source_of: Callable[[object], str]) -> None:
    assert source_of(spans.Span.from_ends(1, 2, True)) == "closed(1, 2)"


def test_a_list_of_objects_is_written_with_each_of_them(spans: Any, source_of: Callable[[object], str]) -> None:
    assert source_of([spans.closed(1, 2), spans.closed("a", "b")]) == "[closed(1, 2), closed('a', 'b')]"


def test_an_object_is_written_as_a_factory_of_its_class(spans: Any, source_of: Callable[[object], str]) -> None:
    assert source_of(spans.Span.from_ends(1, 2, False)) == "Span.from_ends(1, 2, False)"


def test_a_function_that_changes_something_makes_no_source(spans: Any, source_of: Callable[[object], str]) -> None:
    del spans.closed
    assert source_of(spans.Span.from_ends(1, 2, True)) == "Span.from_ends(1, 2, True)"


def test_a_union_is_written_as_its_parts(spans: Any, source_of: Callable[[object], str]) -> None:
    assert source_of(spans.closed(1, 2) | spans.closed(4, 5)) == "closed(1, 2) | closed(4, 5)"


def test_an_object_without_state_is_written_as_the_constant_of_its_module(
    spans: Any, source_of: Callable[[object], str]
) -> None:
    assert source_of(spans.inf) == "inf"


def test_a_mapping_is_written_as_its_class_called_with_what_it_holds(
    spans: Any, source_of: Callable[[object], str]
) -> None:
    assert source_of(spans.Rates({"EUR": 1, "USD": 2})) == "Rates({'EUR': 1, 'USD': 2})"


def test_an_empty_object_is_written_as_its_class_called_without_anything(
    spans: Any, source_of: Callable[[object], str]
) -> None:
    assert source_of(spans.Rates({})) == "Rates()"


def test_an_object_is_written_by_the_module_that_the_test_imports(spans: Any) -> None:
    renderer = Renderer({"S": spans}, spans.__name__, ())
    assert renderer.value([spans.closed(1, 2), spans.inf])["s"] == "[S.closed(1, 2), S.inf]"


def test_an_object_that_compares_as_its_builtin_type_does_is_written_as_that(
    spans: Any, source_of: Callable[[object], str]
) -> None:
    assert source_of(spans.Row(["a", "b"])) == "('a', 'b')"


def test_an_object_of_a_private_class_has_no_source(spans: Any, source_of: Callable[[object], str | None]) -> None:
    assert Renderer({"S": spans}, spans.__name__, ()).value(spans._Hidden({"EUR": 1})).get("s") is None


def test_what_a_call_gives_is_not_told_by_the_same_call(spans: Any) -> None:
    renderer = Renderer({}, spans.__name__, ())
    told = renderer.value(spans.closed(1, 2), act="closed(1, 2)")
    assert "s" not in told
    assert [name for name, _ in told["at"]] == ["lower", "upper", "closed"]


def test_what_equality_leaves_out_leaves_a_mapping_without_source(
    spans: Any, source_of: Callable[[object], str | None]
) -> None:
    assert source_of(spans.Rates({"EUR": 1}, limit=5)) is None
