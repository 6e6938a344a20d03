"""Loads agents of the user's own, by role, and creates the embedded agents that steer a run.

A reference is `module:name` (a class without arguments, an object or a function), or the name of an entry point in the
group `testwright.agents`. It is code of the user's that runs in this process, outside of the sandbox: a project's file
needs consent to name it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..agents.contract.contracts import contract_of
from ..agents.contract.function_agent import AgentFunction, FunctionAgent, Metering
from ..agents.contract.lifecycle import Agent
from ..agents.embedded.control.goal_agent import EmbeddedGoalAgent
from ..agents.embedded.control.health_agent import EmbeddedHealthAgent
from ..agents.embedded.control.lorebook_agent import EmbeddedLorebookAgent
from ..agents.embedded.control.safety_agent import EmbeddedSafetyAgent
from ..agents.embedded.control.summary_agent import EmbeddedSummaryAgent
from ..agents.model.chat import ModelChat
from ..config.control import EVIDENCE_ROLES
from ..config.settings import Settings
from ..core.errors import SettingsError

ENTRY_POINTS = "testwright.agents"
_CONTRACTS = {
    "planner": "planner",
    "analyzer": "analyzer",
    "crawler": "repo_crawler",
    "case": "test_case_generator",
    "engineer": "test_engineer",
    **{role: role for role in EVIDENCE_ROLES},
}


def steering_agents(
    settings: Settings, models: Mapping[str, ModelChat] | None = None, *, own: Collection[str] = ()
) -> dict[str, Agent]:
    """The agents that steer a run, by role; there is none that judges a run before its plan has ended.

    Args:
        models: those of the roles that ask one; each agent builds on its embedded twin.
        own: roles with an agent of the caller's own, beside those of the settings.
    """
    agents: dict[str, Agent] = {"safety": EmbeddedSafetyAgent(), "summary": EmbeddedSummaryAgent()}
    if validates_goal(settings, own):
        agents["goal"] = EmbeddedGoalAgent()
    if health_interval(settings, own) is not None or settings.control.health_error_ratio is not None:
        agents["health"] = EmbeddedHealthAgent()
    if keeps_lorebook(settings, own):
        agents["lorebook"] = EmbeddedLorebookAgent()
    if not models:
        return agents
    from .on_demand.steering_models import STEERING_MODELS

    with_model = {role: kind for role, kind in STEERING_MODELS.items() if role in agents and role in models}
    return {**agents, **{role: kind(models[role], engine=agents[role]) for role, kind in with_model.items()}}


def health_interval(settings: Settings, own: Collection[str] = ()) -> int | None:
    """Turns between two health checks: after each, where a health agent is asked for by name and nothing says when."""
    control = settings.control
    is_named = "health" in {*settings.agents, *own} or settings.models.of("health") is not None
    is_unsaid = control.health_interval is None and control.health_error_ratio is None
    return 1 if is_named and is_unsaid else control.health_interval


def validates_goal(settings: Settings, own: Collection[str] = ()) -> bool:
    """Whether the finished plan is compared with its request: what the engine alone leaves out has its reason."""
    wanted = settings.control.goal
    return wanted == "on" or (wanted == "auto" and bool(settings.models.names or settings.agents or own))


def keeps_lorebook(settings: Settings, own: Collection[str] = ()) -> bool:
    """Whether a run learns for the next: embedded agents read no lorebook, so `auto` needs another one."""
    wanted = settings.control.lorebook
    return wanted == "on" or (wanted == "auto" and bool(settings.models.names or settings.agents or own))


def own_agents(
    references: Mapping[str, Any],
    root: Path,
    *,
    seconds: float | None = None,
    metering: Metering | None = None,
) -> dict[str, Agent]:
    """Load the agents of these references, by role.

    Args:
        references: texts as in the setting `agents`, or agents and functions themselves.
        root: the project; its modules can be named.
        seconds: the deadline of each request; None for none.
        metering: counts what their answers used against the ceilings of a run; None counts nothing.

    Raises:
        SettingsError: one cannot be loaded, or is no agent.
    """

    def limited(role: str, function: AgentFunction, lifecycle: Any = None) -> Agent:
        contract = contract_of(_CONTRACTS[role]) if role in _CONTRACTS else None
        return FunctionAgent(role, function, lifecycle=lifecycle, contract=contract, seconds=seconds, metering=metering)

    return {role: _agent(role, reference, root, limited) for role, reference in references.items()}


def _agent(role: str, reference: Any, root: Path, make: Callable[..., Agent]) -> Agent:
    found = _loaded(role, reference, root) if isinstance(reference, str) else reference
    if isinstance(found, type):
        try:
            found = found()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise SettingsError(
                f"The {role} agent {reference!r} cannot be created: {error}", advice="Its class takes no arguments."
            ) from error
    if callable(getattr(found, "process", None)):
        return make(role, found.process, found)
    if callable(found):
        return make(role, found)
    raise SettingsError(
        f"The {role} agent {reference!r} is neither an agent nor a function.",
        advice="Name a class or an object with `async def process(self, request)`, or a function of a request.",
    )


def _loaded(role: str, reference: str, root: Path) -> Any:
    module, _, name = reference.partition(":")
    try:
        if name:
            # For an installed module nothing of the project is found: not what that module looks for in vain either.
            with nullcontext() if find_spec(module.partition(".")[0]) is not None else _importable(root):
                return getattr(import_module(module), name)
        found = entry_points(group=ENTRY_POINTS, name=reference)
        if found:
            return next(iter(found)).load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the user's module raises when it is imported
        message = f"The {role} agent {reference!r} cannot be loaded: {type(error).__name__}: {error}"
        raise SettingsError(message, advice="Write it as module:name; see docs/agents.md.") from error
    raise SettingsError(
        f"There is no entry point {reference!r} for the {role} agent.",
        advice=f"Install a package with one in the group {ENTRY_POINTS}, or write module:name; see docs/agents.md.",
    )


@contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Find modules of the project while they are imported, after all others: none may hide an installed package."""
    entry = str(root)
    sys.path.append(entry)
    try:
        yield
    finally:
        sys.path.remove(entry)
