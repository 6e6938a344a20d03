"""The gate before steps of medium and high risk: it rejects by default, and what it rejects never starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from testwright.agents.contract.function_agent import FunctionAgent, Metering
from testwright.agents.contract.protocol import AgentResponse, ResponseStatus, success_response
from testwright.agents.control.flags import flags
from testwright.agents.embedded.control.safety_agent import EmbeddedSafetyAgent
from testwright.agents.llm.control.safety_agent import ModelSafetyAgent
from testwright.core.errors import ModelQuotaExhausted
from testwright.core.events import EventType
from testwright.core.usage import Ceilings, ModelBudget, ModelUsage
from testwright.graph.context import RunContext, providing
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.planning_graph import build_planning_graph
from testwright.graph.planning_graph.planning_state import PlanningAgentState
from testwright.graph.planning_graph.risks import step_descriptors, step_risk
from testwright.graph.running import resume_run
from testwright.reports.build import Outcomes, build_report
from testwright.reports.run_model import Run
from testwright.tests.support.agents.fake_chat import FakeChat
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import bench, generate, plan
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    plan_agents,
    planning,
    result_of,
    run_plan,
    statuses,
    steps,
)


def remote(step_id: str, **params: Any) -> dict[str, Any]:
    step = generate(step_id, target=f"shop/{step_id}.py")
    return {**step, "params": {**step["params"], "base_url": "https://shop.example/api", **params}}


PLANNED = plan(*steps("a"), remote("b"))
RUN = Run(id="r", version="1", root="/shop", started_at="", finished_at="", seconds=0.0)
REJECTED = {"a": "completed", "b": "skipped", "verify": "completed", "accept": "completed"}


async def run_gated(tmp_path: Path, safety: Any, made: int = 1, **policy: Any) -> tuple[Any, Any]:
    """A plan of one harmless step and one that reaches a host, with this safety agent."""
    with scripted(**plan_agents([PLANNED], made)) as agents:
        gate = {} if safety is None else {"safety": safety}
        surroundings = bench(
            tmp_path,
            {**agents, **gate},
            targets=TARGETS,
            context={"control": ControlPolicy(**policy)},
            services={"ask": policy.pop("ask")} if "ask" in policy else None,
        )
        return await run_plan(surroundings), surroundings


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(
    "answer",
    [
        success_response({"safe": False, "reason": "Path would write to filesystem without sandboxing."}),
        success_response({"safe": "true", "reason": "a text is no boolean"}),
        success_response({"safe": 1}),
        success_response('```json\n{"safe": true}\n```'),
        success_response("it is safe"),
        success_response({"safe": True}, metadata=flags(terminate=True)),
    ],
    ids=["false", "text", "number", "fence", "prose", "terminate"],
)
async def test_a_step_is_executed_only_when_its_approval_is_a_boolean(tmp_path: Path, answer: AgentResponse) -> None:
    with scripted(safety=[answer]) as gate:
        state, made = await run_gated(tmp_path, gate["safety"])
    assert statuses(state) == REJECTED
    assert result_of(state, "b")["exit_reason"] == "not_approved"
    assert "b started" not in made.recorder.of(EventType.STEP_STARTED)


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(
    "answer",
    [success_response({"safe": True}), success_response("well then", metadata=flags(passes=True))],
    ids=["true", "pass"],
)
async def test_an_approved_step_is_executed(tmp_path: Path, answer: AgentResponse) -> None:
    with scripted(safety=[answer]) as gate:
        state, _ = await run_gated(tmp_path, gate["safety"], made=2)
    assert set(statuses(state).values()) == {"completed"}


@pytest.mark.feature("P-04", "C-02")
async def test_a_cancelled_answer_approves_nothing_whatever_its_flags(tmp_path: Path) -> None:
    cancelled = AgentResponse(ResponseStatus.CANCELLED, metadata=flags(passes=True))
    with scripted(safety=[cancelled]) as gate:
        state, _ = await run_gated(tmp_path, gate["safety"])
    assert statuses(state) == REJECTED


@pytest.mark.feature("P-04", "P-11")
async def test_a_safety_agent_whose_model_fails_rejects_and_its_failure_is_named(tmp_path: Path) -> None:
    failure = ModelQuotaExhausted("openai:strict has no quota left", advice="Top up the account.")
    async with ModelSafetyAgent(FakeChat(failure), engine=EmbeddedSafetyAgent()) as gate:
        state, made = await run_gated(tmp_path, gate, consented=("requests_host",))
    assert statuses(state) == REJECTED
    found = result_of(state, "b")["failure"]
    assert (found["error"], found["role"], found["cause"]) == ("SafetyAgentFailure", "safety", "ModelQuotaExhausted")
    assert found["message"] == "the safety agent failed: openai:strict has no quota left"
    assert found["advice"] == "Top up the account. --yes approves every step without asking."
    report = build_report(RUN, Outcomes(request="cover the shop", plan=[dict(step) for step in state["plan"]]))
    assert any(found["message"] in line and line.endswith(found["advice"]) for line in report.advice)
    assert any(found["message"] in str(data.get("warning")) for *_, data in made.recorder.events)


@pytest.mark.feature("P-04", "P-11")
async def test_a_plan_with_a_rejected_step_is_not_complete(tmp_path: Path) -> None:
    state, _ = await run_gated(tmp_path, None)
    assert (state["status"], state["exit_reason"]) == ("failed", "partial")


@pytest.mark.feature("P-04")
async def test_only_flags_count_where_the_json_contract_is_off(tmp_path: Path) -> None:
    with scripted(safety=[success_response({"safe": True})]) as gate:
        state, _ = await run_gated(tmp_path, gate["safety"], safety_json=False)
    assert statuses(state) == REJECTED


@pytest.mark.feature("P-04")
async def test_a_function_may_be_the_gate(tmp_path: Path) -> None:
    asked: list[str] = []

    def approve(request: Any) -> bool:
        asked.append(request.inputs["step"]["riskLevel"])
        return request.inputs["step"]["id"] == "b"

    async with FunctionAgent("safety", approve) as gate:
        state, _ = await run_gated(tmp_path, gate, made=2)
    assert (set(statuses(state).values()), asked) == ({"completed"}, ["high"])


@pytest.mark.feature("P-04")
async def test_nothing_risky_is_executed_without_an_agent(tmp_path: Path) -> None:
    state, made = await run_gated(tmp_path, None)
    assert statuses(state) == REJECTED
    assert "not approved: b sends requests to shop.example" in "\n".join(made.recorder.of(EventType.PROGRESS))


@pytest.mark.feature("P-04")
async def test_consent_to_everything_approves_without_a_question(tmp_path: Path) -> None:
    state, _ = await run_gated(tmp_path, None, made=2, consented=("all",))
    assert set(statuses(state).values()) == {"completed"}


@pytest.mark.feature("P-04")
async def test_the_embedded_gate_approves_what_the_user_has_consented_to(tmp_path: Path) -> None:
    async with EmbeddedSafetyAgent() as gate:
        state, _ = await run_gated(tmp_path, gate, made=2, consented=("requests_host",))
    assert set(statuses(state).values()) == {"completed"}


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(("says_yes", "made"), [(True, 2), (False, 1)])
async def test_the_user_decides_where_one_can_be_asked(tmp_path: Path, says_yes: bool, made: int) -> None:
    questions: list[str] = []

    async def ask(question: str) -> bool:
        questions.append(question)
        return says_yes

    with scripted(**plan_agents([PLANNED], made)) as agents:
        async with EmbeddedSafetyAgent() as gate:
            surroundings = bench(tmp_path, {**agents, "safety": gate}, targets=TARGETS, services={"ask": ask})
            state = await run_plan(surroundings)
    assert (statuses(state)["b"], questions) == (
        "completed" if says_yes else "skipped",
        ["b sends requests to shop.example. Execute it?"],
    )


@pytest.mark.feature("P-04", "T-19")
@pytest.mark.parametrize(("answer", "made_of"), [(True, 2), (False, 1), ("yes", 1)])
async def test_a_graph_around_ours_is_interrupted_by_the_question_and_goes_on_with_its_answer(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, answer: Any, made_of: int
) -> None:
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    outer: Any = StateGraph(PlanningAgentState, context_schema=RunContext)
    outer.add_node("write_tests", build_planning_graph())
    outer.add_edge(START, "write_tests")
    graph, thread = outer.compile(checkpointer=checkpointer), {"configurable": {"thread_id": "mine"}}
    with scripted(**plan_agents([PLANNED], made_of)) as agents:
        async with EmbeddedSafetyAgent() as gate:
            made = bench(tmp_path, {**agents, "safety": gate}, targets=TARGETS, services={"interrupts": True})
            with providing(made.context, made.services):
                stopped = await graph.ainvoke(planning(), thread, context=made.context)
                [asked] = stopped["__interrupt__"]
                ended = await graph.ainvoke(Command(resume=answer), thread, context=made.context)
    assert (asked.value["step"], asked.value["question"]) == ("b", "b sends requests to shop.example. Execute it?")
    assert asked.value["risk"]["level"] == "high"
    assert statuses(ended) == (dict.fromkeys(REJECTED, "completed") if answer is True else REJECTED)
    assert not [entry for entry in made.recorder.attempts if entry.role == "check_safety"], "a question is no fault"


@pytest.mark.feature("P-04", "B-08")
@pytest.mark.parametrize(("verdict", "made_of"), [(True, 2), (False, 1)])
async def test_a_step_that_a_ceiling_left_undecided_is_asked_about_by_a_run_with_a_higher_one(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, verdict: bool, made_of: int
) -> None:
    budget, asked = ModelBudget(Ceilings(tokens=100)), list[str]()
    budget.add(ModelUsage("planner", "mine", calls=1, tokens_in=100))

    def decide(request: Any) -> bool:
        asked.append(request.inputs["step"]["id"])
        return verdict

    with scripted(**plan_agents([PLANNED], made_of)) as agents:
        async with FunctionAgent("safety", decide, metering=Metering(budget.require)) as gate:
            around, services = {**agents, "safety": gate}, {"budget": budget, "model_roles": frozenset({"spec"})}
            made = bench(tmp_path, around, targets=TARGETS, checkpointer=checkpointer, services=services)
            stopped = await run_plan(made)
            assert (asked, statuses(stopped)["b"], stopped["exit_reason"]) == ([], "skipped", "budget_exhausted")
            assert "b started" not in made.recorder.of(EventType.STEP_STARTED), "nobody has approved it"
            assert "a ceiling leaves no room to ask" in str(message_of(stopped, "b"))
            budget.replace_ceilings(Ceilings(tokens=10_000))
            resumed = await resume_run(made.context, made.services)
            again = await resume_run(made.context, made.services)
    assert asked == ["b"], "what was decided is not asked again"
    assert statuses(resumed) == (dict.fromkeys(REJECTED, "completed") if verdict else REJECTED) == statuses(again)
    assert resumed["exit_reason"] == ("completed" if verdict else "partial")


def message_of(state: Any, step_id: str) -> str | None:
    return next(step["error_message"] for step in state["plan"] if step["id"] == step_id)


@pytest.mark.feature("P-04")
async def test_a_step_that_depends_on_a_rejected_one_is_skipped_too(tmp_path: Path) -> None:
    dependent = generate("c", target="shop/c.py", depends_on=["b"])
    with scripted(**plan_agents([plan(remote("b"), dependent)], 0)) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
    assert result_of(state, "c")["exit_reason"] == "dependency_failed"
    assert state["exit_reason"] == "nothing_kept"


def assessed(step: dict[str, Any], **policy: Any) -> tuple[str, list[str]]:
    risk = step_risk({**step, "status": "pending"}, planning(tests_dir="tests/generated"), ControlPolicy(**policy))  # pyrefly: ignore[bad-unpacking]
    return risk.level, [reason.kind for reason in risk.reasons]


def made(path: str) -> dict[str, Any]:
    result = {"test_path": path, "kept": ["tc_a"], "spec_path": "specs/a.json"}
    return {**generate("a"), "status": "completed", "result": result}


@pytest.mark.feature("P-04")
@pytest.mark.parametrize(
    ("path", "tests_dir", "is_outside"),
    [
        ("tests/generated/test_a.py", "tests/generated", False),
        ("tests/generated/shop/test_a.py", "./tests/generated/", False),
        ("test_a.py", ".", False),
        ("tests/generated/test_a.py", None, False),
        ("e2e/a.spec.ts", "tests/generated", True),
        ("e2e/a.spec.ts", None, True),
        ("tests/generated/../../setup.py", "tests/generated", True),
        ("tests/generated_too/test_a.py", "tests/generated", True),
        ("../test_a.py", ".", True),
        ("/etc/cron.d/test_a.py", ".", True),
    ],
)
@pytest.mark.parametrize("params", [{}, {"test_paths": ["listed"]}], ids=["all", "listed"])
def test_accepting_is_risky_where_a_file_would_land_outside_of_the_folder_of_tests(
    path: str, tests_dir: str | None, is_outside: bool, params: dict[str, Any]
) -> None:
    accept: Any = {"id": "accept", "type": "accept_tests", "status": "pending", "params": params, "result": None}
    if params:
        accept["params"] = {"test_paths": [path]}
    state = {**planning(tests_dir=tests_dir), "plan": [made(path), accept]}
    assert step_risk(accept, state, ControlPolicy()).level == ("medium" if is_outside else "low")  # pyrefly: ignore[bad-argument-type]


@pytest.mark.feature("P-04", "P-10")
@pytest.mark.parametrize(
    ("step", "policy", "expected"),
    [
        (generate("a"), {}, ("low", [])),
        (remote("a", base_url="http://127.0.0.1:8000"), {}, ("low", [])),
        (remote("a", base_url="http://localhost:8000"), {}, ("low", [])),
        (remote("a"), {}, ("high", ["requests_host"])),
        (remote("a", base_url="10.0.0.7:80"), {}, ("high", ["requests_host"])),
        (generate("a"), {"weak_sandbox": True}, ("medium", ["runs_application"])),
        (generate("a"), {"is_paid": True}, ("medium", ["spends_money"])),
        (remote("a", base_url="http://localhost@shop.example"), {}, ("high", ["requests_host"])),
        (remote("a", base_url="", target={"path": "a", "servers": ["10.0.0.7"]}), {}, ("high", ["requests_host"])),
        ({**generate("a"), "params": {"install": "left-pad"}}, {}, ("medium", ["installs"])),
        ({**generate("a"), "params": {"target": {"install": "left-pad"}}}, {}, ("medium", ["installs"])),
        ({**generate("a"), "params": {"risk": "high"}}, {}, ("high", ["declared"])),
    ],
)
def test_a_step_is_as_risky_as_what_it_reaches_beyond_the_sandbox(
    step: dict[str, Any], policy: dict[str, Any], expected: tuple[str, list[str]]
) -> None:
    assert assessed(step, **policy) == expected


@pytest.mark.feature("P-10")
async def test_planners_are_told_of_the_steps_that_a_plan_may_have(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        await run_plan(bench(tmp_path, agents, targets=TARGETS))
    told = (agents["planner"].requests[0].context or {})["paths"]
    assert told == step_descriptors()
    assert {"name", "description", "inputSchema", "hasInternalAgent", "agentTypeName", "riskLevel"} <= set(told[0])
