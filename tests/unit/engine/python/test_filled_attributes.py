"""An attribute that a class leaves to its user is set before its methods are called (B-16)."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.filled_attributes import show_filled_attributes
from testwright.engine.python.scenarios.scenario import ShownBehaviour
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

GRAPH = """
class Graph:
    def __init__(self, size):
        self.weights = [[0 for _ in range(size)] for _ in range(size)]

    def distance(self, first, second):
        return self._weight(first, second)

    def heaviest(self):
        return max(map(max, self.weights))

    def size(self):
        return 4

    def _weight(self, first, second):
        return self.weights[first][second]
"""


def shown(source: str) -> dict[str, tuple[str, ...]]:
    """The statements before each call that is kept, after `Graph(3)` was seen."""
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    search, here = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(source)

    async def run() -> None:
        trial = Trial("Graph", "Graph(3)")
        search.learn(trial, (await here.watch([trial]))[0])
        await show_filled_attributes(facts, search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    return {one.trial.act: one.trial.arrange for one in search.records if ShownBehaviour in one.notes}


def test_what_methods_only_read_is_set_before_they_are_called() -> None:
    found = shown(GRAPH)
    assert list(found) == ["graph.distance(0, 2)", "graph.heaviest()"]
    assert found["graph.heaviest()"] == (
        "graph = Graph(4)",
        "graph.weights = [[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]]",
    )


def test_what_a_method_writes_to_is_left_to_it() -> None:
    writing = GRAPH + "\n    def connect(self, first, second):\n        self.weights[first][second] = 1\n"
    assert shown(writing) == {}


def test_what_is_private_is_not_set() -> None:
    assert shown(GRAPH.replace("self.weights", "self._weights")) == {}


def test_marks_that_are_not_set_are_no_zeros() -> None:
    marks = "class Graph:\n    def __init__(self, size):\n        self.seen = [False] * size\n\n"
    assert shown(f"{marks}    def is_seen(self, node):\n        return self.seen[node]\n") == {}
