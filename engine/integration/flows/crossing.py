"""Which components a flow was seen to pass between: by calls, and by requests to a server that it started (T-20)."""

from __future__ import annotations

from collections.abc import Iterable

from ...python.model.model import Arc
from ...python.search.trial_search import TrialRecord
from ..model.arcs import WideArcs
from ..model.model import Edge, IntegrationTarget
from .loopback import is_served


def crosses(arcs: WideArcs, record: TrialRecord, components: IntegrationTarget, counting: set[str]) -> bool:
    """Whether the act was seen to reach from one component into another that is more than vocabulary."""
    edges = edges_taken(arcs, record.arcs, components, served=is_served(record.trial))
    return any(edge.source in counting and edge.target in counting for edge in edges)


def edges_taken(arcs: WideArcs, seen: Iterable[Arc], components: IntegrationTarget, *, served: bool) -> frozenset[Edge]:
    """Calls from file to file; and the request, where a server ran that the flow has started."""
    found = arcs.edges(seen)
    if served:
        running = arcs.run(seen)
        modules = {one.module for one in components.servers if one.module in running}
        found |= {Edge(components.entry.place.module, module) for module in modules}
    return found
