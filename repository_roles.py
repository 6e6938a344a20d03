"""The three agents of A-01 by role (T-13): the embedded one, or one that asks the role's model."""

from __future__ import annotations

from collections.abc import Mapping

from .agents.contracts import contract_of
from .agents.embedded.case_agent import EmbeddedCaseAgent
from .agents.embedded.crawler_agent import EmbeddedCrawlerAgent, RepositoryTools
from .agents.embedded.engineer_agent import EmbeddedEngineerAgent
from .agents.lifecycle import Agent
from .agents.model.chat import ModelChat


def repository_agents(tools: RepositoryTools, chats: Mapping[str, ModelChat]) -> dict[str, Agent]:
    """The agents that map a repository, write test cases and engineer tests, by role.

    Args:
        tools: reaches `repo.tree` and `repo.read_file`.
        chats: the models, by role; a role that is not here gets its embedded agent.
    """
    return {
        "crawler": EmbeddedCrawlerAgent(tools, contract=contract_of("repo_crawler")),
        "case": EmbeddedCaseAgent(contract=contract_of("test_case_generator")),
        "engineer": EmbeddedEngineerAgent(contract=contract_of("test_engineer")),
    }
