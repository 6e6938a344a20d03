"""Nodes of the testing graph called one by one: a bench around one node, and states as earlier nodes leave them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from testwright.graph.context import providing
from testwright.graph.execution_graph import state as states
from testwright.graph.execution_graph.nodes.generate_code import generate_code
from testwright.graph.execution_graph.nodes.validate_code import validate_code
from testwright.graph.execution_graph.nodes.validate_spec import validate_spec
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import TEST_PATH, Bench, bench, runtime_of, spec, testing_state

SCHEMA = "schemas/unit_test_schema_v1.json"
STAGED = f"staged/{TEST_PATH}"
Node = Callable[[states.TestingAgentState, Any], Awaitable[dict[str, Any]]]


async def call_node(node: Node, made: Bench, state: states.TestingAgentState) -> dict[str, Any]:
    """Call a node as the graph does."""
    with providing(made.context, made.services):
        return await node(state, runtime_of(made))


@contextmanager
def node_bench(tmp_path: Path, scripts: dict[str, Any] | None = None, **agents: Any) -> Iterator[Bench]:
    """A bench whose scripts must all be used up."""
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, scripts=scripts)
        yield made
        made.tools.finish()


def state_with(**changes: Any) -> states.TestingAgentState:
    """The beginning of a testing graph with some fields set."""
    return changed(testing_state(), changes)


def changed(state: states.TestingAgentState, update: dict[str, Any]) -> states.TestingAgentState:
    """A state after an update."""
    return cast(states.TestingAgentState, {**state, **update})


async def accepted_spec(made: Bench, *case_ids: str, **more: Any) -> states.TestingAgentState:
    """The state after a spec of these cases was accepted."""
    state = state_with(selected_schema=SCHEMA, spec_json=spec(*case_ids)["spec"], **more)
    return changed(state, await call_node(validate_spec, made, state))


async def accepted_code(made: Bench, *case_ids: str, **more: Any) -> states.TestingAgentState:
    """The state after a file of these cases was accepted; the bench has a writer that gives it."""
    state = await accepted_spec(made, *case_ids, **more)
    for node in (generate_code, validate_code):
        state = changed(state, await call_node(node, made, state))
    return state
