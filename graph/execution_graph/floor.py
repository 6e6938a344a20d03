"""The engine's answers in place of a model's that failed: whatever a model does, its module gets the engine's tests.

One warning says why. A role without a model has no such floor: its agent's failure is the engine's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import WITHOUT_MODEL, AgentResponse, JsonObject
from ...core.exit_code import ExitCode
from ...core.usage import add_usage
from ..context import RunContext, services_of
from ..faults import AgentUnreachable, ends_run, model_exit
from ..node import call_agent
from .answers import Update, answer_update
from .state import TestingAgentState

_KEYS = {"spec": "spec", "writer": "files"}
Answered = tuple[AgentResponse, Any, Update]


async def answered(
    state: TestingAgentState,
    runtime: Runtime[RunContext],
    role: str,
    task: str,
    inputs: JsonObject,
    constraints: JsonObject | None = None,
) -> Answered:
    """Ask an agent; where its model failed in a way that no refinement mends, ask it again without the model.

    Returns the response, the answer (None when it is unusable) and the state's update, as `answer_update` does.

    Raises:
        AgentUnreachable: an agent without a model could not be reached. BudgetExhausted: a ceiling is reached.
    """
    failed: Update = {}
    try:
        response = await call_agent(state, runtime, role, task, inputs, constraints=constraints)
        value, update = answer_update(response, role, _KEYS[role])
        failure = update.get("failure") or {}
        if (
            update.get("phase") != "error"
            or response.status == "cancelled"
            or not _is_the_models(runtime, role, failure)
        ):
            return response, value, update
        failed, reason = update, _named(str(failure.get("message") or ""), failure)
    except AgentUnreachable as error:
        if not _is_the_models(runtime, role, error.details):
            raise
        reason = _named(error.message, error.details)
    return await without_model(state, runtime, role, task, inputs, reason, constraints=constraints, failed=failed)


def _named(reason: str, details: Mapping[str, Any]) -> str:
    """A reason in words with its exit reason, where it has one of its own."""
    ended = model_exit(details)
    return f"{reason} ({ended})" if ended is not None else reason


async def without_model(
    state: TestingAgentState,
    runtime: Runtime[RunContext],
    role: str,
    task: str,
    inputs: JsonObject,
    reason: str,
    *,
    constraints: JsonObject | None = None,
    failed: Update | None = None,
) -> Answered:
    """Ask the embedded agent behind a model's; returns as `answered`, with a warning that says why.

    Args:
        reason: why the model's answer is not used.
        failed: the update of the failed answer, for what it used.
    """
    constraints = {**(constraints or {}), **WITHOUT_MODEL}
    response = await call_agent(state, runtime, role, task, inputs, constraints=constraints)
    value, update = answer_update(response, role, _KEYS[role])
    used = (failed or {}).get("usage")
    if used is not None:
        update["usage"] = add_usage(used, update["usage"])
    what = "tests" if role == "spec" else "test file"
    update["warnings"] = [
        f"the engine's {what} took the place of the {role} model's: {reason}",
        *update.get("warnings", []),
    ]
    return response, value, update


def has_model(runtime: Runtime[RunContext], role: str) -> bool:
    """Whether a model is asked in a role."""
    return role in services_of(runtime).model_roles and not runtime.context.without_models


def is_the_engines(runtime: Runtime[RunContext], spec: dict[str, Any]) -> bool:
    """Whether a spec is the engine's although a model was to write it."""
    return has_model(runtime, "spec") and not any(case.get("written_by") for case in spec.get("cases") or [])


def first_reason(errors: list[dict[str, Any]]) -> str:
    """The first of the errors of an answer, and how many more there are."""
    messages = [str(error.get("message") or "") for error in errors]
    more = f" and {len(messages) - 1} more" if len(messages) > 1 else ""
    return f"{messages[0]}{more}" if messages else "it was not valid"


def _is_the_models(runtime: Runtime[RunContext], role: str, details: dict[str, Any]) -> bool:
    """Whether a failure may be the model's: any that would not end the run, and is not the environment's."""
    if not has_model(runtime, role) or str(details.get("error") or "").startswith("Model"):
        return has_model(runtime, role)
    return not ends_run(details) and details.get("exit_code") not in (ExitCode.ENVIRONMENT, ExitCode.BUDGET)
