"""Who thinks in each role (T-13): the embedded agent, or one that asks the role's model. Roles mix freely."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ..agents.contract.contracts import contract_of
from ..agents.contract.lifecycle import Agent
from ..agents.embedded.analyzer_agent import EmbeddedAnalyzerAgent
from ..agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from ..agents.embedded.specs.api_specs import ApiSpecGenerator
from ..agents.embedded.specs.integration_specs import IntegrationSpecGenerator
from ..agents.embedded.specs.spec_agent import EmbeddedSpecAgent
from ..agents.embedded.specs.spec_generator import SpecGenerator
from ..agents.embedded.specs.unit_specs import TargetProvider
from ..agents.embedded.writing_agent import EmbeddedWritingAgent
from ..agents.llm.analyzer_agent import ModelAnalyzerAgent
from ..agents.llm.planner_agent import ModelPlannerAgent
from ..agents.llm.project_style import style_provider
from ..agents.llm.spec_agent import ModelSpecAgent
from ..agents.llm.writing_agent import ModelWritingAgent
from ..agents.model.chat import ModelChat
from ..analysis.openapi.tool_documents import Call, ToolDocuments
from ..config.settings import Settings
from ..core.errors import ToolFailure
from .unit_specifier import exploring_budget, unit_specifier


def planner_agent(settings: Settings, chat: ModelChat | None) -> Agent:
    """The planner, with the model it asks, if any; it needs nothing of a run."""
    command = shlex.split(settings.app_command or "")
    if chat is None:
        return EmbeddedPlannerAgent(command=command, contract=contract_of("planner"))
    return ModelPlannerAgent(chat, EmbeddedPlannerAgent(command=command), contract=contract_of("planner"))


def role_agents(
    settings: Settings,
    target: TargetProvider,
    chats: Mapping[str, ModelChat],
    *,
    call: Call | None = None,
    unit: SpecGenerator | None = None,
) -> dict[str, Agent]:
    """The agents of the two graphs, by role.

    Args:
        target: prepares the target's environment when it is first needed.
        chats: the models, by role; a role that is not here gets its embedded agent.
        call: calls the tools of the run; None where no documents are to be read.
        unit: specifies unit tests; None for one of its own.
    """
    spec, writer, analyzer = chats.get("spec"), chats.get("writer"), chats.get("analyzer")
    specifiers: dict[str, SpecGenerator] = {
        "unit": unit or unit_specifier(settings, target),
        "api": ApiSpecGenerator(
            target, settings.root, ToolDocuments(call or _no_tools), command=shlex.split(settings.app_command or "")
        ),
        "integration": IntegrationSpecGenerator(target, settings.root, budget=exploring_budget(settings)),
    }
    # Spec and writer have no contract here: tools validate in full what they answer, hydration what they are given.
    engine = EmbeddedSpecAgent(specifiers)
    analysed = contract_of("analyzer")
    return {
        "planner": planner_agent(settings, chats.get("planner")),
        "spec": ModelSpecAgent(spec, engine, settings.root) if spec else engine,
        "writer": (
            ModelWritingAgent(writer, style=style_provider(settings.root)) if writer else EmbeddedWritingAgent()
        ),
        "analyzer": (
            ModelAnalyzerAgent(analyzer, settings.root, contract=analysed)
            if analyzer
            else EmbeddedAnalyzerAgent(contract=analysed)
        ),
    }


async def _no_tools(name: str, _arguments: Mapping[str, Any]) -> dict[str, Any]:
    raise ToolFailure(f"the tool {name} is not there")
