"""Nodes without methods are shown linked with each other, and with None where they are not (B-16)."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.model.arcs import ArcMap
from testwright.engine.python.model.model import Trial
from testwright.engine.python.project.layout import ModulePlace
from testwright.engine.python.scenarios.linked_nodes import linked_nodes
from testwright.engine.python.scenarios.scenario import ShownBehaviour, returned_source, show_scenarios
from testwright.engine.python.search.trial_search import TrialSearch
from testwright.tests.support.engine.in_process_search import IdleProposer, InProcessWatcher

pytestmark = pytest.mark.feature("B-16")

CHAIN = """
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None
"""
DOUBLE = CHAIN + "        self.prev = None\n"
TREE = CHAIN.replace("next", "left") + "        self.right = None\n"
WITH_METHODS = CHAIN + "    def last(self):\n        return self if self.next is None else self.next.last()\n"
COUNTER = CHAIN.replace("self.next = None", "self.limit = None")


def shown(source: str, act: str = "Node(1)") -> list[tuple[tuple[str, ...], str, str]]:
    """What is arranged, asked and answered in each scenario that is kept, after a node was seen."""
    facts = facts_from_source(source.encode(), ModulePlace("m.py", "m", "."))
    search, here = TrialSearch(facts, ArcMap("pass\n"), IdleProposer(), frozenset(), 100), InProcessWatcher(source)

    async def run() -> None:
        trial = Trial("Node", act)
        search.learn(trial, (await here.watch([trial]))[0])
        await show_scenarios(linked_nodes(search.records, facts), search, here)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())
    kept = [one for one in search.records if ShownBehaviour in one.notes]
    return [(one.trial.arrange, one.trial.act, returned_source(one.observation)) for one in kept]


def test_a_node_leads_to_the_next_one_and_the_last_one_to_none() -> None:
    assert shown(CHAIN) == [
        (("node = Node(1)", "node.next = Node(2)"), "[node.next.value, node.next.next]", "[2, None]"),
    ]


def test_a_node_with_two_directions_leads_back_as_well() -> None:
    (arrange, act, answer), *others = shown(DOUBLE)
    assert arrange == ("node = Node(1)", "node.next = Node(2)", "node.next.prev = node")
    assert act == "[node.next.value, node.next.prev.value, node.prev, node.next.next]"
    assert answer == "[2, 1, None, None]"
    assert not others


def test_a_node_of_a_tree_leads_to_both_sides() -> None:
    (arrange, act, answer), *_ = shown(TREE, "Node('apple')")
    assert arrange == ("node = Node('apple')", "node.left = Node('banana')", "node.right = Node('cherry')")
    assert act.startswith("[node.left.value, node.right.value, node.left.left")
    assert answer == "['banana', 'cherry', None, None]"


@pytest.mark.parametrize(
    ("source", "act"),
    [
        pytest.param(WITH_METHODS, "Node(1)", id="methods walk over the links"),
        pytest.param(COUNTER, "Node(1)", id="what is None is no link"),
        pytest.param(CHAIN, "Node(0)", id="a value that says nothing"),
        pytest.param(CHAIN, "Node([3, 1])", id="a value that another one stands for"),
    ],
)
def test_other_objects_are_not_linked(source: str, act: str) -> None:
    assert shown(source, act) == []
