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

"""


@pytest.mark.feature("B-16")
def test_a_sequence_is_told_by_its_items_and_not_by_how_it_keeps_them(tmp_path: Path) -> None:
    act = trial("shelf.sort()", "shelf = Shelf(3, 1, 2)", subject="Shelf.sort")
    effects = dict(watched(tmp_path, SHELF, [act])["shelf.sort()"].effects)
    assert list(effects) == ["list(shelf)"]
    assert effects["list(shelf)"].source == "[1, 2, 3]"
