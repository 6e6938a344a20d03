"""The evidence loop as a graph: search → hypotheses → judge, again until the judge approves, then the report."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..context import RunContext
from .nodes.form_hypotheses import form_hypotheses
from .nodes.judge_evidence import judge_evidence
from .nodes.search_evidence import search_evidence
from .nodes.write_evidence_report import write_evidence_report
from .state import EvidenceState

# pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
EvidenceGraph = CompiledStateGraph[EvidenceState, RunContext, Any, Any]

RECURSION_LIMIT = 50
"""Supersteps of one loop; five rounds take 16."""


async def unless_ended(state: EvidenceState) -> Literal["continue", "synthesize"]:
    """Continue with the next node, or with the report once a limit is reached or the judge has approved."""
    return "synthesize" if state["exit_reason"] is not None else "continue"


def build_evidence_graph() -> EvidenceGraph:
    """Build the compiled loop. It has no checkpoints: it is repeated as a whole, with the model's stored answers."""
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    graph: StateGraph[EvidenceState, RunContext, Any, Any] = StateGraph(EvidenceState, context_schema=RunContext)
    for node in (search_evidence, form_hypotheses, judge_evidence, write_evidence_report):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "search_evidence")
    for node, following in (
        ("search_evidence", "form_hypotheses"),
        ("form_hypotheses", "judge_evidence"),
        ("judge_evidence", "search_evidence"),
    ):
        graph.add_conditional_edges(node, unless_ended, {"continue": following, "synthesize": "write_evidence_report"})
    graph.add_edge("write_evidence_report", END)
    return graph.compile(name="evidence_loop")
