"""The end of a plan, told to whoever listens: also where the graph is a part of somebody else's (P-11)."""

from __future__ import annotations

from ...core.events import EventType
from ...core.outcome import ExitReason
from ..context import GraphServices


def tell_end(services: GraphServices, exit_reason: ExitReason) -> None:
    """Emit that the plan has ended, and why, as the event's `plan_ended`."""
    services.emit(EventType.PROGRESS, f"the plan ended: {exit_reason}", None, plan_ended=str(exit_reason))
