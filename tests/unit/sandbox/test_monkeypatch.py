"""The worker's `monkeypatch` does what pytest's does, and takes it back (B-11)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.sandbox.worker.observe.fixtures import MonkeyPatch

Change = Callable[[Any, Path, SimpleNamespace], None]


class Shelf:
    """A class with a static method."""

    room = 3

    @staticmethod
    def name() -> str:
        return "shelf"


CHANGES: dict[str, Change] = {
    "set a variable": lambda patch, _folder, _thing: patch.setenv("TW_MODE", "fast"),
    "set it in front": lambda patch, _folder, _thing: patch.setenv("TW_PATH", "/new", prepend=":"),
    "unset a variable": lambda patch, _folder, _thing: patch.delenv("TW_PATH"),
    "unset a missing variable": lambda patch, _folder, _thing: patch.delenv("TW_NONE", raising=False),
    "set an attribute": lambda patch, _folder, thing: patch.setattr(thing, "size", 5),
    "set a new attribute": lambda patch, _folder, thing: patch.setattr(thing, "new", 5, raising=False),
    "set by name": lambda patch, _folder, _thing: patch.setattr("os.path.sep", "!"),
    "delete an attribute": lambda patch, _folder, thing: patch.delattr(thing, "size"),
    "set an item": lambda patch, _folder, thing: patch.setitem(thing.items, "a", 2),
    "delete an item": lambda patch, _folder, thing: patch.delitem(thing.items, "a"),
    "replace a static method": lambda patch, _folder, _thing: patch.setattr(Shelf, "name", staticmethod(lambda: "box")),
    "change the folder": lambda patch, folder, _thing: patch.chdir(folder),
}


def state(thing: SimpleNamespace) -> tuple[object, ...]:
    names = {name: os.environ.get(name) for name in ("TW_MODE", "TW_PATH", "TW_NONE")}
    return names, vars(thing) | {"items": dict(thing.items)}, os.path.sep, Path.cwd(), Shelf.name(), Shelf().name()


@pytest.mark.feature("B-11")
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_has_the_effect_that_pytest_gives_it_and_is_taken_back(name: str, tmp_path: Path) -> None:
    seen = []
    with pytest.MonkeyPatch.context() as around:
        around.setenv("TW_PATH", "/old")
        for patch in (MonkeyPatch(), pytest.MonkeyPatch()):
            thing = SimpleNamespace(size=3, items={"a": 1})
            before = state(thing)
            CHANGES[name](patch, tmp_path, thing)
            seen.append(state(thing))
            patch.undo()
            assert state(thing) == before
    assert seen[0] == seen[1]


@pytest.mark.parametrize("patch", [MonkeyPatch(), pytest.MonkeyPatch()])
def test_what_is_not_there_is_refused(patch: Any) -> None:
    for refused, error in (
        (lambda: patch.delenv("TW_NONE"), KeyError),
        (lambda: patch.setattr(Shelf, "missing", 1), AttributeError),
        (lambda: patch.delattr(Shelf, "missing"), AttributeError),
        (lambda: patch.setattr("word", 1), TypeError),
    ):
        with pytest.raises(error):
            refused()
