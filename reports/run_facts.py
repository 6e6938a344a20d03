"""Values of the report's `run` object that are computed: idle time, tool calls added up, times in ISO 8601."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from .reading import count, text
from .run_model import Idle, ToolUse


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
