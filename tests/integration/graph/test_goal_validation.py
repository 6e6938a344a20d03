"""The end of a plan: the goal agent compares it with the request, and its critique becomes further steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.function_agent import FunctionAgent, Metering
from testwright.agents.contract.lifecycle import Agent
from testwright.agents.contract.protocol import AgentResponse, ErrorType, error_response, success_response
from testwright.agents.control.flags import flags
from testwright.agents.embedded.control.goal_agent import EmbeddedGoalAgent
from testwright.agents.llm.control.goal_agent import ModelGoalAgent
from testwright.app.own_agents import own_agents
from testwright.core.events import EventType
from testwright.core.outcome import exit_code_of
from testwright.core.usage import Ceilings, ModelBudget, ModelUsage
from testwright.graph.context import providing
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.critique_scope import outside_request
from testwright.graph.planning_graph.plan_check import check_plan
from testwright.graph.planning_graph.steering import untested
from testwright.graph.running import resume_run
from testwright.tests.support.agents.fake_chat import FakeChat
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import ANALYSIS, bench, generate, plan, runtime_of
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    plan_agents,
    planning,
    run_plan,
    specify,
    statuses,
    steps,
    write,
)

EXAMPLE = Path(__file__).parents[3] / "examples/agents"
PLANNED = plan(*steps("a"))
CONTENT = success_response("all parts are met")
UNPLANNED = {"steps": [], "understood": [], "not_understood": [], "skipped": []}
ASKED = plan(*steps("a", "b"))
"""What the embedded planner reads in "cover the shop"."""


def critique(text: str) -> AgentResponse:
    return success_response(text, metadata=flags(terminate=True))


def agents(**more: Any) -> dict[str, Any]:
    return plan_agents([PLANNED], 1, **more)


def accepted_files(project: Path) -> list[str]:
    return sorted(path.name for path in (project / "tests/generated").iterdir())


def failures_told(made: Any) -> list[int]:
    """The numbers of the failures that events name."""
    told = [data["goal_failures"] for *_, data in made.recorder.events if "goal_failures" in data]
    said = [message for message in made.recorder.of(EventType.PROGRESS) if message.startswith("goal validation failed")]
    assert len(told) == len(said)
    return told


@pytest.mark.feature("P-03")
async def test_a_plan_that_meets_its_request_ends_as_it_did(tmp_path: Path) -> None:
    with scripted(**agents(goal=[CONTENT])) as made_of:
        state = await run_plan(bench(tmp_path, made_of, targets=TARGETS))
    assert (state["status"], state["exit_reason"]) == ("completed", "completed")


@pytest.mark.feature("P-03")
async def test_the_goal_agent_learns_the_request_the_steps_and_the_judges_verdict(tmp_path: Path) -> None:
    with scripted(**agents(goal=[CONTENT])) as made_of:
        await run_plan(bench(tmp_path, made_of, targets=TARGETS))
    inputs = made_of["goal"].requests[0].inputs or {}
    assert (inputs["request"], inputs["judgeVerdict"]) == ("cover the shop", "isComplete=true")
    assert inputs["rawHistorySize"] == len(inputs["history"]) > 0
    assert [(row["id"], row["kept"]) for row in inputs["steps"]] == [("a", 2), ("verify", 1), ("accept", 0)]


@pytest.mark.feature("P-03", "P-12")
async def test_a_critique_goes_back_into_the_plan_as_steps_that_are_executed(tmp_path: Path) -> None:
    further = plan(generate("b", target="shop/b.py"))
    more = {"spec": [specify] * 2, "writer": [write] * 2, "analyzer": [ANALYSIS] * 2}
    script = plan_agents([PLANNED, further], 2, goal=[critique("unit tests for shop/b.py"), CONTENT], **more)
    script["embedded_planner"] = [ASKED]
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert (made_of["planner"].requests[1].inputs or {})["user_request"] == "unit tests for shop/b.py"
    assert statuses(state) == dict.fromkeys(
        ("a", "verify", "accept", "goal1_b", "goal1_verify", "goal1_accept"), "completed"
    )
    assert (state["exit_reason"], accepted_files(made.project)) == ("completed", ["test_a.py", "test_b.py"])


@pytest.mark.feature("P-03", "P-11")
async def test_a_goal_agent_that_is_never_content_ends_the_run_after_more_than_three_failures(tmp_path: Path) -> None:
    script = plan_agents([PLANNED, *[UNPLANNED] * 4], 1, goal=[critique("more tests")] * 4)
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert (state["status"], state["exit_reason"]) == ("failed", "goal_validation_failed")
    assert state["control"].get("goal_failures") == 4
    assert failures_told(made) == [1, 2, 3, 4]
    assert accepted_files(made.project) == ["test_a.py"], "what was kept stays"
    assert exit_code_of("goal_validation_failed") == 7  # pyrefly: ignore[bad-argument-type]


@pytest.mark.feature("P-03")
async def test_the_number_of_critiques_that_are_taken_up_is_a_setting(tmp_path: Path) -> None:
    further = plan(generate("b", target="shop/b.py"))
    script = plan_agents([PLANNED, further], 1, goal=[critique("more")], embedded_planner=[ASKED])
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS, context={"control": ControlPolicy(max_goal_failures=0)})
        state = await run_plan(made)
    assert (list(statuses(state)), state["exit_reason"]) == (["a", "verify", "accept"], "goal_validation_failed")
    assert len(made.recorder.of(EventType.PLAN_READY)) == 1, "what is not taken up is not announced"


@pytest.mark.feature("P-03")
async def test_steps_that_were_done_already_are_not_planned_again(tmp_path: Path) -> None:
    script = plan_agents([PLANNED, PLANNED], 1, goal=[critique("test shop/a.py"), CONTENT])
    with scripted(**script) as made_of:
        state = await run_plan(bench(tmp_path, made_of, targets=TARGETS))
    assert (list(statuses(state)), state["exit_reason"]) == (["a", "verify", "accept"], "completed")


REFUSED = [success_response("no spec")] * 4


@pytest.mark.feature("P-03", "P-11")
async def test_a_step_of_a_critique_that_fails_takes_nothing_from_the_run(tmp_path: Path) -> None:
    further = plan(generate("b", target="shop/b.py"))
    script = plan_agents([PLANNED, further], 1, goal=[critique("unit tests for shop/b.py"), CONTENT])
    with scripted(**{**script, "spec": [specify, *REFUSED], "embedded_planner": [ASKED]}) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert statuses(state)["goal1_b"] == "failed"
    assert (state["exit_reason"], accepted_files(made.project)) == ("completed", ["test_a.py"])


@pytest.mark.feature("P-03", "C-06")
async def test_a_step_that_failed_is_done_again_where_the_goal_agent_of_the_example_asks_for_it(tmp_path: Path) -> None:
    script = plan_agents([PLANNED, PLANNED], 1, spec=[*REFUSED, specify])
    with scripted(**script) as made_of:
        async with own_agents({"goal": "own_agents:EveryModule"}, EXAMPLE)["goal"] as goal:
            made = bench(tmp_path, {**made_of, "goal": goal}, targets=TARGETS)
            state = await run_plan(made)
    assert (made_of["planner"].requests[1].inputs or {})["user_request"] == "unit tests for shop/a.py"
    assert (statuses(state)["a"], statuses(state)["goal1_a"]) == ("failed", "completed")
    assert (state["exit_reason"], accepted_files(made.project)) == ("completed", ["test_a.py"])


def wider(test_type: str, target: str, *symbols: str) -> dict[str, Any]:
    """A plan of one step beyond that of the request, and one within it."""
    step = generate("b", target=target)
    step["params"]["target"]["symbols"] = list(symbols) or None
    return plan({**step, "type": f"generate_{test_type}_tests"})


@pytest.mark.feature("P-03")
@pytest.mark.parametrize(
    ("further", "suggestion"),
    [
        (wider("unit", "shop/c.py"), "unit tests for shop/c.py"),
        (wider("api", "shop/a.py"), "api tests for shop/a.py"),
        (wider("unit", "shop/c.py", "total", "Cart.add"), "unit tests for shop/c.py (total, Cart.add)"),
    ],
    ids=["another module", "another test type", "functions of another module"],
)
@pytest.mark.parametrize("most", [3, 0])
async def test_what_a_critique_asks_for_beyond_the_request_is_suggested_and_not_planned(
    tmp_path: Path, further: Any, suggestion: str, most: int
) -> None:
    script = plan_agents([PLANNED, further], 1, goal=[critique("and more")], embedded_planner=[ASKED])
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS, context={"control": ControlPolicy(max_goal_failures=most)})
        state = await run_plan(made)
    assert (list(statuses(state)), state["exit_reason"]) == (["a", "verify", "accept"], "completed")
    assert state["control"].get("suggestions") == [suggestion]
    said = ["the goal agent asks for more: and more", f"outside of the request, so not planned: {suggestion}"]
    assert state["logs"][-2:] == said
    assert "goal_failures" not in state["control"], "what was not asked for is not missing"
    assert not failures_told(made), "no event calls it a failure"
    assert accepted_files(made.project) == ["test_a.py"]


@pytest.mark.feature("P-03")
async def test_of_a_critique_that_goes_beyond_the_request_what_lies_within_is_made(tmp_path: Path) -> None:
    further = plan(*steps("b", "c"))
    more = {"goal": [critique("and more"), CONTENT], "embedded_planner": [ASKED]}
    with scripted(**plan_agents([PLANNED, further], 2, **more)) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert list(statuses(state)) == ["a", "verify", "accept", "goal1_b", "goal1_verify", "goal1_accept"]
    assert (state["control"].get("suggestions"), state["exit_reason"]) == (["unit tests for shop/c.py"], "completed")
    assert accepted_files(made.project) == ["test_a.py", "test_b.py"]


@pytest.mark.feature("P-03")
@pytest.mark.parametrize(
    ("asked", "wanted", "lies_within"),
    [
        (None, ["total"], True),
        (["Cart"], ["Cart.add"], True),
        (["Cart"], ["Carton"], False),
        (["Cart"], None, False),
        (["Cart", "total"], ["total", "tax"], False),
    ],
)
async def test_a_request_for_a_part_of_a_module_is_not_widened_to_the_rest(
    tmp_path: Path, asked: list[str] | None, wanted: list[str] | None, lies_within: bool
) -> None:
    first, further = generate("a", target="shop/a.py"), generate("b", target="shop/a.py")
    first["params"]["target"]["symbols"], further["params"]["target"]["symbols"] = asked, wanted
    state = {**planning(), "plan": check_plan(plan(first)["steps"])[0]}
    with scripted() as none:
        made = bench(tmp_path, none)
        with providing(made.context, made.services):
            found = await outside_request(check_plan(plan(further)["steps"])[0], state, runtime_of(made))  # pyrefly: ignore[bad-argument-type]
    assert [step["id"] for step in found] == ([] if lies_within else ["b"])


@pytest.mark.feature("P-03", "P-08")
async def test_a_planner_that_ends_the_run_over_a_critique_ends_it(tmp_path: Path) -> None:
    ends = success_response({"steps": []}, metadata=flags(terminate=True, reason="no more of this"))
    with scripted(**plan_agents([PLANNED, ends], 1, goal=[critique("more")])) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert (state["exit_reason"], (state["failure"] or {})["message"]) == ("terminated", "no more of this")
    assert accepted_files(made.project) == ["test_a.py"]


@pytest.mark.feature("P-03", "P-08")
async def test_a_planner_that_passes_over_a_critique_plans_nothing(tmp_path: Path) -> None:
    passes = success_response(plan(generate("b", target="shop/b.py")), metadata=flags(passes=True))
    with scripted(**plan_agents([PLANNED, passes], 1, goal=[critique("more"), CONTENT])) as made_of:
        state = await run_plan(bench(tmp_path, made_of, targets=TARGETS))
    assert (list(statuses(state)), state["exit_reason"]) == (["a", "verify", "accept"], "completed")


@pytest.mark.feature("P-03", "B-08")
async def test_a_ceiling_over_a_critique_stops_the_run_and_a_higher_one_validates_it_again(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    spent = error_response(ErrorType.RESOURCE, "the ceiling on tokens is reached", details={"exit_code": 6})
    more = {"spec": [specify] * 2, "writer": [write] * 2, "analyzer": [ANALYSIS] * 2}
    goal = [critique("unit tests for shop/b.py")] * 2 + [CONTENT]
    further = plan(generate("b", target="shop/b.py"))
    script = plan_agents([PLANNED, spent, further], 2, goal=goal, embedded_planner=[ASKED], **more)
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS, checkpointer=checkpointer)
        stopped = await run_plan(made)
        resumed = await resume_run(made.context, made.services)
    assert (stopped["status"], stopped["exit_reason"]) == ("failed", "budget_exhausted")
    assert (resumed["exit_reason"], resumed["control"].get("goal_failures")) == ("completed", 1)
    assert accepted_files(made.project) == ["test_a.py", "test_b.py"]


@pytest.mark.feature("P-03", "B-08")
@pytest.mark.parametrize("kind", ["function", "model"])
async def test_a_goal_agent_that_a_ceiling_leaves_unasked_is_asked_by_a_run_with_a_higher_one(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, kind: str
) -> None:
    budget, asked = ModelBudget(Ceilings(tokens=100)), list[Any]()

    def spends(request: Any) -> AgentResponse:
        budget.add(ModelUsage("summary", "mine", calls=1, tokens_in=100))
        return success_response("what happened")

    def met(request: Any) -> AgentResponse:
        asked.append(request)
        return CONTENT

    chat = FakeChat(
        budget.refused("the ceiling on tokens is reached"), {"is_met": True, "critique": "", "reason": "met"}
    )
    goals: dict[str, Agent] = {
        "function": FunctionAgent("goal", met, metering=Metering(budget.require)),
        "model": ModelGoalAgent(chat, engine=EmbeddedGoalAgent()),
    }
    with scripted(**agents()) as made_of:
        async with FunctionAgent("summary", spends) as summary, goals[kind] as goal:
            around = {**made_of, "summary": summary, "goal": goal}
            services = {"budget": budget}
            made = bench(tmp_path, around, targets=TARGETS, checkpointer=checkpointer, services=services)
            stopped = await run_plan(made)
            assert not asked
            budget.replace_ceilings(Ceilings(tokens=10_000))
            resumed = await resume_run(made.context, made.services)
    assert (stopped["exit_reason"], resumed["exit_reason"]) == ("budget_exhausted", "completed")
    warned = [data["warning"] for *_, data in made.recorder.events if "warning" in data]
    assert any(text.startswith("the goal agent was not asked: the ceiling") for text in warned)
    assert any(text.endswith("the request counts as met") for text in warned)
    assert accepted_files(made.project) == ["test_a.py"]
    assert len(asked) + len(chat.calls) == (1 if kind == "function" else 2)


@pytest.mark.feature("P-03", "P-10")
async def test_a_critique_reveals_the_steps_that_were_in_reserve_for_it(tmp_path: Path) -> None:
    reserve, dependent = generate("b", target="shop/b.py"), generate("c", target="shop/c.py", depends_on=["b"])
    reserve["params"]["reveal_when"] = "goal_failed"
    script = plan_agents([plan(*steps("a"), reserve, dependent), UNPLANNED], 3, goal=[critique("more"), CONTENT])
    with scripted(**script) as made_of:
        made = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(made)
    assert set(statuses(state).values()) == {"completed"}
    assert (state["exit_reason"], accepted_files(made.project)) == (
        "completed",
        ["test_a.py", "test_b.py", "test_c.py"],
    )


@pytest.mark.feature("P-03")
async def test_a_goal_agent_that_fails_costs_the_run_nothing_and_is_told(tmp_path: Path) -> None:
    with scripted(**agents(goal=[ValueError("no idea")])) as made_of:
        prepared = bench(tmp_path, made_of, targets=TARGETS)
        state = await run_plan(prepared)
    assert state["exit_reason"] == "completed"
    assert any(
        "the goal agent failed: " in one and "no idea" in one for one in prepared.recorder.of(EventType.PROGRESS)
    )


def row(*names: str, **more: Any) -> dict[str, Any]:
    return {"status": "completed", "test_type": "unit", "path": "shop/a.py", "untested": list(names), **more}


async def embedded_answer(*rows: dict[str, Any], critiques: list[str] | None = None) -> AgentResponse:
    from testwright.agents.contract.protocol import AgentRequest, RequestMetadata

    inputs = {"steps": list(rows), "critiques": critiques or []}
    async with EmbeddedGoalAgent() as agent:
        return await agent.process(AgentRequest("cover", "validate_goal", RequestMetadata("t"), inputs))


@pytest.mark.feature("P-03")
async def test_the_embedded_goal_agent_asks_for_tests_of_functions_that_have_none() -> None:
    response = await embedded_answer(row("total", "Cart.add"), row("skipped", status="skipped"))
    assert response.metadata["terminatePipeline"] is True
    assert response.result == "unit tests for shop/a.py:total, shop/a.py:Cart.add"


@pytest.mark.feature("P-03")
async def test_the_embedded_goal_agent_asks_for_nothing_twice() -> None:
    response = await embedded_answer(row("total"), critiques=["unit tests for shop/a.py:total"])
    assert "terminatePipeline" not in response.metadata


def test_a_function_counts_as_untested_only_where_nothing_explains_it() -> None:
    names = ("plain", "unreached", "dropped", "suspected", "_private", "partly")
    not_taken = [{"subject": name, "reason": "never ran"} for name in names[:-1]]
    not_taken.append({"subject": "partly", "reason": "`if x` was never true"})
    result = {
        "spec_json": {
            "not_reached": [{"subject": "unreached", "reason": "no oracle"}],
            "cases": [{"id": "tc_1", "subject": "dropped"}],
        },
        "dropped": [{"case_id": "tc_1"}],
        "suspected_defects": [{"subject": "suspected"}],
        "test_results": {"coverage": {"files": {"shop/a.py": {"not_taken": not_taken}}}},
    }
    assert list(untested(result, "shop/a.py", None)) == ["plain"]
    assert list(untested(result, "shop/a.py", ["other"])) == []
