"""The report's `run` object: everything that differs from run to run."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..utils.outgoing_text import valid_json

Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


def _json_name(name: str) -> str:
    """A field's name in JSON: `class` is a keyword of Python."""
    return "class" if name == "failure_class" else name


class ReportPart(BaseModel):
    """Base of everything in a report: frozen, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, alias_generator=_json_name)

    @model_validator(mode="before")
    @classmethod
    def _valid_texts(cls, given: Any) -> Any:
        return valid_json(given)


class ToolUse(ReportPart):
    """Calls of one tool."""

    tool: str
    calls: Count
    cached: Count = 0
    failed: Count = 0
    seconds: Seconds = 0.0
    served_by: str = ""


class ToolServerUse(ReportPart):
    """A tool server of somebody else, as the configuration named it."""

    name: str
    transport: str = Field(default="", description="stdio or http.")
    tools: tuple[str, ...] = Field(default=(), description="Our tools that it served.")
    restarts: Count = 0
    state: str = Field(default="", description="ready, given up, or not started.")


class CacheUse(ReportPart):
    """The cache of tool answers."""

    kept_in: str = Field(default="memory", description="sqlite or valkey; memory when nothing outlives the run.")
    cache_hits: Count = 0
    explored_before: tuple[str, ...] = Field(
        default=(), description="Modules whose spec an earlier run made: nothing that concerns them has changed since."
    )


class PhaseTime(ReportPart):
    """Time that one kind of work took, added up over the targets; several may be at work at the same time."""

    phase: str = Field(description="The node of the graph, or the type of the step.")
    seconds: Seconds


class Idle(ReportPart):
    """Wall time of all sessions with no engine, sandbox or test work in flight, and no model asked.

    `model_seconds` is the time beside it in which nothing was in flight but questions to models.
    """

    seconds: Seconds
    share: Share
    model_seconds: Seconds = 0.0


class ModelUse(ReportPart):
    """Calls of one model by one role; the cached tokens are among those that went in.

    Cost is in US dollars, by the price table; 0 where the table has no price for the model, which `priced` tells.
    """

    role: str
    model: str
    calls: Count
    tokens_in: Count = 0
    tokens_out: Count = 0
    tokens_cached: Count = 0
    cost: float = Field(default=0.0, ge=0)
    priced: bool = True


class Spending(ReportPart):
    """What the run used of its budget, sessions before a resume included; cost is in US dollars."""

    seconds: Seconds = 0.0
    tokens: Count = 0
    cost: float = Field(default=0.0, ge=0)
    calls: Count = 0
    models: tuple[ModelUse, ...] = ()


class ReportStoredArtifact(ReportPart):
    """An artifact in the run database."""

    id: str
    kind: str
    sanitizer: str = ""
    prompt_version: str = Field(default="", description="Of the prompt a model answered; empty without a model.")


class Run(ReportPart):
    """What differs from run to run: id, times, machine."""

    id: str
    version: str
    root: str
    started_at: str = Field(description="ISO 8601, UTC.")
    finished_at: str = Field(description="ISO 8601, UTC.")
    seconds: Seconds
    sandbox: str = Field(default="", description="bubblewrap or weak; empty when nothing was executed.")
    interpreter: str = Field(default="", description="The target's interpreter and its version.")
    resumed: Count = 0
    settings: dict[str, Any] = Field(default_factory=dict)
    tool_calls: tuple[ToolUse, ...] = ()
    tool_servers: tuple[ToolServerUse, ...] = ()
    cache: CacheUse = CacheUse()
    warnings: tuple[str, ...] = Field(default=(), description="What did not come about, and what served instead.")
    idle: Idle | None = None
    phases: tuple[PhaseTime, ...] = Field(default=(), description="In the order of the work.")
    spent: Spending = Spending()
    artifacts: tuple[ReportStoredArtifact, ...] = ()
