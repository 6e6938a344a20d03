"""The testing graph: from a target to tests that were run and analysed.

Names and return values of the routers `should_retry_spec` and `should_retry_code` are part of the public graph.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from ..context import GraphServices, RunContext
from ..faults import is_transient
from .nodes.analyze_results import analyze_results
from .nodes.generate_code import generate_code
from .nodes.generate_spec import generate_spec
from .nodes.refine_code import refine_code
from .nodes.refine_spec import refine_spec
from .nodes.retrieve_context import retrieve_context
from .nodes.run_tests import run_tests
from .nodes.select_schema import select_schema
from .nodes.validate_code import validate_code
from .nodes.validate_spec import validate_spec
from .state import TestingAgentState


async def should_retry_spec(state: TestingAgentState) -> Literal["proceed_to_code", "refine_spec", "error"]:
    """Check if spec validation failed and retries are available."""
    if _valid(state["spec_validation_result"]):
        return "proceed_to_code"
    if state["spec_attempts"] < state["max_retries"]:
        return "refine_spec"
    return "error"


async def should_retry_code(state: TestingAgentState) -> Literal["proceed_to_execution", "refine_code", "error"]:
    """Check if code validation failed and retries are available."""
    if _valid(state["code_validation_result"]):
        return "proceed_to_execution"
    if state["code_attempts"] < state["max_retries"]:
        return "refine_code"
    return "error"


async def should_continue(state: TestingAgentState) -> Literal["continue", "end"]:
    """Continue unless the last node ended the graph; an agent that failed ends it without another loop."""
    return "end" if state["phase"] in ("complete", "error") else "continue"


async def after_tests(state: TestingAgentState) -> Literal["continue", "refine_spec", "end"]:
    """Ask for what the tests leave open, where that is next; else as `should_continue`."""
    return "refine_spec" if state["phase"] == "spec_generation" else await should_continue(state)


async def after_refinement(state: TestingAgentState) -> Literal["continue", "analyze", "end"]:
    """Analyse tests that ran already, where nothing new was specified or written; else as `should_continue`."""
    return "analyze" if state["phase"] == "execution" else await should_continue(state)


async def after_spec_validation(
    state: TestingAgentState,
) -> Literal["proceed_to_code", "refine_spec", "error", "analyze"]:
    """Analyse tests that ran already, where the spec that follows them is given up; else as `should_retry_spec`."""
    return "analyze" if state["phase"] == "execution" else await should_retry_spec(state)


async def after_code_validation(
    state: TestingAgentState,
) -> Literal["proceed_to_execution", "refine_code", "error", "analyze"]:
    """Analyse tests that ran already, where the files that follow them are given up; else as `should_retry_code`."""
    given_up = state["phase"] == "execution" and not _valid(state["code_validation_result"])
    return "analyze" if given_up else await should_retry_code(state)


async def after_analysis(state: TestingAgentState) -> Literal["refine_spec", "end"]:
    """Refine the spec when an expectation turned out to be wrong; else end the graph."""
    return "refine_spec" if state["phase"] == "spec_generation" else "end"


def _valid(result: dict[str, Any] | None) -> bool:
    return bool(result and result["valid"])


NODES = (
    retrieve_context,
    select_schema,
    generate_spec,
    validate_spec,
    refine_spec,
    generate_code,
    validate_code,
    refine_code,
    run_tests,
    analyze_results,
)

RECURSION_LIMIT = 100
"""Supersteps of one testing graph; its longest path has 25."""


def transient_retries(attempts: int = 3, first_wait: float = 0.5) -> RetryPolicy:
    """Retry nodes after a transient fault of a tool: exponential, jittered, `is_transient` only.

    Args:
        attempts: of one node, the first included.
        first_wait: seconds before the second attempt; 0 for none, also no jitter.
    """
    return RetryPolicy(initial_interval=first_wait, max_attempts=attempts, jitter=first_wait > 0, retry_on=is_transient)


def retries_of(services: GraphServices) -> RetryPolicy:
    """Retry nodes as the run's services specify."""
    return transient_retries(services.node_attempts, services.node_wait)


def build_testing_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
    *,
    retry: RetryPolicy | None = None,
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
) -> CompiledStateGraph[TestingAgentState, RunContext, Any, Any]:
    """Build the compiled testing graph, for one target of any test type.

    Run it with `ainvoke(new_testing_state(...), context=RunContext(...))` inside `context.providing(...)`.

    Args:
        checkpointer: stores the state between nodes; the caller then passes a `thread_id`.
        retry: replaces `transient_retries()`.
    """
    return _uncompiled(retry or transient_retries()).compile(checkpointer=checkpointer, name="testing_graph")


@cache  # each target of a run compiles it
# pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
def _uncompiled(policy: RetryPolicy) -> StateGraph[TestingAgentState, RunContext, Any, Any]:
    """The graph before it is compiled; compiling leaves it as it is."""
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    graph: StateGraph[TestingAgentState, RunContext, Any, Any] = StateGraph(
        TestingAgentState, context_schema=RunContext
    )
    for node in NODES:
        graph.add_node(node.__name__, node, retry_policy=policy)
    graph.add_edge(START, "retrieve_context")
    graph.add_edge("retrieve_context", "select_schema")
    _continue_unless_ended(graph, "select_schema", "generate_spec")
    _continue_unless_ended(graph, "generate_spec", "validate_spec")
    graph.add_conditional_edges(
        "refine_spec", after_refinement, {"continue": "validate_spec", "analyze": "analyze_results", "end": END}
    )
    graph.add_conditional_edges(
        "validate_spec",
        after_spec_validation,
        {"proceed_to_code": "generate_code", "refine_spec": "refine_spec", "error": END, "analyze": "analyze_results"},
    )
    for node in ("generate_code", "refine_code"):
        graph.add_conditional_edges(
            node, after_refinement, {"continue": "validate_code", "analyze": "analyze_results", "end": END}
        )
    graph.add_conditional_edges(
        "validate_code",
        after_code_validation,
        {"proceed_to_execution": "run_tests", "refine_code": "refine_code", "error": END, "analyze": "analyze_results"},
    )
    graph.add_conditional_edges(
        "run_tests", after_tests, {"continue": "analyze_results", "refine_spec": "refine_spec", "end": END}
    )
    graph.add_conditional_edges("analyze_results", after_analysis, {"refine_spec": "refine_spec", "end": END})
    return graph


def _continue_unless_ended(
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    graph: StateGraph[TestingAgentState, RunContext, Any, Any],
    node: str,
    following: str,
) -> None:
    graph.add_conditional_edges(node, should_continue, {"continue": following, "end": END})
