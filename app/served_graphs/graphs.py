"""The graphs `planning` (a request → accepted tests) and `testing` (one target → judged tests, staged for review)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from ...config.settings import Settings, load_settings
from ...core.errors import SettingsError, UsageError
from ...core.events import Event
from .. import runs
from ..runs import SingleTargetRequest

CHOICES = frozenset(
    {"test_type", "framework", "tests_dir", "dry_run", "run", "analyze", "trials", "mutants", "max_seconds"}
    | {"max_tokens", "max_cost", "include", "exclude", "changed_since", "evidence"}
)
"""Settings that a client may choose; what reaches beyond the project or its sandbox is the server's alone."""


class PlanningRequest(TypedDict, total=False):
    """What the graph `planning` is given: `request`, in words, and settings by name (`options`)."""

    request: str
    options: dict[str, Any]


class PlannedRun(PlanningRequest, total=False):
    """Its state; at the end `report` is the run's report, and `exit_reason` how it ended."""

    exit_reason: str
    report: dict[str, Any]


class TargetRequest(TypedDict, total=False):
    """What the graph `testing` is given: `target` (a module or symbol), the kind of tests, further text, settings."""

    target: str
    test_type: Literal["unit", "api", "integration", "e2e", "performance"]
    context: str
    options: dict[str, Any]


class JudgedTarget(TargetRequest, total=False):
    """Its state; at the end the spec, ids of the kept cases, dropped ones with reasons, and how it ended."""

    exit_reason: str
    spec: dict[str, Any] | None
    test_path: str
    kept: list[str]
    dropped: list[dict[str, Any]]


async def run_request(state: PlanningRequest) -> PlannedRun:
    """Run a request to its report.

    Raises:
        SettingsError: an option is unknown, wrong, or the server's alone.
        TestwrightError: what `runs.run` raises.
    """
    settings = await asyncio.to_thread(_settings, state.get("options") or {})
    result = await runs.run(state.get("request") or "", settings, on_event=_streamed())
    report = result.report.model_dump(mode="json", by_alias=True)
    return {"exit_reason": str(result.report.exit_reason), "report": report}


async def run_target(state: TargetRequest) -> JudgedTarget:
    """Run the testing graph for one target; its tests stay staged.

    Raises:
        As `run_request`, and RequestError: the target was not found, or is ambiguous; UsageError: there is none.
    """
    target = state.get("target") or ""
    if not target.strip():
        raise UsageError("No target is named.", advice='Name a module or symbol: {"target": "src/shop/cart.py"}.')
    test_type = state.get("test_type") or "unit"
    options = {**(state.get("options") or {}), "test_type": test_type, "dry_run": True}
    settings = await asyncio.to_thread(_settings, options)
    wanted = SingleTargetRequest(f"{test_type} tests", target, state.get("context") or "")
    tested = await runs.run_one_target(wanted, settings, on_event=_streamed())
    return {
        "exit_reason": str(tested["exit_reason"]),
        "spec": tested["spec_json"],
        "test_path": tested["test_path"],
        "kept": tested["kept"],
        "dropped": tested["dropped"],
    }


def _settings(options: Mapping[str, Any]) -> Settings:
    refused = sorted(set(options) - CHOICES)
    if refused:
        raise SettingsError(
            f"A client cannot choose {', '.join(refused)}.",
            advice=f"Choose among {', '.join(sorted(CHOICES))}; the rest is in testwright.toml of the server's folder.",
        )
    return load_settings(dict(options))


def _streamed() -> Any:
    """A sink that sends events to the stream of the node that is executed."""
    write = get_stream_writer()

    def send(event: Event) -> None:
        said = {"type": str(event.type), "message": event.message, "step_id": event.step_id, "data": dict(event.data)}
        write({"testwright": said})

    return send


planning = (
    # pyrefly: ignore[bad-specialization, bad-argument-type] - it does not see the keys that the class of a TypedDict has
    StateGraph(PlannedRun, input_schema=PlanningRequest)
    .add_node("run_request", run_request)
    .add_edge(START, "run_request")
    .add_edge("run_request", END)
    .compile(name="planning")
)
testing = (
    # pyrefly: ignore[bad-specialization, bad-argument-type] - it does not see the keys that the class of a TypedDict has
    StateGraph(JudgedTarget, input_schema=TargetRequest)
    .add_node("run_target", run_target)
    .add_edge(START, "run_target")
    .add_edge("run_target", END)
    .compile(name="testing")
)
