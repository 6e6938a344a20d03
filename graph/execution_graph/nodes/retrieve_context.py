"""Node `retrieve_context`: retrieves context about the target, exclusively through tools."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from langgraph.runtime import Runtime

from ....core.errors import ToolFailure
from ...context import GraphServices, RunContext, services_of
from ...faults import is_transient
from ...node import all_or_first_error, reported_node
from ...state_format import within_limit
from ..checks import target_checks
from ..evidence import evidence_update
from ..state import TestingAgentState

_DOCUMENT = re.compile(
    r"https?://[^\s'\"<>]{0,300}(?:openapi|swagger|api-docs)[^\s'\"<>]{0,300}|"
    r"(?<![\w./-])[\w./-]{0,200}(?:openapi|swagger)[\w.-]{0,100}\.(?:json|ya?ml)",
    re.IGNORECASE,
)


@reported_node
async def retrieve_context(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Retrieve code around the target, its syntax tree and, for API tests or on request, an OpenAPI document.

    Where a model is asked, further tools check the target (`GraphServices.context_tools`). All are called concurrently.
    The document is the project's own where the request names no other. Code that an earlier step of the plan retrieved
    for all steps is not retrieved again. Then the evidence loop runs, where the setting or the target asks for one.

    Raises:
        ToolFailure: the target cannot be read or parsed. Without snippets or OpenAPI the graph continues, with a
            warning in the state.
    """
    services = services_of(runtime)
    info = state["target_info"]
    path = info.get("path")
    query = " ".join(
        str(part) for part in (state["user_request"], info.get("module"), *(info.get("symbols") or [])) if part
    )
    shared = state["codebase_context"]
    wanted = {"query": query, "file_paths": [path] if path else []} if shared is None else None
    analysis, (checks, no_checks), (context, no_context), (openapi, no_openapi) = all_or_first_error(
        await asyncio.gather(
            _analysis(services, path),
            target_checks(services, path),
            _optional(services, "get_codebase_context", wanted),
            _optional(services, "get_openapi_spec", _document_wanted(state)),
            return_exceptions=True,
        )
    )
    update: dict[str, Any] = {
        "codebase_context": context if shared is None else shared,
        "openapi": openapi,
        "ast_analysis": analysis,
        "checks": checks,
        "target_digest": (analysis or {}).get("digest"),
        "warnings": [warning for warning in (*no_checks, no_context, no_openapi) if warning],
        "phase": "spec_generation",
    }
    evidence = await evidence_update(state, runtime, update)
    return {**update, **evidence, "warnings": [*update["warnings"], *evidence.get("warnings", ())]}


def _document_wanted(state: TestingAgentState) -> dict[str, Any] | None:
    """Build the arguments of `get_openapi_spec`; None when no document is needed."""
    is_api = state["test_type"] == "api"
    endpoint = str(state["target_info"].get("endpoint") or "") if is_api else ""
    document = named_document(state["user_request"])
    if document and endpoint.startswith("/"):
        return {"endpoint": document, "operation": endpoint}
    # A started application serves its own document; another one in the project may be out of date.
    started = bool(state["target_info"].get("application"))
    wanted = document or endpoint or ("." if is_api and not started else "")
    return {"endpoint": wanted} if wanted else None


def named_document(request: str) -> str | None:
    """Return the first OpenAPI document that a request names by address or file name, or None."""
    found = _DOCUMENT.search(request)
    return found.group().rstrip(".,;:!?)]}") if found else None


async def _analysis(services: GraphServices, path: str | None) -> dict[str, Any] | None:
    if path is None or not path.endswith(".py"):
        return None
    return within_limit(await services.tools.call("get_ast_analysis", {"file_path": path}))


async def _optional(
    services: GraphServices, tool: str, arguments: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, str]:
    """Call a tool whose failure is only a warning. Returns (answer, warning); (None, "") without arguments."""
    if arguments is None:
        return None, ""
    try:
        return within_limit(await services.tools.call(tool, arguments)), ""
    except ToolFailure as error:
        if is_transient(error):
            raise
        return None, f"{tool}: {error}"
