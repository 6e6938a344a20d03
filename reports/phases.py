"""Adds up how long each kind of work took, from a run's events."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.events import Event, EventType
from .run_model import PhaseTime

_STARTS = (EventType.NODE_STARTED, EventType.STEP_STARTED)
_ENDS = (EventType.NODE_ENDED, EventType.STEP_ENDED)
_GENERATES = "generate_"
_PLANNING = "build_plan"


def phase_times(events: Iterable[Event]) -> tuple[PhaseTime, ...]:
    """Seconds by phase, in the order in which the phases first began.

    A phase is a node of the testing graph, the planning node, or the type of a step that has no nodes of its own. What
    was cut off before its end does not count.
    """
    begun: dict[tuple[str, str], float] = {}
    taken: dict[str, float] = {}
    for event in events:
        phase = _phase(event)
        if not phase:
            continue
        key = (event.step_id or "", phase)
        if event.type in _STARTS:
            begun[key] = event.at
            taken.setdefault(phase, 0.0)
        elif event.type in _ENDS and key in begun:
            taken[phase] += max(0.0, event.at - begun.pop(key))
    return tuple(PhaseTime(phase=phase, seconds=round(seconds, 3)) for phase, seconds in taken.items())


def _phase(event: Event) -> str:
    node, step_type = str(event.data.get("node", "")), str(event.data.get("step_type", ""))
    if event.type in (EventType.NODE_STARTED, EventType.NODE_ENDED):
        # Nodes without a step are those of the planning graph, which wait for the steps inside them.
        return node if event.step_id or node == _PLANNING else ""
    if event.type in (EventType.STEP_STARTED, EventType.STEP_ENDED):
        return "" if step_type.startswith(_GENERATES) else step_type
    return ""
