"""Values of the report's `run` object that are computed: idle time, phases, tool calls added up, times in ISO 8601."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ..core.events import Event, EventType
from .reading import count, text
from .run_model import Idle, PhaseTime, ToolUse


def idle_of(wall_seconds: float, idle_seconds: float, model_seconds: float) -> Idle:
    """What a `WorkMeter` measured, with the share of the wall time that was idle."""
    share = idle_seconds / wall_seconds if wall_seconds > 0 else 0.0
    return Idle(
        seconds=round(max(0.0, idle_seconds), 3),
        share=round(min(1.0, max(0.0, share)), 4),
        model_seconds=round(max(0.0, model_seconds), 3),
    )


def tool_use(calls: Iterable[Mapping[str, Any]]) -> tuple[ToolUse, ...]:
    """Calls added up by tool and server, in their order; what was added up before may be among them.

    Args:
        calls: one JSON object a call: tool, served_by, seconds, outcome ("ok" or how it failed), cached, kept; or one
            for several calls, as this function adds them up.
    """
    grouped: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for call in calls:
        grouped.setdefault((text(call.get("tool")), text(call.get("served_by"))), []).append(call)
    return tuple(
        ToolUse(
            tool=tool,
            served_by=server,
            calls=sum(count(call.get("calls", 1)) for call in group),
            cached=sum(int(call.get("cached") or call.get("kept") or 0) for call in group),
            failed=sum(int(call.get("failed", call.get("outcome", "ok") != "ok")) for call in group),
            seconds=round(sum(float(call.get("seconds", 0.0)) for call in group), 3),
        )
        for (tool, server), group in sorted(grouped.items())
    )


def iso_time(seconds: float) -> str:
    """Seconds since the epoch in ISO 8601, UTC, with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
