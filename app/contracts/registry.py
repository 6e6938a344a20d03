"""Collects the contracts of all agents, tools and nodes from the code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from ...agents.contract.lifecycle import Agent
from ...agents.contract.protocol import ErrorType
from ...agents.embedded import analyzer_agent, writing_agent
from ...agents.embedded.control import goal_agent, health_agent, lorebook_agent, safety_agent, summary_agent
from ...agents.embedded.evidence import hypothesis_agent, judge_agent, report_agent, search_agent
from ...agents.embedded.plan import planner_agent
from ...agents.embedded.repository import case_agent, crawler_agent, engineer_agent
from ...agents.embedded.specs import spec_agent
from ...agents.llm import analyzer_agent as model_analyzer
from ...agents.llm import case_agent as model_case
from ...agents.llm import crawler_agent as model_crawler
from ...agents.llm import engineer_agent as model_engineer
from ...agents.llm import planner_agent as model_planner
from ...agents.llm import spec_agent as model_spec
from ...agents.llm import writing_agent as model_writing
from ...agents.llm.control import goal_agent as model_goal
from ...agents.llm.control import health_agent as model_health
from ...agents.llm.control import safety_agent as model_safety
from ...agents.llm.control import summary_agent as model_summary
from ...agents.llm.evidence import hypothesis_agent as model_hypothesis
from ...agents.llm.evidence import judge_agent as model_judge
from ...agents.llm.evidence import report_agent as model_report
from ...agents.llm.evidence import search_agent as model_search
from ...config.control import AGENT_ROLES
from ...graph.evidence_loop.nodes.form_hypotheses import form_hypotheses
from ...graph.evidence_loop.nodes.judge_evidence import judge_evidence
from ...graph.evidence_loop.nodes.search_evidence import search_evidence
from ...graph.evidence_loop.nodes.write_evidence_report import write_evidence_report
from ...graph.evidence_loop.state import EvidenceState
from ...graph.execution_graph.graph import NODES as TESTING_NODES
from ...graph.execution_graph.state import TestingAgentState
from ...graph.planning_graph.planning_graph import NODES as PLANNING_NODES
from ...graph.planning_graph.planning_state import PlanningAgentState
from ...mcp.toolbox.registry import tools_for
from ...mcp.toolbox.tool_spec import ToolSpec
from ...utils.schema_registry import schema_names
from .node_source import facts_of

_SCHEMA_FOLDERS = {"crawler": "repo_crawler", "case": "test_case_generator", "engineer": "test_engineer"}
_EVIDENCE_NODES = (search_evidence, form_hypotheses, judge_evidence, write_evidence_report)
_ROLES = {folder: role for role, folder in _SCHEMA_FOLDERS.items()}
"""Roles of agents that are named after their contract."""

_EFFECTS = {
    "ModelChat": "sends prompts to the model's endpoint",
    "RepositoryTools": "reads the repository through tools",
    "EvidenceTools": "reads the project through tools",
    "SpecGenerator": "runs the target in the sandbox",
}
_CLASSES: tuple[type[Agent], ...] = (
    planner_agent.EmbeddedPlannerAgent,
    model_planner.ModelPlannerAgent,
    spec_agent.EmbeddedSpecAgent,
    model_spec.ModelSpecAgent,
    writing_agent.EmbeddedWritingAgent,
    model_writing.ModelWritingAgent,
    analyzer_agent.EmbeddedAnalyzerAgent,
    model_analyzer.ModelAnalyzerAgent,
    crawler_agent.EmbeddedCrawlerAgent,
    model_crawler.ModelCrawlerAgent,
    case_agent.EmbeddedCaseAgent,
    model_case.ModelCaseAgent,
    engineer_agent.EmbeddedEngineerAgent,
    model_engineer.ModelEngineerAgent,
    safety_agent.EmbeddedSafetyAgent,
    model_safety.ModelSafetyAgent,
    goal_agent.EmbeddedGoalAgent,
    model_goal.ModelGoalAgent,
    health_agent.EmbeddedHealthAgent,
    model_health.ModelHealthAgent,
    lorebook_agent.EmbeddedLorebookAgent,
    summary_agent.EmbeddedSummaryAgent,
    model_summary.ModelSummaryAgent,
    search_agent.EmbeddedSearchAgent,
    model_search.ModelSearchAgent,
    hypothesis_agent.EmbeddedHypothesisAgent,
    model_hypothesis.ModelHypothesisAgent,
    judge_agent.EmbeddedJudgeAgent,
    model_judge.ModelJudgeAgent,
    report_agent.EmbeddedReportAgent,
    model_report.ModelReportAgent,
)


@dataclass(frozen=True, slots=True)
class AgentContractRow:
    """One agent.

    Attributes:
        input, output: paths of its schemas; "" where its docstring describes them.
        effects: what it does beyond answering.
        asked_by: nodes that send it requests.
        errors: kinds of `AgentError` that any agent may answer.
    """

    role: str
    name: str
    module: str
    does: str
    input: str
    output: str
    effects: tuple[str, ...]
    asked_by: tuple[str, ...]
    errors: tuple[str, ...] = tuple(str(kind) for kind in ErrorType)


@dataclass(frozen=True, slots=True)
class ToolContractRow:
    """One tool, with the names of its arguments (required ones first) and of what it answers."""

    name: str
    module: str
    does: str
    audience: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    effects: tuple[str, ...]
    called_by: tuple[str, ...]
    errors: tuple[str, ...] = ("ToolInputError", "ToolTimeout", "ToolFailure")


@dataclass(frozen=True, slots=True)
class NodeContractRow:
    """One node: the keys of its state that it reads and may write, the agents and tools it uses, errors and events."""

    graph: str
    name: str
    module: str
    does: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    agents: tuple[str, ...]
    tools: tuple[str, ...]
    events: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContractRegistry:
    """All contracts; agents in the order of their roles, tools by name, nodes in the order of their graphs."""

    agents: tuple[AgentContractRow, ...]
    tools: tuple[ToolContractRow, ...]
    nodes: tuple[NodeContractRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON."""
        return asdict(self)


@cache
def contract_registry() -> ContractRegistry:
    """Read the contracts from the code that is running, which does not change meanwhile: once for a process."""
    specs = _tool_specs()
    roles = (*AGENT_ROLES, "embedded_planner")
    nodes = (
        *_nodes("planning", PLANNING_NODES, PlanningAgentState, roles, list(specs)),
        *_nodes("testing", TESTING_NODES, TestingAgentState, roles, list(specs)),
        *_nodes("evidence", _EVIDENCE_NODES, EvidenceState, roles, list(specs)),
    )
    return ContractRegistry(
        agents=tuple(_agent(cls, nodes) for cls in _CLASSES),
        tools=tuple(_tool(specs[name], nodes) for name in sorted(specs)),
        nodes=nodes,
    )


def _nodes(
    graph: str, nodes: Sequence[Callable[..., Any]], state: type, roles: Sequence[str], tools: Sequence[str]
) -> tuple[NodeContractRow, ...]:
    rows = []
    keys = tuple(state.__annotations__)
    for node in nodes:
        module = _below_package(node.__module__)
        found = facts_of(module, node.__name__, keys=keys, roles=roles, tools=tools)
        rows.append(
            NodeContractRow(
                graph,
                node.__name__,
                module,
                _first_line(node),
                tuple(key for key in keys if key in found.reads),
                tuple(key for key in keys if key in found.writes),
                tuple(role for role in roles if role in found.agents),
                tuple(sorted(found.tools)),
                tuple(sorted(found.events | _around(node))),
                tuple(sorted(found.raises)),
            )
        )
    return tuple(rows)


def _around(node: Callable[..., Any]) -> set[str]:
    """Events of the wrapper `reported_node`, where a node has it."""
    return {"node_started", "node_ended"} if hasattr(node, "__wrapped__") else set()


def _agent(cls: type[Agent], nodes: Sequence[NodeContractRow]) -> AgentContractRow:
    role = _ROLES.get(cls.role, cls.role)
    folder = _SCHEMA_FOLDERS.get(role, role)
    schemas = {
        part: name for part in ("input", "output") if (name := f"schemas/{folder}/{part}.json") in schema_names()
    }
    signature = str(inspect.signature(cls.__init__))
    effects = tuple(text for kind, text in _EFFECTS.items() if kind in signature)
    return AgentContractRow(
        role,
        cls.__name__,
        _below_package(cls.__module__),
        _first_line(cls),
        schemas.get("input", ""),
        schemas.get("output", ""),
        effects,
        tuple(f"{node.graph}.{node.name}" for node in nodes if role in node.agents),
    )


def _tool_specs() -> Mapping[str, ToolSpec]:
    """Every tool by name; of one that both audiences have, the form for graphs."""
    return {spec.name: spec for spec in (*tools_for("clients"), *tools_for("graphs"))}


def _tool(spec: ToolSpec, nodes: Sequence[NodeContractRow]) -> ToolContractRow:
    required = [str(name) for name in spec.input_schema.get("required") or ()]
    optional = [name for name in spec.input_schema.get("properties") or {} if name not in required]
    effects = (
        ("changes nothing" if spec.read_only else "changes files or runs", True),
        ("may replace existing data", spec.destructive),
        ("reaches beyond the project", spec.open_world),
        ("may be repeated", spec.idempotent),
    )
    return ToolContractRow(
        spec.name,
        _below_package(inspect.unwrap(spec.run).__module__),
        spec.description.partition(". ")[0].rstrip("."),
        spec.audience,
        (*required, *(f"{name}?" for name in optional)),
        tuple(spec.output_schema.get("properties") or {}),
        tuple(text for text, holds in effects if holds),
        tuple(f"{node.graph}.{node.name}" for node in nodes if spec.name in node.tools),
    )


def _below_package(module: str) -> str:
    return module.partition(".")[2]


def _first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
