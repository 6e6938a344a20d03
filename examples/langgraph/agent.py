"""A LangGraph agent of your own that has testwright write tests for a module, as one node among others.

    python examples/langgraph/agent.py examples/shop "unit tests for shop.pricing"

The planning graph is an ordinary subgraph: it shares the keys of its state, so an outer state extends
`PlanningAgentState`; what it works with is open inside `graph_session`. Events come on the custom stream.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from langgraph.graph import END, START, StateGraph

import testwright
from testwright.graph.context import RunContext
from testwright.graph.planning_graph.planning_state import PlanningAgentState


class ReviewState(PlanningAgentState):
    """The outer graph's state: testwright's, and a key of its own."""

    summary: str


async def summarise(state: ReviewState) -> dict[str, Any]:
    """Say what was planned, and how it ended."""
    steps = [f"{step['type']}: {step['status']}" for step in state["plan"]]
    return {"summary": "\n".join([*state["understood"][:1], *steps])}


def build_graph() -> Any:
    """Compile the outer graph: testwright's planning graph, then a summary."""
    graph = StateGraph(ReviewState, context_schema=RunContext)
    graph.add_node("write_tests", testwright.build_planning_graph())
    graph.add_node("summarise", summarise)
    graph.add_edge(START, "write_tests")
    graph.add_edge("write_tests", "summarise")
    graph.add_edge("summarise", END)
    return graph.compile()


async def review(root: str, request: str, **settings: Any) -> tuple[str, list[dict[str, Any]]]:
    """Run the graph on a project. Returns the summary, and the events that were streamed."""
    events: list[dict[str, Any]] = []
    summary = ""
    async with testwright.graph_session(request, root=root, **settings) as session:
        stream = build_graph().astream(
            session.state, context=session.context, stream_mode=["custom", "values"], subgraphs=True
        )
        async for namespace, mode, chunk in stream:
            if mode == "custom":
                events.append(chunk["testwright"])
            elif not namespace:
                summary = chunk.get("summary", summary)
    return summary, events


if __name__ == "__main__":
    text, streamed = asyncio.run(review(sys.argv[1], sys.argv[2]))
    print(text)
    print(f"{len(streamed)} events were streamed")
