"""Every declared type of event is emitted somewhere, with the data that belongs to it."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from testwright.core.events import EventType
from testwright.utils.python_source import walk

PACKAGE = Path(__file__).resolve().parents[3]
SENDERS = ("app", "graph")
DATA = {
    EventType.SEARCHING: {"agent_id"},
    EventType.SEARCH_COMPLETE: {"evidence"},
    EventType.JUDGING: {"agent_id"},
    EventType.JUDGE_COMPLETE: {"assessment"},
    EventType.HYPOTHESIZING: {"agent_id"},
    EventType.SYNTHESIZING: {"agent_id"},
    EventType.STREAMING: {"text", "agent_id"},
    EventType.COMPLETE: {"report", "iterations"},
}


@cache
def sent() -> dict[EventType, list[set[str]]]:
    """The keywords of every call of `emit`, or of `announce`, which emits with `agent_id`, by type."""
    found: dict[EventType, list[set[str]]] = defaultdict(list)
    for folder in SENDERS:
        for file in (PACKAGE / folder).rglob("*.py"):
            for node in walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                types = [one.attr for one in node.args if isinstance(one, ast.Attribute) and _is_type(one)]
                if types and name in ("emit", "announce"):
                    keywords = {keyword.arg or "" for keyword in node.keywords}
                    found[EventType[types[0]]].append(keywords | ({"agent_id"} if name == "announce" else set()))
    return found


def _is_type(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "EventType"


@pytest.mark.feature("D-07")
def test_no_type_is_declared_that_nothing_sends():
    assert set(EventType) - set(sent()) == set()


@pytest.mark.feature("D-07")
@pytest.mark.parametrize("kind", DATA, ids=str)
def test_each_event_of_a_type_carries_its_data(kind):
    assert all(keywords >= DATA[kind] for keywords in sent()[kind])
