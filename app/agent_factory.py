"""Creates the agent of each role: the embedded one, or one that calls the role's model. Roles mix freely."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ..agents.contract.contracts import contract_of
from ..agents.contract.lifecycle import Agent
from ..agents.embedded.analyzer_agent import EmbeddedAnalyzerAgent
from ..agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from ..agents.embedded.repository.case_agent import EmbeddedCaseAgent
from ..agents.embedded.repository.crawler_agent import EmbeddedCrawlerAgent
from ..agents.embedded.repository.engineer_agent import EmbeddedEngineerAgent
from ..agents.embedded.specs.api_specs import ApiSpecGenerator
from ..agents.embedded.specs.integration_specs import IntegrationSpecGenerator
from ..agents.embedded.specs.spec_agent import EmbeddedSpecAgent, PrefetchedSpec, SpecGenerator
from ..agents.embedded.writing_agent import EmbeddedWritingAgent
from ..agents.llm.analyzer_agent import ModelAnalyzerAgent
from ..agents.llm.case_agent import ModelCaseAgent
from ..agents.llm.crawler_agent import ModelCrawlerAgent
from ..agents.llm.engineer_agent import ModelEngineerAgent
from ..agents.llm.planner_agent import ModelPlannerAgent
from ..agents.llm.project_style import style_provider
from ..agents.llm.spec_agent import ModelSpecAgent
from ..agents.llm.writing_agent import ModelWritingAgent
from ..agents.model.chat import ModelChat
from ..analysis.openapi.tool_documents import ToolDocuments
from ..config.settings import Settings
from ..mcp.tool_client.tool_client import ToolClient
from ..sandbox.target import ProvideTarget
from .bootstrap import exploration_budget, unit_spec_generator


def create_planner(settings: Settings, chat: ModelChat | None) -> Agent:
    """Create the planner, which needs nothing of a run.

    Args:
        chat: the planner's model; None for the embedded planner.
    """
    command = shlex.split(settings.app_command or "")
    if chat is None:
        return EmbeddedPlannerAgent(command=command, contract=contract_of("planner"))
    return ModelPlannerAgent(chat, EmbeddedPlannerAgent(command=command), contract=contract_of("planner"))


def create_agents(
    settings: Settings,
    target: ProvideTarget,
    models: Mapping[str, ModelChat],
    tools: ToolClient,
    *,
    unit: SpecGenerator | None = None,
    prefetched: PrefetchedSpec | None = None,
) -> dict[str, Agent]:
    """Create the agents of a run, by role.

    Args:
        target: prepares the target's environment when it is first needed.
        models: by role; a role without one gets its embedded agent.
        tools: reads API documents and repositories.
        unit: generates specs of unit tests; None creates a generator.
        prefetched: a spec that was started early; None for none.
    """
    command = shlex.split(settings.app_command or "")
    generators: dict[str, SpecGenerator] = {
        "unit": unit or unit_spec_generator(settings, target),
        "api": ApiSpecGenerator(target, settings.root, ToolDocuments(tools.call), command=command),
        "integration": IntegrationSpecGenerator(target, settings.root, budget=exploration_budget(settings)),
    }
    # Spec and writer have no contract here: tools validate their answers, hydration validates their inputs.
    agents: dict[str, Agent] = {
        "planner": create_planner(settings, models.get("planner")),
        "spec": EmbeddedSpecAgent(generators, prefetched=prefetched),
        "writer": EmbeddedWritingAgent(),
        "analyzer": EmbeddedAnalyzerAgent(contract=contract_of("analyzer")),
        "crawler": EmbeddedCrawlerAgent(tools, contract=contract_of("repo_crawler")),
        "case": EmbeddedCaseAgent(contract=contract_of("test_case_generator")),
        "engineer": EmbeddedEngineerAgent(contract=contract_of("test_engineer")),
    }
    if chat := models.get("spec"):
        # The model adds cases to the spec of the embedded agent, which it starts and shuts down.
        agents["spec"] = ModelSpecAgent(chat, agents["spec"], settings.root)
    if chat := models.get("writer"):
        agents["writer"] = ModelWritingAgent(chat, style=style_provider(settings.root))
    if chat := models.get("analyzer"):
        agents["analyzer"] = ModelAnalyzerAgent(chat, settings.root, contract=contract_of("analyzer"))
    if chat := models.get("crawler"):
        agents["crawler"] = ModelCrawlerAgent(chat, tools, contract=contract_of("repo_crawler"))
    if chat := models.get("case"):
        agents["case"] = ModelCaseAgent(chat, contract=contract_of("test_case_generator"))
    if chat := models.get("engineer"):
        agents["engineer"] = ModelEngineerAgent(chat, contract=contract_of("test_engineer"))
    return agents
