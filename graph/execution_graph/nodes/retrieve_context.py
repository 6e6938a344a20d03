"""Node `retrieve_context`: what is known of the target, exclusively through tools (T-12)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....errors import ToolFailure
from ...bounds import within_limit
from ...context import GraphServices, RunContext, services_of
from ...faults import is_transient
from ...node import reported
from ...together import together
from ..state import TestingAgentState


@reported
async def retrieve_context(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for code around the target, its syntax tree and, for API tests, its OpenAPI document; side by side.

    Raises:
        ToolFailure: the target cannot be read or parsed. Snippets and OpenAPI only help: without them the graph goes
            on, with a warning in the state.
    """
    services = services_of(runtime)
    info = state["target_info"]
    path = info.get("path")
    query = " ".join(
        str(part) for part in (state["user_request"], info.get("module"), *(info.get("symbols") or [])) if part
    )
    files = [path] if path else []
    endpoint = info.get("endpoint") if state["test_type"] == "api" else None
    analysis, (context, no_context), (openapi, no_openapi) = await together(
        _analysis(services, path),
        _try(services, "get_codebase_context", {"query": query, "file_paths": files}),
        _try(services, "get_openapi_spec", {"endpoint": endpoint} if endpoint else None),
    )
    return {
        "codebase_context": context,
        "openapi": openapi,
        "ast_analysis": analysis,
        "target_digest": (analysis or {}).get("digest"),
        "warnings": [warning for warning in (no_context, no_openapi) if warning],
        "phase": "spec_generation",
    }


async def _analysis(services: GraphServices, path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    return within_limit(await services.tools.call("get_ast_analysis", {"file_path": path}))


async def _try(
    services: GraphServices, tool: str, arguments: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, str]:
    """The answer, or the warning that stands for it; nothing at all without arguments."""
    if arguments is None:
        return None, ""
    try:
        return within_limit(await services.tools.call(tool, arguments)), ""
    except ToolFailure as error:
        if is_transient(error):
            raise
        return None, f"{tool}: {error}"
