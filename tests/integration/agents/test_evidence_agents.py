"""The evidence loop's agents, with and without a model: they keep the contract, and a model's claims need sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.compliance import COMPLIANCE, Candidate, Check
from testwright.agents.contract.contracts import contract_of
from testwright.agents.contract.lifecycle import Agent
from testwright.agents.embedded.evidence.hypothesis_agent import EmbeddedHypothesisAgent
from testwright.agents.embedded.evidence.judge_agent import EmbeddedJudgeAgent
from testwright.agents.embedded.evidence.report_agent import EmbeddedReportAgent
from testwright.agents.embedded.evidence.search_agent import EmbeddedSearchAgent
from testwright.agents.llm.evidence.hypothesis_agent import ModelHypothesisAgent
from testwright.agents.llm.evidence.judge_agent import ModelJudgeAgent
from testwright.agents.llm.evidence.report_agent import ModelReportAgent
from testwright.agents.llm.evidence.search_agent import ModelSearchAgent
from testwright.core.errors import ToolFailure
from testwright.tests.support.agents.fake_chat import FakeChat, asked

DATA = Path(__file__).resolve().parents[2] / "data" / "schemas"
README = "`slugify('Hello World')` returns `'hello-world'`."


class Tools:
    """A code search that finds the README, and a history of one commit."""

    def __init__(self, *broken: str) -> None:
        self.broken = broken
        self.queries: list[str] = []

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name in self.broken:
            raise ToolFailure(f"{name} is broken")
        if name == "get_history":
            commit = {
                "id": "1234567890",
                "subject": "Join words by a dash",
                "body": "",
                "symbols": ["slugify"],
                "at": 1,
            }
            return {"commits": [commit]}
        if name == "get_openapi_spec":
            rows = [{"method": "post", "path": "/orders", "responses": [{"status": "201"}, {"status": "400"}]}]
            places = [{"method": "POST", "path": "/orders", "document": "openapi.yaml", "line": 7}]
            return {"operations": rows, "places": places}
        self.queries.append(arguments["query"])
        return {"snippets": [{"path": "README.md", "lines": [1, 1], "kind": "section", "score": 2.0, "text": README}]}


def inputs_of(role: str) -> dict[str, Any]:
    return json.loads((DATA / role / "input" / "valid" / "textkit.json").read_text())


EMBEDDED: dict[str, Any] = {
    "evidence_search": lambda **more: EmbeddedSearchAgent(Tools(), **more),
    "evidence_hypothesis": EmbeddedHypothesisAgent,
    "evidence_judge": EmbeddedJudgeAgent,
    "evidence_report": EmbeddedReportAgent,
}
HYPOTHESIS = {"statement": "it keeps digits", "confidence": 0.95, "suspected_defect": False}
JUDGED = {
    "mechanism_score": 9,
    "mechanism_reasoning": "the code is short and clear",
    "evidence_score": 4,
    "evidence_reasoning": "only one document speaks of it",
    "key_findings": ["it joins words"],
    "confidence": 0.9,
    "next_search_queries": ["fold usage"],
    "reasoning": "nothing says what fold is for",
}
MODEL: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "evidence_search": (ModelSearchAgent, {"queries": ["dashes between words"]}),
    "evidence_hypothesis": (
        ModelHypothesisAgent,
        {"hypotheses": [{**HYPOTHESIS, "sources": [1]}], "knowledge_gaps": ["What of accents?"]},
    ),
    "evidence_judge": (ModelJudgeAgent, JUDGED),
    "evidence_report": (
        ModelReportAgent,
        {"summary": "It makes slugs.", "findings": ["It joins [1]"], "questions": []},
    ),
}


def embedded(role: str, **more: Any) -> Agent:
    return EMBEDDED[role](contract=contract_of(role), **more)


def with_model(role: str, *answers: Any) -> tuple[Agent, FakeChat]:
    kind, answer = MODEL[role]
    chat = FakeChat(*(answers or [answer] * 9))
    return kind(chat, engine=embedded(role), contract=contract_of(role)), chat


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("role", EMBEDDED)
async def test_the_embedded_agents_keep_the_contract(role: str, check: Check) -> None:
    await check(Candidate(lambda: embedded(role), good=inputs_of(role)))


@pytest.mark.feature("C-05")
@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("role", MODEL)
async def test_the_agents_with_a_model_keep_the_contract(role: str, check: Check) -> None:
    await check(Candidate(lambda: with_model(role)[0], good=inputs_of(role)))


@pytest.mark.feature("D-02")
async def test_every_piece_has_a_place_and_a_tool_that_fails_loses_only_its_own() -> None:
    agent = EmbeddedSearchAgent(Tools("get_openapi_spec"))
    inputs = {**inputs_of("evidence_search"), "with_history": True, "api_document": "openapi.yaml"}
    result: Any = (await asked(agent, inputs)).result
    kinds = {piece["kind"]: (piece["path"], piece["lines"]) for piece in result["evidence"]}
    assert kinds == {"document": ("README.md", [1, 1]), "history": ("textkit.py", [4, 8])}
    assert result["evidence"][0]["examples"][0]["want"] == "'hello-world'"
    assert result["not_searched"] == ["get_openapi_spec is broken"]


@pytest.mark.feature("D-02")
async def test_a_search_whose_tools_all_fail_says_what_nothing_was_found_for() -> None:
    inputs = {**inputs_of("evidence_search"), "queries": ["slugify dashes", "fold"]}
    result: Any = (await asked(EmbeddedSearchAgent(Tools("get_codebase_context")), inputs)).result
    assert (result["evidence"], result["text"]) == ([], "No results found for: slugify dashes; fold")
    assert result["not_searched"] == ["get_codebase_context is broken"]


@pytest.mark.feature("D-02")
async def test_an_api_document_gives_the_statuses_of_its_operations() -> None:
    inputs = {**inputs_of("evidence_search"), "api_document": "openapi.yaml"}
    result: Any = (await asked(EmbeddedSearchAgent(Tools()), inputs)).result
    [api] = [piece for piece in result["evidence"] if piece["kind"] == "api"]
    assert (api["title"], [one["want"] for one in api["examples"]]) == ("POST /orders", ["201", "400"])
    assert (api["id"], api["path"], api["lines"]) == ("openapi.yaml:7-7#POST /orders", "openapi.yaml", [7, 7])


@pytest.mark.feature("D-03")
async def test_the_embedded_judge_names_what_nothing_explains_as_the_next_query() -> None:
    result: Any = (await asked(EmbeddedJudgeAgent(), inputs_of("evidence_judge"))).result
    found = result["assessment"]
    assert (found["sufficient"], found["recommendation"]) == (False, "continue")
    assert found["next_search_queries"] == ["fold documentation usage"]


@pytest.mark.feature("D-04")
async def test_what_two_kinds_of_sources_show_is_confirmed_and_conflicts_become_questions() -> None:
    inputs = inputs_of("evidence_hypothesis")
    [shown] = inputs["evidence"]
    example = {**shown["examples"][0], "path": "tests/test_textkit.py", "kind": "test"}
    tested = {**shown, "kind": "test", "path": "tests/test_textkit.py", "examples": [example]}
    conflict = {"about": "fold", "act": "fold('a')", "one": "1 (a.md:1)", "other": "2 (t.py:3)"}
    result: Any = (
        await asked(EmbeddedHypothesisAgent(), {**inputs, "evidence": [shown, tested], "conflicts": [conflict]})
    ).result
    confidence = {row["statement"]: row["confidence"] for row in result["hypotheses"]}
    assert confidence["slugify('Hello World') is 'hello-world'"] > 0.8
    assert [row["statement"] for row in result["hypotheses"] if row["suspected_defect"]] == [
        "fold('a'): 1 (a.md:1) and 2 (t.py:3) cannot both hold"
    ]
    assert result["knowledge_gaps"] == [
        "Which holds for fold('a'): 1 (a.md:1) or 2 (t.py:3)?",
        "What should fold do? No docstring, document or test says it.",
    ]


@pytest.mark.feature("D-05")
async def test_findings_name_their_sources_by_number() -> None:
    result: Any = (await asked(EmbeddedReportAgent(), inputs_of("evidence_report"))).result
    assert result["report"]["findings"] == ["slugify('Hello World') is 'hello-world' (confirmed) [1]"]
    assert result["report"]["references"][0] == {
        "number": 1,
        "path": "README.md",
        "lines": [1, 9],
        "kind": "document",
        "title": "textkit",
    }


@pytest.mark.feature("D-02")
async def test_a_model_adds_queries_and_the_usual_ones_are_searched_for_as_well() -> None:
    tools = Tools()
    agent = ModelSearchAgent(FakeChat({"queries": ["dashes between words"]}), engine=EmbeddedSearchAgent(tools))
    await asked(agent, inputs_of("evidence_search"))
    # The first one is asked of the documents once more.
    assert tools.queries[:2] == ["dashes between words", "textkit slugify fold"]
    assert len(tools.queries) == 3
    assert tools.queries[2].startswith("dashes between words use usage")


@pytest.mark.feature("D-04")
async def test_a_hypothesis_of_a_model_without_a_source_is_a_guess() -> None:
    rows = [{**HYPOTHESIS, "sources": [7]}, {**HYPOTHESIS, "statement": "it lowers letters", "sources": [1]}]
    agent, _ = with_model("evidence_hypothesis", {"hypotheses": rows, "knowledge_gaps": []})
    result: Any = (await asked(agent, inputs_of("evidence_hypothesis"))).result
    confidence = {row["statement"]: row["confidence"] for row in result["hypotheses"]}
    assert (confidence["it keeps digits"], confidence["it lowers letters"]) == (0.5, 0.95)


@pytest.mark.feature("D-03")
async def test_a_models_scores_decide_whether_the_evidence_is_sufficient() -> None:
    agent, _ = with_model("evidence_judge")
    result: Any = (await asked(agent, inputs_of("evidence_judge"))).result
    assert (result["assessment"]["sufficient"], result["assessment"]["next_search_queries"]) == (False, ["fold usage"])


@pytest.mark.feature("D-05")
async def test_findings_of_a_model_that_name_no_source_are_returned_once_and_then_left_out() -> None:
    answer = {
        "summary": "It makes slugs.",
        "findings": ["It is fast", "It joins [1]", "It hashes [9]"],
        "questions": [],
    }
    agent, chat = with_model("evidence_report", answer, answer)
    result: Any = (await asked(agent, inputs_of("evidence_report"))).result
    assert len(chat.calls) == 2
    assert result["report"]["findings"] == ["It joins [1]"]
    assert result["report"]["questions"] == ["What should fold do? No docstring, document or test says it."]
