"""Agents steer a run by flags, health reports, judgements and memory; each ending is typed, and what was kept stays."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.function_agent import FunctionAgent, Metering
from testwright.agents.contract.protocol import AgentResponse, ResponseStatus, partial_response, success_response
from testwright.agents.control.flags import flags
from testwright.agents.embedded.control.health_agent import EmbeddedHealthAgent
from testwright.agents.embedded.control.lorebook_agent import EmbeddedLorebookAgent
from testwright.agents.embedded.control.summary_agent import EmbeddedSummaryAgent
from testwright.app.own_agents import own_agents
from testwright.core.events import EventType
from testwright.core.usage import Ceilings, ModelBudget
from testwright.graph.control_policy import ControlPolicy
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import ANALYSIS, Bench, bench, generate, plan
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    HandClock,
    plan_agents,
    result_of,
    run_plan,
    specify,
    statuses,
    steps,
    write,
)

TWO_WAVES = plan(generate("a", target="shop/a.py"), generate("b", target="shop/b.py", depends_on=["a"]))
SKIPPED_B = {"a": "completed", "b": "skipped", "verify": "completed", "accept": "completed"}
ENDED = {"a": "completed", "b": "skipped", "verify": "skipped", "accept": "skipped"}


def flagged(result: Any = "so be it", **named: Any) -> AgentResponse:
    return success_response(result, metadata=flags(**named))


async def steered(tmp_path: Path, planned: Any = TWO_WAVES, made: int = 1, **more: Any) -> Any:
    """The end of a plan whose agents answer from a script; `context` and `services` go to the bench."""
    around = {name: more.pop(name) for name in ("context", "services", "checkpointer") if name in more}
    with scripted(**plan_agents([planned], made, **more)) as agents:
        return await run_plan(bench(tmp_path, agents, targets=TARGETS, **around))


@pytest.mark.feature("P-02", "P-08", "P-11")
@pytest.mark.parametrize(
    ("verdict", "ended", "reason"),
    [
        (success_response({"isComplete": True, "reason": "done"}), SKIPPED_B, "completed"),
        (flagged(passes=True), SKIPPED_B, "completed"),
        (success_response({"shouldTerminate": True, "reason": "stop"}), ENDED, "terminated"),
        (flagged(terminate=True), ENDED, "terminated"),
    ],
    ids=["complete", "pass", "should terminate", "terminate"],
)
async def test_a_judge_ends_a_run_early(tmp_path: Path, verdict: AgentResponse, ended: Any, reason: str) -> None:
    state = await steered(tmp_path, judge=[verdict])
    assert (statuses(state), state["exit_reason"]) == (ended, reason)


@pytest.mark.feature("P-02")
async def test_a_judge_that_says_nothing_that_reads_ends_nothing(tmp_path: Path) -> None:
    state = await steered(tmp_path, made=2, judge=[success_response("perhaps")] * 3)
    assert set(statuses(state).values()) == {"completed"}


def warnings(made: Bench) -> list[str]:
    """What the report would warn of."""
    return [data["warning"] for _, _, _, data in made.recorder.events if "warning" in data]


def checked(**policy: Any) -> dict[str, Any]:
    return {"control": ControlPolicy(**policy)}


@pytest.mark.feature("P-05", "P-11")
@pytest.mark.parametrize("mode", ["blocking", "async"])
async def test_a_health_report_ends_the_run_at_the_next_boundary(tmp_path: Path, mode: str) -> None:
    report = success_response({"status": "unhealthy", "warnings": ["it goes in circles"], "terminateHarness": True})
    state = await steered(
        tmp_path,
        made=1 if mode == "blocking" else 2,
        health=[report] if mode == "blocking" else [report] * 1,
        context=checked(health_interval=1 if mode == "blocking" else 4, health_mode=mode),
    )
    assert state["exit_reason"] == "terminated"
    assert state["control"].get("health", {})["status"] == "Critical"


@pytest.mark.feature("P-05")
async def test_health_is_checked_by_interval_and_by_the_share_of_failed_steps(tmp_path: Path) -> None:
    well = success_response({"status": "healthy"})
    await steered(tmp_path, made=2, health=[well] * 2, context=checked(health_interval=2))
    refused = success_response("no spec")
    state = await steered(
        tmp_path / "failing",
        plan(generate("a", target="shop/a.py"), close=False),
        spec=[refused] * 4,
        writer=[],
        analyzer=[],
        health=[success_response("unreadable")],
        context=checked(health_error_ratio=0.5),
    )
    assert state["control"].get("health", {})["status"] == "Unknown"


@pytest.mark.feature("P-05")
async def test_the_health_agent_gets_the_context_of_its_contract(tmp_path: Path) -> None:
    with scripted(**plan_agents([TWO_WAVES], 2, health=[success_response({"status": "healthy"})] * 4)) as agents:
        await run_plan(bench(tmp_path, agents, targets=TARGETS, context=checked(health_interval=1)))
    told = agents["health"].requests[0].inputs or {}
    assert told["visiblePathNames"] == ["b", "verify", "accept"]
    assert (told["turnIndex"], told["lastSelectedPathName"], told["pathCallCounts"]) == (
        1,
        "a",
        {"generate_unit_tests": 1},
    )


@pytest.mark.feature("P-05")
async def test_the_embedded_health_agent_warns_where_one_reason_fails_the_steps(tmp_path: Path) -> None:
    refused = [success_response("no spec")] * 12
    with scripted(planner=[plan(*steps("a", "b", "c"), close=False)], spec=refused, writer=[], analyzer=[]) as agents:
        async with EmbeddedHealthAgent() as health:
            made = bench(
                tmp_path, {**agents, "health": health}, targets=TARGETS, context=checked(health_error_ratio=0.1)
            )
            state = await run_plan(made)
    assert state["control"].get("health", {})["status"] == "Critical"
    assert any(message.startswith("health: Critical") for message in made.recorder.of(EventType.PROGRESS))


@pytest.mark.feature("P-05", "P-08")
async def test_a_health_agent_that_passes_ends_the_making_and_keeps_what_was_made(tmp_path: Path) -> None:
    report = flagged({"status": "healthy"}, passes=True)
    state = await steered(
        tmp_path, health=[report] * 3, context=checked(health_interval=1), goal=[success_response("ok")]
    )
    assert (statuses(state), result_of(state, "b")["exit_reason"]) == (SKIPPED_B, "passed")


@pytest.mark.feature("P-07", "P-12")
async def test_an_agent_that_steers_beside_a_ceiling_costs_no_kept_test(tmp_path: Path) -> None:
    clock = HandClock()

    def slow(request: Any) -> str:
        clock.now = 100.0
        return "what happened"

    with scripted(**plan_agents([TWO_WAVES], 1)) as agents:
        async with FunctionAgent("summary", slow) as summary, FunctionAgent("goal", slow) as goal:
            own = {"summary": summary, "goal": goal, "judge": summary}
            budget = ModelBudget(Ceilings(seconds=100), clock)
            made = bench(tmp_path, {**agents, **own}, targets=TARGETS, services={"budget": budget})
            state = await run_plan(made)
    assert (statuses(state), state["exit_reason"]) == (SKIPPED_B, "budget_exhausted")
    assert [path.name for path in (made.project / "tests/generated").iterdir()] == ["test_a.py"]
    assert any("the judge agent was not asked: the ceiling on time (100 s)" in text for text in warnings(made))


@pytest.mark.feature("P-03", "P-05", "P-07", "B-08")
async def test_no_agent_that_steers_is_asked_beyond_a_ceiling_and_the_report_says_what_was_decided(
    tmp_path: Path,
) -> None:
    asked: list[str] = []
    budget = ModelBudget(Ceilings(tokens=100))

    def spending(role: str) -> Any:
        def answer(request: Any) -> AgentResponse:
            asked.append(role)
            return flagged("unit tests for shop/b.py", terminate=role == "goal") if role != "summary" else dear

        return answer

    dear = success_response("what happened", metadata={"tokens": 100, "cost": 0.25})
    roles = ("summary", "lorebook", "health", "goal", "safety")
    agents = own_agents(
        {role: spending(role) for role in roles}, tmp_path, metering=Metering(budget.require, budget.add)
    )
    risky = generate("b", target="shop/b.py", depends_on=["a"])
    risky["params"]["risk"] = "medium"
    async with AsyncExitStack() as started:
        for agent in agents.values():
            await started.enter_async_context(agent)
        with scripted(**plan_agents([plan(*steps("a"), risky)], 1)) as scripts:
            around = {"context": checked(health_interval=1), "services": {"budget": budget}}
            made = bench(tmp_path, {**scripts, **agents}, targets=TARGETS, **around)
            state = await run_plan(made)
    assert asked == ["summary"], "its answer cost all that there was"
    # Nobody has decided: the run that goes on asks, and validates the goal only then.
    assert (statuses(state)["b"], result_of(state, "b")["exit_reason"]) == ("skipped", "budget_exhausted")
    assert state["exit_reason"] == "budget_exhausted"
    assert [path.name for path in (made.project / "tests/generated").iterdir()] == ["test_a.py"]
    why = "was not asked: the ceiling on tokens (100 tokens) is reached"
    defaults = {
        "lorebook": "what is known about the project stays as it is",
        "health": "the run goes on",
        "safety": "its step is executed only where the user says yes",
    }
    assert {f"the {role} agent {why}; {default}" for role, default in defaults.items()} <= set(warnings(made))


@pytest.mark.feature("P-08")
async def test_what_steering_agents_use_is_spent_by_the_run(tmp_path: Path) -> None:
    used = {"tokens": 10, "cost": 0.25}
    said = {role: [success_response("ok", metadata=used)] * 4 for role in ("summary", "lorebook", "health")}
    said |= {"judge": [success_response("on", metadata=used)] * 3, "goal": [success_response("met", metadata=used)]}
    state = await steered(tmp_path, made=2, context=checked(health_interval=1), **said)
    assert (state["spent"]["tokens"], state["spent"]["cost"]) == (160, 4.0)


@pytest.mark.feature("P-07")
async def test_later_agents_are_told_of_the_turns_before(tmp_path: Path) -> None:
    with scripted(**plan_agents([TWO_WAVES], 2)) as agents:
        async with EmbeddedSummaryAgent() as summary:
            await run_plan(bench(tmp_path, {**agents, "summary": summary}, targets=TARGETS))
    contexts = [request.context for request in agents["spec"].requests]
    assert contexts == [None, {"summary": "a (shop/a.py) completed, 2 tests kept"}]


@pytest.mark.feature("P-07", "P-08")
async def test_a_summary_agent_that_passes_or_terminates_leaves_the_summary_as_it_is(tmp_path: Path) -> None:
    script = [success_response("first"), flagged("second", passes=True), flagged("third", terminate=True)]
    planner = plan_agents([TWO_WAVES], 2, summary=[*script, flagged("fourth", terminate=True, reason="too long")])
    with scripted(**planner) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await run_plan(made)
    assert (state["control"].get("summary"), state["exit_reason"]) == ("first", "completed")
    assert warnings(made)[-1] == "the summary agent ended its update: too long; the summary stays as it is"


@pytest.mark.feature("P-06")
async def test_a_lorebook_agent_is_told_what_the_contract_names(tmp_path: Path) -> None:
    learned = {"compactedThroughTurn": 1, "updates": [{"key": "app", "value": "needs PORT"}], "deletions": []}
    answers = [success_response(learned), *[success_response("nothing new")] * 3]
    with scripted(**plan_agents([TWO_WAVES], 2, lorebook=answers)) as agents:
        await run_plan(bench(tmp_path, agents, targets=TARGETS))
    first, second, *_ = (request.inputs or {} for request in agents["lorebook"].requests)
    assert set(first) == {
        *("turnsSinceLastUpdate", "lastLorebookUpdateTurnIndex", "currentLorebook", "taskContext", "harnessGeneration")
    }
    assert (first["lastLorebookUpdateTurnIndex"], first["currentLorebook"], first["harnessGeneration"]) == (-1, [], 0)
    assert (second["lastLorebookUpdateTurnIndex"], second["harnessGeneration"]) == (1, 1)
    assert [entry["key"] for entry in second["currentLorebook"]] == ["app"]


class Keeper:
    """A lorebook between two runs."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def load(self) -> dict[str, Any]:
        return self.kept

    def keep(self, lorebook: dict[str, Any]) -> None:
        self.kept = lorebook


@pytest.mark.feature("P-06")
async def test_the_next_run_is_told_what_stood_in_the_way_of_the_last(tmp_path: Path) -> None:
    keeper = Keeper()
    contexts: list[Any] = []
    for name, script in (("first", [success_response("no spec")] * 4), ("second", [specify])):
        kept = {"writer": [write], "analyzer": [ANALYSIS]} if name == "second" else {"writer": [], "analyzer": []}
        with scripted(**plan_agents([plan(*steps("a"))], 1, spec=script, **kept)) as agents:
            async with EmbeddedLorebookAgent() as lorebook:
                services = {"lorebook": keeper}
                around = {**agents, "lorebook": lorebook}
                await run_plan(bench(tmp_path / name, around, targets=TARGETS, services=services))
        contexts.append(agents["spec"].requests[0].context)
        noted = [entry["key"] for entry in keeper.kept["entries"]]
        assert noted == (["shop/a.py"] if name == "first" else []), "what no longer stands in the way is forgotten"
    assert contexts[0] is None
    assert contexts[1]["lore"][0]["key"] == "shop/a.py"


@pytest.mark.feature("P-10")
async def test_a_step_in_reserve_is_executed_once_its_predicate_holds(tmp_path: Path) -> None:
    reserve = generate("c", target="shop/c.py")
    reserve["params"]["reveal_when"] = "b_ended"
    planned = plan(*TWO_WAVES["steps"][:2], reserve)
    predicate = {"b_ended": lambda state: any(s["id"] == "b" and s["status"] == "completed" for s in state["plan"])}
    state = await steered(tmp_path, planned, made=3, services={"predicates": predicate})
    assert set(statuses(state).values()) == {"completed"}
    assert next(step for step in state["plan"] if step["id"] == "c")["params"]["revealed"] is True


@pytest.mark.feature("P-10")
async def test_a_step_in_reserve_that_nothing_needs_is_skipped(tmp_path: Path) -> None:
    reserve = generate("c", target="shop/c.py")
    reserve["params"]["reveal_when"] = "nothing_kept"
    state = await steered(tmp_path, plan(*steps("a"), reserve))
    assert result_of(state, "c")["exit_reason"] == "not_revealed"
    assert (statuses(state)["accept"], state["exit_reason"]) == ("completed", "completed")


@pytest.mark.feature("P-10")
@pytest.mark.parametrize("raised", [KeyError("kept"), SystemExit(2)], ids=["error", "exit"])
async def test_a_predicate_that_raises_fails_its_step_and_loses_nothing(tmp_path: Path, raised: BaseException) -> None:
    def broken(state: Any) -> bool:
        state["plan"].clear()
        raise raised

    reserve = generate("b", target="shop/b.py")
    reserve["params"]["reveal_when"] = "broken"
    state = await steered(tmp_path, plan(*steps("a"), reserve), services={"predicates": {"broken": broken}})
    assert (statuses(state)["b"], result_of(state, "b")["failure"]["error"]) == ("failed", "PredicateFailure")
    assert "the predicate 'broken' failed" in result_of(state, "b")["failure"]["message"]
    assert (statuses(state)["accept"], state["exit_reason"]) == ("completed", "partial"), "what was kept is kept"


@pytest.mark.feature("P-04")
@pytest.mark.parametrize("raised", [ValueError("no list"), SystemExit(2)], ids=["error", "exit"])
async def test_a_gate_that_raises_rejects_and_the_other_steps_go_on(tmp_path: Path, raised: BaseException) -> None:
    def gate(request: Any) -> bool:
        raise raised

    risky = generate("b", target="shop/b.py")
    risky["params"]["risk"] = "high"
    async with FunctionAgent("safety", gate) as safety:
        script = {"spec": [specify], "writer": [write], "analyzer": [ANALYSIS]}
        with scripted(**plan_agents([plan(*steps("a"), risky)], 1, **script)) as agents:
            around = {**agents, "safety": safety}
            state = await run_plan(bench(tmp_path, around, targets=TARGETS))
    assert (statuses(state)["b"], result_of(state, "b")["exit_reason"]) == ("skipped", "not_approved")
    failure = result_of(state, "b")["failure"]
    assert (failure["error"], failure["role"]) == ("SafetyAgentFailure", "safety")
    assert failure["message"].startswith("the safety agent failed: ")
    assert type(raised).__name__ in failure["message"]
    assert "--yes" in failure["advice"]
    said = str(next(step for step in state["plan"] if step["id"] == "b")["error_message"])
    assert said == f"not approved: b is declared to be of high risk ({failure['message']})"
    assert (statuses(state)["accept"], state["exit_reason"]) == ("completed", "partial")


@pytest.mark.feature("P-01", "P-11")
@pytest.mark.parametrize("repairs", [0, 2])
async def test_a_broken_plan_is_returned_as_often_as_the_setting_says(tmp_path: Path, repairs: int) -> None:
    broken = {**plan(), "steps": [{"id": "a", "type": "sing", "params": {}}]}
    with scripted(planner=[broken] * (repairs + 1)) as agents:
        around = {"context": checked(planner_repairs=repairs), "services": {"stop_without_planner": True}}
        state = await run_plan(bench(tmp_path, agents, **around))
    assert (state["exit_reason"], (state["failure"] or {})["error"]) == ("plan_failed", "DispatchJsonRepairFailed")


@pytest.mark.feature("P-01")
async def test_the_embedded_planner_takes_the_place_of_a_plan_that_stays_broken(tmp_path: Path) -> None:
    broken = {**plan(), "steps": "all of them"}
    script = plan_agents([broken] * 2, 1, embedded_planner=[plan(*steps("a"))])
    with scripted(**script) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
    assert (state["exit_reason"], statuses(state)["a"]) == ("completed", "completed")


@pytest.mark.feature("C-01")
async def test_steps_of_a_higher_priority_come_first_and_their_agents_are_told(tmp_path: Path) -> None:
    planned = plan(*steps("a", "b"))
    planned["steps"][1]["params"]["priority"] = 9
    with scripted(**plan_agents([planned], 2)) as agents:
        await run_plan(bench(tmp_path, agents, targets=TARGETS))
    asked = [
        (Path((request.inputs or {})["target"]["path"]).stem, request.metadata.priority)
        for request in agents["spec"].requests
    ]
    assert asked == [("b", 9), ("a", 5)]


@pytest.mark.feature("C-02")
async def test_a_pending_answer_is_refused_and_a_cancelled_one_has_no_result(tmp_path: Path) -> None:
    for status, word in ((ResponseStatus.PENDING, "pending"), (ResponseStatus.CANCELLED, "cancelled")):
        with scripted(planner=[AgentResponse(status, result=plan(*steps("a")))]) as agents:
            state = await run_plan(bench(tmp_path / word, agents))
        assert state["exit_reason"] == "plan_failed"
        assert word in (state["failure"] or {})["message"]


@pytest.mark.feature("C-02")
async def test_a_partial_answer_is_used_and_told(tmp_path: Path) -> None:
    with scripted(**plan_agents([partial_response(plan(*steps("a")))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await run_plan(made)
    assert state["exit_reason"] == "completed"
    assert any("answered in part" in message for message in made.recorder.of(EventType.PROGRESS))
