"""The flags by which any agent steers a run, in the metadata of its response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..contract.protocol import AgentResponse, JsonObject

TERMINATE = "terminatePipeline"
PASS = "passPipeline"
INTERRUPT = "interuptPipeline"  # spelled as the contract spells it
HALT_REASON = "haltReason"


@dataclass(frozen=True, slots=True)
class FlagCheckResult:
    """What the flags of one response ask for.

    Attributes:
        should_halt: end the run at once, without goal validation; of a goal agent: go on with its critique.
        should_pass: nothing more is to be made; go to goal validation. Of a safety agent: approve.
        should_interrupt: end the current step with what it has; the run goes on.
        halt_reason: why, from the metadata; "halted by <source>" where they say nothing.
    """

    should_halt: bool = False
    should_pass: bool = False
    should_interrupt: bool = False
    halt_reason: str | None = None


def check_flags(response: AgentResponse, source: str) -> FlagCheckResult:
    """Read the flags of a response. Only the literal `True` sets one.

    Args:
        source: names the agent in the default reason.
    """
    metadata: Mapping[str, Any] = response.metadata
    reason = metadata.get(HALT_REASON)
    return FlagCheckResult(
        should_halt=metadata.get(TERMINATE) is True,
        should_pass=metadata.get(PASS) is True,
        should_interrupt=metadata.get(INTERRUPT) is True,
        halt_reason=reason if isinstance(reason, str) and reason.strip() else f"halted by {source}",
    )


def flags(*, terminate: bool = False, passes: bool = False, interrupt: bool = False, reason: str = "") -> JsonObject:
    """Build the metadata that set these flags, for an agent's response."""
    found: JsonObject = {
        name: True for name, is_set in ((TERMINATE, terminate), (PASS, passes), (INTERRUPT, interrupt)) if is_set
    }
    return {**found, HALT_REASON: reason} if reason else found
