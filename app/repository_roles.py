"""The three agents of A-01 by role (T-13): the embedded one, or one that asks the role's model."""

from __future__ import annotations

from collections.abc import Mapping

from ..agents.contract.contracts import contract_of
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
    crawled, cased = contract_of("repo_crawler"), contract_of("test_case_generator")
    engineered = contract_of("test_engineer")
    return {
        "crawler": (
            ModelCrawlerAgent(crawler, tools, contract=crawled)
            if crawler
            else EmbeddedCrawlerAgent(tools, contract=crawled)
        ),
        "case": ModelCaseAgent(case, contract=cased) if case else EmbeddedCaseAgent(contract=cased),
        "engineer": (
            ModelEngineerAgent(engineer, contract=engineered)
            if engineer
            else EmbeddedEngineerAgent(contract=engineered)
        ),
    }
