"""Runs in two halves (T-11): one stops with its spec written, one begins with a spec that is given."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import ExitCode, TestwrightError
from ..core.events import EventType
from ..core.outcome import ExitReason
from ..graph.execution_graph.state import TestingAgentState
from ..graph.partial_runs import plan_one_target, run_until_spec, supply_spec
from ..graph.planning_graph.planning_state import PlanningAgentState
from ..graph.running import resume_run
from ..store.database.runs import RunStatus
from .container import LiveRun
from .run_lifecycle import Ended, as_raised, beginning_of, ended_by, record_run, seen_to_end


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one run in halves is for.

    Attributes:
        request: what the planner reads; it names no target by itself.
        target: the module or symbol.
        context: what the agents after the planner are told besides.
        name: of the spec that is given; "" where none is.
    """

    request: str
    target: str
    context: str = ""
    name: str = ""

    @property
    def whole_request(self) -> str:
        """The request as it is stored, and as the agents after the planner read it."""
        given = f" from the spec {self.name}" if self.name else ""
        said = f"{self.request}{given} for {self.target}"
        return f"{said}\n\n{self.context}" if self.context.strip() else said


async def specified(live: LiveRun, wanted: Wanted) -> TestingAgentState:
    """A new run up to its spec; it stays there, to be resumed.

    Returns:
        The state of the testing graph: `phase` is `code_generation` when the spec is valid.

    Raises:
        RequestError: the target was not found, or is several.
        TestwrightError: what else kept the spec from being written.
    """
    record_run(live, wanted.whole_request)
    live.store.runs.start(live.folder.run_id)
    live.services.emit(EventType.STARTED, f"started: {wanted.whole_request}")
    try:
        planned = await _planned(live, wanted)
        if not planned["plan"]:
            failure = planned["failure"] or {}
            raise as_raised(str(failure.get("message", "no plan could be made")), failure)
        state = await run_until_spec(planned, live.context, live.services)
        if state["failure"]:
            raise as_raised(str(state["failure"].get("message")), state["failure"])
    except TestwrightError as error:
        live.services.emit(EventType.ERROR, error.message)
        _end(live, "failed", ended_by(error), error.exit_code)
        raise
    except (asyncio.CancelledError, KeyboardInterrupt):
        _end(live, "stopped", ExitReason.INTERRUPTED, ExitCode.INTERRUPTED)
        raise
    ready = state["phase"] == "code_generation"
    if ready:
        _end(live, "stopped", ExitReason.SPEC_READY, ExitCode.OK)
    else:
        _end(live, "failed", ExitReason.NOTHING_KEPT, ExitCode.NOTHING_KEPT)
    return state


async def begun_with_spec(live: LiveRun, wanted: Wanted, spec: Mapping[str, Any]) -> Ended:
    """A new run from a spec that is given, to its end.

    Raises:
        RequestError: the spec's target was not found.
        TestwrightError: as any run.
    """
    record_run(live, wanted.whole_request)

    async def work() -> PlanningAgentState:
        planned = await _planned(live, wanted)
        if not planned["plan"]:
            return planned
        await supply_spec(planned, spec, live.context, live.services)
        return await resume_run(live.context, live.services)

    return await seen_to_end(live, wanted.whole_request, work())


async def _planned(live: LiveRun, wanted: Wanted) -> PlanningAgentState:
    beginning = beginning_of(live, wanted.request)
    return await plan_one_target(
        {**beginning, "target": wanted.target},
        live.context,
        live.services,
        request=wanted.whole_request,
        name=wanted.name,
    )


def _end(live: LiveRun, status: RunStatus, reason: ExitReason, code: ExitCode) -> None:
    live.store.runs.finish(live.folder.run_id, status=status, exit_reason=reason.value, exit_code=int(code))
