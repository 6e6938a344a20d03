"""The evidence loop ends as it should, whatever its agents answer, with a report and a typed reason."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import ErrorType, error_response, success_response
from testwright.agents.embedded.evidence.hypothesis_agent import EmbeddedHypothesisAgent
from testwright.agents.embedded.evidence.judge_agent import EmbeddedJudgeAgent
from testwright.agents.embedded.evidence.report_agent import EmbeddedReportAgent
from testwright.agents.embedded.evidence.search_agent import EmbeddedSearchAgent
from testwright.core.events import EventType
from testwright.graph.context import providing
from testwright.graph.evidence_loop import asking
from testwright.graph.evidence_loop.decision import decide, public_names
from testwright.graph.evidence_loop.evidence_graph import build_evidence_graph
from testwright.graph.evidence_loop.state import LoopLimits, new_evidence_state
from testwright.graph.execution_graph.evidence import evidence_update
from testwright.graph.execution_graph.nodes.retrieve_context import retrieve_context
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.mcp.tool_session import make_services
from testwright.tests.support.runs.graph_runs import Bench, bench, runtime_of, testing_state

pytestmark = pytest.mark.feature("D-08")

AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@example.org")
ROLES: tuple[str, ...] = ("evidence_search", "evidence_hypothesis", "evidence_judge", "evidence_report")
NOTHING_FOUND = {"evidence": [], "text": "Found 0 sources:"}
HYPOTHESES = {
    "hypotheses": [{"statement": "f(2) is 4", "confidence": 0.9, "evidence_ids": ["docs/1.md:1-3"]}],
    "knowledge_gaps": ["What should f(-1) do?"],
    "text": "f(2) is 4",
}
REPORT = {
    "report": {"title": "f", "summary": "f doubles.", "findings": ["f(2) is 4 [1]"], "questions": []},
    "text": "f",
}


def found(number: int) -> dict[str, Any]:
    words = " ".join(f"word{number}{letter}" for letter in "abcdefgh")
    piece = {"kind": "document", "path": f"docs/{number}.md", "lines": [1, 3], "title": f"page {number}", "text": words}
    return {"evidence": [piece], "text": "Found 1 source:"}


def judged(score: int = 3, confidence: float = 0.9, **said: Any) -> dict[str, Any]:
    details = {
        "mechanism_score": score,
        "mechanism_reasoning": "as far as it is known",
        "evidence_score": score,
        "evidence_reasoning": "as far as it is known",
    }
    assessment = {"details": details, "confidence": confidence, "next_search_queries": ["more of f"], **said}
    return {"assessment": assessment, "text": "judged"}


async def loop(tmp_path: Path, script: dict[str, list[Any]], clock: Any = None, **limits: Any) -> tuple[Any, Bench]:
    with scripted(**script) as agents:
        made = bench(tmp_path, agents, services={"clock": clock} if clock else None)
        state = new_evidence_state(
            user_request="test f",
            step_id="s1",
            target_info={"module": "f"},
            test_type="unit",
            names=["f"],
            began=made.services.clock(),
            limits=LoopLimits(**limits),
        )
        with providing(made.context, made.services):
            values = await build_evidence_graph().ainvoke(state, context=made.context)
    return values, made


def script(rounds: list[Any], judgements: list[Any], hypotheses: int) -> dict[str, list[Any]]:
    answers = ([*rounds], [HYPOTHESES] * hypotheses, [*judgements], [REPORT])
    return dict(zip(ROLES, answers, strict=True))


def events_of(made: Bench) -> list[EventType]:
    return [kind for kind, *_ in made.recorder.events if kind not in (EventType.STREAMING, EventType.THINKING)]


@pytest.mark.feature("D-03", "D-07")
async def test_a_judge_that_approves_at_once_ends_the_loop_after_one_round(tmp_path: Path) -> None:
    values, made = await loop(tmp_path, script([found(1)], [judged(8)], 1))
    assert (values["exit_reason"], values["rounds"]) == ("approved", 1)
    assert events_of(made) == [
        EventType.SEARCHING,
        EventType.SEARCH_COMPLETE,
        EventType.HYPOTHESIZING,
        EventType.JUDGING,
        EventType.JUDGE_COMPLETE,
        EventType.SYNTHESIZING,
    ]
    data = {kind: data for kind, _, _, data in made.recorder.events}
    assert data[EventType.SEARCHING] == {"agent_id": "evidence_search"}
    assert data[EventType.SEARCH_COMPLETE] == {"evidence": 1}
    assert data[EventType.JUDGE_COMPLETE]["assessment"]["sufficient"] is True
    assert data[EventType.STREAMING] == {"text": "f", "agent_id": "evidence_report"}


@pytest.mark.feature("D-03")
async def test_a_judge_that_never_approves_is_asked_five_times_and_names_what_is_searched_next(tmp_path: Path) -> None:
    rounds = [found(number) for number in range(1, 6)]
    values, made = await loop(tmp_path, script(rounds, [judged()] * 5, 5))
    assert (values["exit_reason"], values["rounds"]) == ("max_rounds", 5)
    searches = list(made.services.agents["evidence_search"].requests)  # pyrefly: ignore[missing-attribute]
    assert searches[1].inputs["queries"] == ["more of f"]
    assert values["report"]["summary"] == "f doubles."


async def test_three_rounds_in_a_row_without_anything_new_end_the_loop(tmp_path: Path) -> None:
    rounds = [found(1), found(1), NOTHING_FOUND, found(1)]
    values, _ = await loop(tmp_path, script(rounds, [judged()] * 4, 1))
    assert (values["exit_reason"], values["rounds"], values["stalls"]) == ("stalled", 4, 3)


async def test_something_new_ends_a_stall(tmp_path: Path) -> None:
    rounds = [found(1), found(1), found(1), found(2), found(2)]
    values, _ = await loop(tmp_path, script(rounds, [judged()] * 5, 2))
    assert (values["exit_reason"], values["stalls"]) == ("max_rounds", 1)


@pytest.mark.feature("D-03")
async def test_the_numbers_of_a_judge_that_contradicts_itself_decide(tmp_path: Path) -> None:
    first = judged(9, 0.5, sufficient=True, recommendation="synthesize")
    second = judged(9, 0.9, sufficient=False, recommendation="continue")
    values, _ = await loop(tmp_path, script([found(1), found(2)], [first, second], 2))
    assert (values["exit_reason"], values["rounds"]) == ("approved", 2)
    assert "the judge said sufficient=True, its scores say False" in values["warnings"]
    assert "the judge said continue, its scores say synthesize" in values["warnings"]


async def test_a_report_that_takes_too_long_is_written_without_the_model(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(asking, "GRACE_SECONDS", 0.05)

    async def call(*_: Any, constraints: Any = None, **__: Any) -> Any:
        if constraints is None:
            await asyncio.Event().wait()
        return success_response(REPORT)

    monkeypatch.setattr(asking, "call_agent", call)
    monkeypatch.setattr(asking, "seconds_left", lambda *_: 0.0)
    state: Any = {"exit_reason": "approved", "step_id": "s1", "usage": {"tokens": 0}}
    with scripted(**{role: [] for role in ROLES}) as agents:
        made = bench(tmp_path, agents)
        monkeypatch.setattr(asking, "services_of", lambda _: made.services)
        result, update = await asking.ask(state, None, "evidence_report", "write_report", {}, is_last=True)  # pyrefly: ignore[bad-argument-type]
    assert result == REPORT
    assert "took too long" in update["warnings"][0]


async def test_a_loop_whose_time_is_over_asks_no_further_agent_but_for_the_report(tmp_path: Path) -> None:
    now = [0.0]

    def slow(request: Any) -> dict[str, Any]:
        now[0] += 700
        return found(1)

    answers = dict(zip(ROLES, ([slow], [], [], [REPORT]), strict=True))
    values, made = await loop(tmp_path, answers, clock=lambda: now[0])
    assert (values["exit_reason"], values["report"]["references"][0]["path"]) == ("timeout", "docs/1.md")
    asked = made.services.agents["evidence_report"].requests[0]  # pyrefly: ignore[missing-attribute]
    assert asked.constraints == {"without_model": True}


async def test_a_loop_that_has_used_its_tokens_asks_no_further_model(tmp_path: Path) -> None:
    costly = success_response(found(1), metadata={"tokens": 50_000})
    answers = {
        "evidence_search": [costly],
        "evidence_hypothesis": [],
        "evidence_judge": [],
        "evidence_report": [REPORT],
    }
    values, made = await loop(tmp_path, answers)
    assert values["exit_reason"] == "token_budget"
    assert values["usage"]["tokens"] == 50_000
    asked = made.services.agents["evidence_report"].requests[0]  # pyrefly: ignore[missing-attribute]
    assert asked.constraints == {"without_model": True}


async def test_an_agent_that_fails_with_its_model_is_asked_without_it(tmp_path: Path) -> None:
    broken = error_response(ErrorType.VALIDATION, "the answer is no JSON", recoverable=False)
    answers = script([found(1)], [broken, judged(8)], 1)
    values, made = await loop(tmp_path, answers)
    assert values["exit_reason"] == "approved"
    second = made.services.agents["evidence_judge"].requests[1]  # pyrefly: ignore[missing-attribute]
    assert second.constraints == {"without_model": True}
    assert any("the answer is no JSON" in warning for warning in values["warnings"])


@pytest.mark.feature("D-05")
async def test_without_a_report_agent_that_answers_the_memory_is_the_report_and_sources_keep_their_numbers(
    tmp_path: Path,
) -> None:
    broken = error_response(ErrorType.VALIDATION, "no", recoverable=False)
    answers = {**script([found(1)], [judged(8)], 1), "evidence_report": [broken, broken]}
    values, _ = await loop(tmp_path, answers)
    assert values["report"]["references"] == [
        {"number": 1, "path": "docs/1.md", "lines": [1, 3], "kind": "document", "title": "page 1"}
    ]
    assert values["report"]["questions"] == ["What should f(-1) do?"]
    assert "1 source," in values["report"]["summary"]


@pytest.mark.feature("D-02")
async def test_a_judge_gets_no_more_than_thirty_pieces(tmp_path: Path) -> None:
    many = {"evidence": [found(number)["evidence"][0] for number in range(40)], "text": "many"}
    values, made = await loop(tmp_path, script([many], [judged(8)], 1))
    asked = made.services.agents["evidence_judge"].requests[0]  # pyrefly: ignore[missing-attribute]
    assert len(asked.inputs["evidence"]) == 30
    assert len(values["report"]["references"]) == 40


async def test_pieces_that_cannot_be_read_are_left_out_and_named(tmp_path: Path) -> None:
    odd = {"evidence": [*found(1)["evidence"], {"kind": "rumour"}], "text": ""}
    values, _ = await loop(tmp_path, script([odd], [judged(8)], 1))
    assert "evidence_search: 1 piece of evidence could not be read" in values["warnings"]


def test_auto_collects_evidence_only_where_a_document_or_a_test_uses_the_target() -> None:
    inside = {"kind": "function", "path": "f.py", "text": "def f(x): return f(x - 1)"}
    mention = {"kind": "section", "path": "README.md", "text": "The module f is fast."}
    use = {"kind": "section", "path": "README.md", "text": "Call `f(2)`."}
    assert not decide("auto", ["f"], [inside, mention], of_api=False).runs
    assert decide("auto", ["f"], [inside, use], of_api=False).reason == "README.md uses it"
    assert not decide("off", ["f"], [use], of_api=False).runs
    assert decide("on", [], [], of_api=False).runs
    asked = {"kind": "test", "path": "test_api.py", "text": "assert client.get('/').status_code == 200"}
    assert (decide("auto", [], [asked], of_api=True).runs, decide("auto", [], [asked], of_api=False).runs) == (
        True,
        False,
    )


def test_names_are_those_that_the_tests_are_to_be_about() -> None:
    symbols = [
        {"qualname": "Cart", "public": True, "summary": "Holds items."},
        {"qualname": "Cart.add", "public": True, "summary": ""},
        {"qualname": "Cart.__len__", "public": True, "summary": ""},
        {"qualname": "_sum", "public": False, "summary": ""},
        {"qualname": "total", "public": True, "summary": "Adds."},
    ]
    assert public_names({"symbols": symbols}, None) == (["Cart", "add", "total"], ["add"])
    assert public_names({"symbols": symbols}, ["Cart"]) == (["Cart", "add"], ["add"])


API_PROJECT = {
    "README.md": "# Orders\n\n## Usage\n\n`POST /orders` answers 201.\n\nCall `charge(4)`: `charge(4)` returns `8`.\n",
    "src/shop/orders.py": 'def charge(units: int) -> int:\n    """Charge twice."""\n    return 2 * units\n',
    "tests/test_orders.py": (
        "from shop.orders import charge\n\n\n"
        "def test_charge(client):\n    assert client.post('/orders').status_code == 422\n    assert charge(2) == 4\n"
    ),
    "openapi.yaml": (
        "openapi: 3.0.3\ninfo: {title: Orders, version: '1'}\npaths:\n  /orders:\n"
        "    get:\n      responses: {'200': {description: ok}}\n"
        "    post:\n      responses: {'201': {description: made}, '400': {description: bad}}\n"
    ),
}


def committed(root: Path) -> None:
    for words in (["init", "-q"], ["add", "."], [*AUTHOR, "commit", "-qm", "Charge twice"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)


@pytest.mark.feature("D-02", "D-06")
@pytest.mark.parametrize("test_type", ["unit", "api", "integration"])
async def test_code_documents_tests_history_and_the_api_document_are_collected_each_at_its_place(
    tmp_path: Path, test_type: str
) -> None:
    services = make_services(tmp_path, API_PROJECT)
    committed(services.root)
    target = {"path": "src/shop/orders.py", "module": "shop.orders", "import_root": "src", "endpoint": "openapi.yaml"}
    request = "cover the orders of openapi.yaml"
    async with ToolClient(build_toolbox(services)) as tools, AsyncExitStack() as started:
        agents = {
            "evidence_search": EmbeddedSearchAgent(tools),
            "evidence_hypothesis": EmbeddedHypothesisAgent(),
            "evidence_judge": EmbeddedJudgeAgent(),
            "evidence_report": EmbeddedReportAgent(),
        }
        for agent in agents.values():
            await started.enter_async_context(agent)
        made = bench(tmp_path, agents, context={"evidence": "on"})
        live = replace(made.services, tools=tools)
        state = testing_state(test_type=test_type, target=target, user_request=request)
        with providing(made.context, live):
            update = await retrieve_context(state, runtime_of(made))
    places = {(piece["kind"], piece["path"], tuple(piece["lines"])) for piece in update["evidence"]["pieces"]}
    assert {("api", "openapi.yaml", (5, 5)), ("api", "openapi.yaml", (7, 7))} <= places
    assert ("history", "src/shop/orders.py", (1, 3)) in places
    found = {(kind, path) for kind, path, _ in places}
    assert {("code", "src/shop/orders.py"), ("document", "README.md"), ("test", "tests/test_orders.py")} <= found
    assert all(1 <= first <= last for _, _, (first, last) in places)
    assert (update["evidence"]["rounds"], update["evidence"]["exit_reason"]) != (0, None)
    assert update["evidence"]["report"]["references"]
    [question] = [text for text in update["evidence"]["report"]["questions"] if "POST /orders" in text]
    assert "400 (openapi.yaml:7)" in question
    assert "422 (tests/test_orders.py:5)" in question


@pytest.mark.feature("D-07")
@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("auto", "no document and no test uses it, so the engine needs nothing besides its code"),
        ("off", "the setting evidence is off"),
    ],
)
async def test_what_is_decided_about_a_target_without_a_loop_is_told(tmp_path: Path, setting: str, why: str) -> None:
    silent = {role: [] for role in ROLES}
    with scripted(**silent) as agents:
        answers = {"get_codebase_context": [{"snippets": []}]} if setting == "auto" else {}
        made = bench(tmp_path, agents, scripts=answers, context={"evidence": setting})
        found = {"ast_analysis": None, "codebase_context": None, "openapi": None}
        with providing(made.context, made.services):
            update = await evidence_update(testing_state(), runtime_of(made), found)
    assert update["evidence"] == {"decision": {"runs": False, "reason": why}}
    [(kind, message, _, data)] = made.recorder.events
    assert (kind, message) == (EventType.PROGRESS, f"no evidence is collected: {why}")
    assert data["evidence"] == {"runs": False, "reason": why}
