"""Creates the agents of a run that ask a model; those that steer it are in `steering_models.py`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...agents.contract.contracts import contract_of
from ...agents.contract.lifecycle import Agent
from ...agents.embedded.repository.crawler_agent import RepositoryTools
from ...agents.embedded.specs.observed_cases import CaseObserver
from ...agents.llm.analyzer_agent import ModelAnalyzerAgent
from ...agents.llm.case_agent import ModelCaseAgent
from ...agents.llm.crawler_agent import ModelCrawlerAgent
from ...agents.llm.engineer_agent import ModelEngineerAgent
from ...agents.llm.evidence.hypothesis_agent import ModelHypothesisAgent
from ...agents.llm.evidence.judge_agent import ModelJudgeAgent
from ...agents.llm.evidence.report_agent import ModelReportAgent
from ...agents.llm.evidence.search_agent import ModelSearchAgent
from ...agents.llm.model_agent import ModelAgent
from ...agents.llm.planner_agent import ModelPlannerAgent
from ...agents.llm.project_style import own_test_imports, style_provider
from ...agents.llm.spec_agent import ModelSpecAgent
from ...agents.llm.writing_agent import ModelWritingAgent
from ...agents.model.chat import ModelChat
from ...config.settings import Settings
from ...sandbox.target import ProvideTarget

_EVIDENCE: Mapping[str, type[ModelAgent]] = {
    "evidence_search": ModelSearchAgent,
    "evidence_hypothesis": ModelHypothesisAgent,
    "evidence_judge": ModelJudgeAgent,
    "evidence_report": ModelReportAgent,
}


def model_planner(chat: ModelChat, engine: Agent) -> Agent:
    """Create the planner that asks a model.

    Args:
        engine: the embedded planner, which it builds on.
    """
    return ModelPlannerAgent(chat, engine, contract=contract_of("planner"))


def model_evidence_agents(chat: ModelChat, engines: Mapping[str, Agent]) -> dict[str, Agent]:
    """Create the agents of the evidence loop that ask a model, by role.

    Args:
        engines: the embedded agents of the same roles, which they build on.
    """
    return {role: kind(chat, engine=engines[role], contract=contract_of(role)) for role, kind in _EVIDENCE.items()}


def model_agents(
    settings: Settings, target: ProvideTarget, models: Mapping[str, ModelChat], tools: RepositoryTools, engine: Agent
) -> dict[str, Agent]:
    """Create the agents that have a model, by role.

    Args:
        engine: the embedded agent whose specs a model as `spec` adds cases to, and which it starts and shuts down.
    """
    agents: dict[str, Agent] = {}
    if chat := models.get("spec"):
        observer = CaseObserver(target, settings.root)
        agents["spec"] = ModelSpecAgent(
            chat, engine, settings.root, observe=observer.observe, allowed=settings.allow_import
        )
    if chat := models.get("writer"):
        agents["writer"] = ModelWritingAgent(
            chat,
            style=style_provider(settings.root),
            imports=partial(own_test_imports, settings.root),
            allowed=settings.allow_import,
        )
    if chat := models.get("analyzer"):
        agents["analyzer"] = ModelAnalyzerAgent(chat, settings.root, contract=contract_of("analyzer"))
    if chat := models.get("crawler"):
        agents["crawler"] = ModelCrawlerAgent(chat, tools, contract=contract_of("repo_crawler"))
    if chat := models.get("case"):
        agents["case"] = ModelCaseAgent(chat, contract=contract_of("test_case_generator"))
    if chat := models.get("engineer"):
        agents["engineer"] = ModelEngineerAgent(chat, contract=contract_of("test_engineer"))
    return agents
