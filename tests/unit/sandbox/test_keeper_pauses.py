"""How often the keeper of a sandboxed program looks at it: rarely while nothing grows, at once again when it does."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright import sandbox

MIB = 1024 * 1024
LIMITS = {"memory_mib": 640, "processes": 8, "disk_mib": 100, "wall_seconds": 60.0}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The keeper as its own process imports it: beside its modules, and not of the package."""
    monkeypatch.syspath_prepend(str(Path(sandbox.__file__).parent))
    yield importlib.import_module("keeper")
    for name in ("keeper", "process_tree"):
        sys.modules.pop(name, None)


def pauses(module: Any, looks: list[tuple[int, int]]) -> list[float]:
    """The pause after each look at tasks and MiB."""
    keeper = module.Keeper({"limits": LIMITS, "folders": []}, control=-1)
    pause, found = module.SHORTEST_PAUSE, []
    for tasks, mib in looks:
        before, keeper.seen = keeper.seen, (tasks, mib * MIB)
        pause = keeper.pause_after(pause, before)
        found.append(pause)
    return found


def test_a_tree_that_does_not_grow_is_looked_at_more_rarely_up_to_a_bound(module: Any) -> None:
    found = pauses(module, [(3, 50)] * 6)
    assert found[0] == module.SHORTEST_PAUSE, "it has grown from nothing"
    assert found == sorted(found)
    assert found[-1] == module.CALM_PAUSE == found[-2]


@pytest.mark.parametrize("grown", [(4, 50), (3, 61)], ids=["a task more", "memory"])
def test_one_that_grows_is_looked_at_as_often_as_at_its_start(module: Any, grown: tuple[int, int]) -> None:
    assert pauses(module, [(3, 50)] * 6 + [grown])[-1] == module.SHORTEST_PAUSE


def test_little_more_memory_and_fewer_tasks_are_no_growth(module: Any) -> None:
    assert pauses(module, [(3, 50)] * 6 + [(2, 59)])[-1] == module.CALM_PAUSE


def test_a_look_remembers_what_the_tree_has(module: Any) -> None:
    keeper = module.Keeper({"limits": {**LIMITS, "memory_mib": 1 << 20, "processes": 1 << 20}, "folders": []}, -1)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE):
        assert keeper.excess() == ""
    tasks, memory = keeper.seen
    assert tasks >= 1
    assert memory > 0
