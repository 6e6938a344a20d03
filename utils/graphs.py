"""Walks graphs of any nodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

Node = TypeVar("Node")


def reachable(start: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """Lists the nodes that can be reached from some nodes, the start included, nearer ones first, each once."""
    waiting = deque(start)
    found = dict.fromkeys(waiting)
    while waiting:
        for node in following(waiting.popleft()):
            if node not in found:
                found[node] = None
                waiting.append(node)
    return list(found)
