"""Wraps the nodes of both graphs: events when they start and end, audit entries for their faults."""

from __future__ import annotations

import functools
from typing import Any, Protocol, TypeVar

from langgraph.runtime import Runtime

from ..core.events import EventType
from ..store.files.audit import AuditEntry
from .context import GraphServices, RunContext, services_of
from .faults import fault_of, is_transient

State = TypeVar("State", contravariant=True)
Update = dict[str, Any]


class GraphNode(Protocol[State]):
    """A node as LangGraph and other engines call it: state in, partial update out."""

    __name__: str

    async def __call__(self, state: State, runtime: Runtime[RunContext]) -> Update: ...


def reported_node(node: GraphNode[State]) -> GraphNode[State]:
    """Wrap a node with events, and with an audit entry for every attempt that raises.

    The wrapper keeps the function's module and name, so that engines which import nodes by name find it.
    """
    name = node.__name__

    @functools.wraps(node)
    async def wrapper(state: State, runtime: Runtime[RunContext]) -> Update:
        services = services_of(runtime)
        step_id = state.get("step_id") if isinstance(state, dict) else None
        services.emit(EventType.NODE_STARTED, f"{name} started", step_id, node=name)
        try:
            update = await node(state, runtime)
        except Exception as error:
            _audit(services, runtime, name, step_id, error)
            services.emit(EventType.NODE_ENDED, f"{name} failed: {error}", step_id, node=name, ok=False)
            raise
        services.emit(EventType.NODE_ENDED, f"{name} ended", step_id, node=name, ok=True)
        return update

    return wrapper


def _audit(
    services: GraphServices, runtime: Runtime[RunContext], name: str, step_id: str | None, error: Exception
) -> None:
    attempt = runtime.execution_info.node_attempt if runtime.execution_info else 1
    retried = is_transient(error) and attempt < services.node_attempts
    services.audit(
        AuditEntry(
            role=name,
            attempt=attempt,
            outcome="timed_out" if isinstance(error, TimeoutError) else "failed",
            step_id=step_id,
            errors=(fault_of(error).to_dict(),),
            reason="first" if attempt == 1 else "retry after a transient fault",
            details={"node": name, "retried": retried},
        )
    )
