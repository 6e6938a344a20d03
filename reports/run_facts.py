"""The report's `run` object: all that differs from run to run, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .reading import count, text
from .run_model import CacheUse, Idle, ModelUse, PhaseTime, ReportStoredArtifact, Run, Spending, ToolServerUse, ToolUse


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the report's `run` object is made of.

    Attributes:
        started_at: seconds since the epoch, as `finished_at`.
        settings: JSON object without secrets.
        tool_calls: one JSON object a call: tool, served_by, seconds, outcome ("ok" or how it failed), cached, kept; or
            one for several calls, as `tool_use` adds them up.
        tool_servers: one JSON object a server of others: name, transport, tools, restarts, state.
        cache_in: where answers of tools are kept: memory, sqlite or valkey.
        warnings: sentences.
        wall_seconds, idle_seconds, model_seconds: of the `WorkMeter`; None when nobody measured.
        phases: (phase, seconds), in the order of the work.
        spent: seconds, tokens, cost, calls.
        models: one JSON object for each role and model: role, model, calls, tokens_in, tokens_out, tokens_cached, cost,
            priced.
        artifacts: (id, kind, sanitizer version, prompt version).
    """

    run_id: str
    version: str
    root: str
    started_at: float
    finished_at: float
    sandbox: str = ""
    interpreter: str = ""
    resumed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    tool_calls: Sequence[Mapping[str, Any]] = ()
    tool_servers: Sequence[Mapping[str, Any]] = ()
    cache_in: str = "memory"
    warnings: Sequence[str] = ()
    wall_seconds: float | None = None
    idle_seconds: float = 0.0
    model_seconds: float = 0.0
    phases: Sequence[tuple[str, float]] = ()
    spent: Mapping[str, Any] = field(default_factory=dict)
    models: Sequence[Mapping[str, Any]] = ()
    artifacts: Sequence[tuple[str, str, str, str]] = ()


def run_part(facts: RunFacts, redact: Callable[[Any], Any]) -> Run:
    """The `run` object; settings go through `redact`."""
    idle = None
    if facts.wall_seconds is not None:
        share = facts.idle_seconds / facts.wall_seconds if facts.wall_seconds > 0 else 0.0
        idle = Idle(
            seconds=round(max(0.0, facts.idle_seconds), 3),
            share=round(min(1.0, max(0.0, share)), 4),
            model_seconds=round(max(0.0, facts.model_seconds), 3),
        )
    spent, calls = facts.spent, tool_use(facts.tool_calls)
    return Run(
        id=facts.run_id,
        version=facts.version,
        root=facts.root,
        started_at=_iso(facts.started_at),
        finished_at=_iso(facts.finished_at),
        seconds=round(max(0.0, facts.finished_at - facts.started_at), 3),
        sandbox=facts.sandbox,
        interpreter=facts.interpreter,
        resumed=facts.resumed,
        settings=dict(redact(dict(facts.settings))),
        tool_calls=calls,
        tool_servers=tuple(ToolServerUse(**tool_server) for tool_server in facts.tool_servers),
        cache=CacheUse(kept_in=facts.cache_in, cache_hits=sum(call.cached for call in calls)),
        warnings=tuple(dict.fromkeys(str(redact(warning)) for warning in facts.warnings)),
        idle=idle,
        phases=tuple(PhaseTime(phase=phase, seconds=round(max(0.0, took), 3)) for phase, took in facts.phases),
        spent=Spending(
            **{**spent, "seconds": round(float(spent.get("seconds", 0.0)), 3)},
            models=tuple(ModelUse(**model) for model in facts.models),
        ),
        artifacts=tuple(
            ReportStoredArtifact(id=artifact_id, kind=kind, sanitizer=sanitizer, prompt_version=prompt_version)
            for artifact_id, kind, sanitizer, prompt_version in facts.artifacts
        ),
    )


def tool_use(calls: Iterable[Mapping[str, Any]]) -> tuple[ToolUse, ...]:
    """Calls added up by tool and server, in their order; what was added up before may be among them."""
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


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
