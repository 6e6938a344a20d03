"""The three agents of A-01 by role (T-13): the embedded one, or one that asks the role's model."""

from __future__ import annotations

from collections.abc import Mapping

from ..agents.contract.lifecycle import Agent
from ..agents.embedded.repository.case_agent import EmbeddedCaseAgent
from ..agents.embedded.repository.crawler_agent import EmbeddedCrawlerAgent, RepositoryTools
from ..agents.embedded.repository.engineer_agent import EmbeddedEngineerAgent
from ..agents.llm.case_agent import ModelCaseAgent
from ..agents.llm.crawler_agent import ModelCrawlerAgent
from ..agents.llm.engineer_agent import ModelEngineerAgent
from ..agents.model.chat import ModelChat


def repository_agents(tools: RepositoryTools, chats: Mapping[str, ModelChat]) -> dict[str, Agent]:
    """The agents that map a repository, write test cases and engineer tests, by role.

    Args:
        tools: reaches `repo.tree` and `repo.read_file`.
        chats: the models, by role; a role that is not here gets its embedded agent.
    """
    crawler, case, engineer = chats.get("crawler"), chats.get("case"), chats.get("engineer")
    # No contracts here: the graph validates what they answer before it is stored, hydration what they are given.
    return {
        "crawler": ModelCrawlerAgent(crawler, tools) if crawler else EmbeddedCrawlerAgent(tools),
        "case": ModelCaseAgent(case) if case else EmbeddedCaseAgent(),
        "engineer": ModelEngineerAgent(engineer) if engineer else EmbeddedEngineerAgent(),
    }
