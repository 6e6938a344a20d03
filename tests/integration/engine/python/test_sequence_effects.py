"""What a call changed in a container is told by what it holds (B-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support.engine.exploration import trial, watched

SHELF = """
class Shelf:
    def __init__(self, *items):
        self.chunks = [list(items)]

    def __len__(self):
        return sum(map(len, self.chunks))

    def __getitem__(self, at):
        return list(self)[at]

    def __iter__(self):
        return iter([item for chunk in self.chunks for item in chunk])

    def sort(self):
        self.chunks = [sorted(self)]


class Port:
    def __init__(self):
        self.number = 0

    def __len__(self):
        raise ValueError("not open")

    def open(self):
        self.number = 1


class Robin(Port):
    def __len__(self):
        return 3

    def __getitem__(self, at):
        return at

    def __iter__(self):
        while True:
            yield 1


class Table(Port):
    def __init__(self):
        self.rows = {}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, key):
        return self.rows[key]

    def __iter__(self):
        return iter(self.rows)

    def put(self, key, value):
        self.rows[key] = value
"""


@pytest.mark.feature("B-16")
def test_a_sequence_is_told_by_its_items_and_not_by_how_it_keeps_them(tmp_path: Path) -> None:
    act = trial("shelf.sort()", "shelf = Shelf(3, 1, 2)", subject="Shelf.sort")
    effects = dict(watched(tmp_path, SHELF, [act])["shelf.sort()"].effects)
    assert list(effects) == ["list(shelf)"]
    assert effects["list(shelf)"].source == "[1, 2, 3]"


@pytest.mark.parametrize(
    ("made", "act", "changed"),
    [
        pytest.param("Port()", "it.open()", ["it.number"], id="a_length_that_raises"),
        pytest.param("Robin()", "it.open()", ["it.number"], id="items_without_end"),
        pytest.param("Table()", "it.put('a', 5)", ["len(it)", "it.rows"], id="items_by_key"),
    ],
)
def test_what_is_no_sequence_is_told_by_its_attributes(tmp_path: Path, made: str, act: str, changed: list[str]) -> None:
    seen = watched(tmp_path, SHELF, [trial(act, f"it = {made}", subject="Port.open")])[act]
    assert (seen.outcome, [expression for expression, _ in seen.effects]) == ("returned", changed)
