"""Node `retrieve_context`: what is known of the target, exclusively through tools (T-12)."""

from __future__ import annotations

import re
from typing import Any

from langgraph.runtime import Runtime

from ....core.errors import ToolFailure
from ...context import GraphServices, RunContext, services_of
from ...faults import is_transient
from ...isolation import gather_all
from ...node import reported_node
from ...state_format import within_limit
from ..state import TestingAgentState

_DOCUMENT = re.compile(
    r"https?://[^\s'\"<>]{0,300}(?:openapi|swagger|api-docs)[^\s'\"<>]{0,300}|"
    r"[\w./-]{0,200}(?:openapi|swagger)[\w.-]{0,100}\.(?:json|ya?ml)",
    re.IGNORECASE,
)


@reported_node
async def retrieve_context(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for code around the target, its syntax tree and, for API tests or when the request names one, an OpenAPI
    document (the project's own where no other is named); side by side. Code that was looked up for several steps of
    the plan already is not looked up again.

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
    shared = state["codebase_context"]
    wanted = {"query": query, "file_paths": [path] if path else []} if shared is None else None
    analysis, (context, no_context), (openapi, no_openapi) = await gather_all(
        _analysis(services, path),
        _try(services, "get_codebase_context", wanted),
        _try(services, "get_openapi_spec", _document_wanted(state)),
    )
    return {
        "codebase_context": context if shared is None else shared,
        "openapi": openapi,
        "ast_analysis": analysis,
        "target_digest": (analysis or {}).get("digest"),
        "warnings": [warning for warning in (no_context, no_openapi) if warning],
        "phase": "spec_generation",
    }


def _document_wanted(state: TestingAgentState) -> dict[str, Any] | None:
    """What to ask `get_openapi_spec` for; None when no document is of use."""
    is_api = state["test_type"] == "api"
    endpoint = str(state["target_info"].get("endpoint") or "") if is_api else ""
    document = named_document(state["user_request"])
    if document and endpoint.startswith("/"):
        return {"endpoint": document, "operation": endpoint}
    # An application tells its own document when it is started; another one in the project may be out of date.
    started = bool(state["target_info"].get("application"))
    wanted = document or endpoint or ("." if is_api and not started else "")
    return {"endpoint": wanted} if wanted else None


def named_document(request: str) -> str | None:
    """The first OpenAPI document that a request names by its address or file name, or None."""
    found = _DOCUMENT.search(request)
    return found.group().rstrip(".,;:!?)]}") if found else None


async def _analysis(services: GraphServices, path: str | None) -> dict[str, Any] | None:
    if path is None or not path.endswith(".py"):
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
