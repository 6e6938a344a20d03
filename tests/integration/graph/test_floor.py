"""Whatever a model does, its module gets the engine's tests, and one line says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentRequest, AgentResponse, refusal, success_response
from testwright.core import errors
from testwright.core.events import EventType
from testwright.graph.faults import AgentUnreachable, fault_of
from testwright.graph.planning_graph.planning_state import new_planning_state
from testwright.graph.running import start_run
from testwright.tests.support.agents.scripted_agents import ScriptedAgent
from testwright.tests.support.runs.graph_runs import ANALYSIS, TEST_PATH, bench, files, plan, run_testing_graph, spec

pytestmark = pytest.mark.feature("B-15")

SPEC, FILES = spec("tc_engine"), files(TEST_PATH, "tc_engine")
PROBLEM = {"path": "$.cases", "message": "the cases do what tests may not do", "severity": "error"}
UNUSABLE = refusal("unusable", error="UnusableAnswer", answer_errors=[PROBLEM])
FAILURES: dict[str, Any] = {
    "refuses": errors.ModelAnswerRefused("m refuses: I can't help with that"),
    "is cut": errors.ModelAnswerCut("m's answer reached its limit"),
    "is empty": errors.ModelAnswerEmpty("m answered nothing"),
    "is torn off": errors.ModelAnswerBroken("m's answer was torn off"),
    "is endless": errors.ModelAnswerTooLarge("m's answer has too many characters"),
    "calls a tool": errors.ModelToolUnknown("m called run_shell"),
    "has no quota": errors.ModelQuotaExhausted("m: you exceeded your current quota"),
    "has a wrong key": errors.ModelAccessDenied("m: 401"),
    "is not there": errors.ModelUnknown("m: 404"),
    "reads too little": errors.ModelContextOverflow("m: context length exceeded"),
    "takes no such request": errors.ModelRequestRefused("m: 400"),
    "limits the rate": errors.ModelRateLimited("m: 429"),
    "is broken": errors.ModelServerFault("m: 500"),
    "is too slow": errors.ModelTimeout("m gave no whole answer"),
    "cannot be reached": errors.ModelUnreachable("m cannot be reached"),
    "writes prose": errors.MalformedLlmOutput("the answer is not JSON"),
    "makes the agent stumble": RecursionError("maximum recursion depth exceeded"),
    "breaks the limits": UNUSABLE,
    "has no such key": success_response({"words": []}),
}


class ModelBacked:
    """An agent whose model always does the same, and whose embedded counterpart works."""

    def __init__(self, failure: Any, engine: dict[str, Any]) -> None:
        self._failure, self._engine = failure, engine
        self.asked = 0

    async def process(self, request: AgentRequest) -> AgentResponse:
        if (request.constraints or {}).get("without_model"):
            return success_response(self._engine)
        self.asked += 1
        if isinstance(self._failure, Exception):
            raise self._failure
        if isinstance(self._failure, AgentResponse):
            return self._failure
        answer: AgentResponse = self._failure(request)
        return answer


async def run_with(tmp_path: Path, *, roles: set[str], **agents: Any) -> dict[str, Any]:
    """The whole testing graph; agents that are not given work."""
    works = {"spec": [SPEC], "writer": [FILES], "analyzer": [ANALYSIS] * 2}
    given = {role: agents.get(role) or ScriptedAgent(role, works[role]) for role in works}
    made = bench(tmp_path, given, services={"model_roles": frozenset(roles)})
    return await run_testing_graph(made)


def said(values: dict[str, Any], role: str) -> list[str]:
    return [line for line in values["warnings"] if f"took the place of the {role} model's: " in line]


@pytest.mark.parametrize("what", FAILURES)
async def test_a_spec_model_that_fails_leaves_the_engines_tests(tmp_path: Path, what: str) -> None:
    values = await run_with(tmp_path, roles={"spec"}, spec=ModelBacked(FAILURES[what], SPEC))
    assert values["exit_reason"] == "completed"
    assert values["kept"] == ["tc_engine"]
    assert len(said(values, "spec")) == 1
    assert values["failure"] is None


@pytest.mark.parametrize("what", FAILURES)
async def test_a_writing_model_that_fails_leaves_the_engines_file(tmp_path: Path, what: str) -> None:
    values = await run_with(tmp_path, roles={"writer"}, writer=ModelBacked(FAILURES[what], FILES))
    assert values["exit_reason"] == "completed"
    assert values["kept"] == ["tc_engine"]
    assert len(said(values, "writer")) == 1


@pytest.mark.parametrize("what", FAILURES)
async def test_an_analyzing_model_that_fails_loses_no_test(tmp_path: Path, what: str) -> None:
    values = await run_with(tmp_path, roles={"analyzer"}, analyzer=ModelBacked(FAILURES[what], ANALYSIS))
    assert values["exit_reason"] == "completed"
    assert values["kept"] == ["tc_engine"]


async def test_a_model_all_of_whose_tests_are_dropped_leaves_the_engines(tmp_path: Path) -> None:
    """What its cases have shown, a suspected defect, stays."""
    wrong = spec("tc_model")
    wrong["spec"]["cases"][0]["written_by"] = "model"
    defect = {"id": "sd_model", "title": "cart: counts wrongly"}
    judged = {**ANALYSIS, "suspected_defects": [defect], "drop": ["tc_model"]}
    answers = iter([files(TEST_PATH, "tc_model"), FILES])

    def next_file(request: AgentRequest) -> AgentResponse:
        return success_response(next(answers))

    values = await run_with(
        tmp_path,
        roles={"spec"},
        spec=ModelBacked(success_response(wrong), SPEC),
        writer=ModelBacked(next_file, FILES),
        analyzer=ScriptedAgent("analyzer", [judged, ANALYSIS]),
    )
    assert values["kept"] == ["tc_engine"]
    assert said(values, "spec") == ["the engine's tests took the place of the spec model's: none of its tests was kept"]
    assert [one["id"] for one in values["suspected_defects"]] == ["sd_model"]
    assert [row["case_id"] for row in values["dropped"]] == ["tc_model"]


NAMED = {"has no quota": "model_quota", "limits the rate": "model_rate_limit", "refuses": "model_refused"}


@pytest.mark.parametrize("what", NAMED)
async def test_quota_rate_limit_and_refusal_are_told_with_reasons_of_their_own(tmp_path: Path, what: str) -> None:
    """Beside the words where the engine stands in, and as the end of step and run where nothing does."""
    failure = FAILURES[what]
    values = await run_with(tmp_path / "1", roles={"spec"}, spec=ModelBacked(failure, SPEC))
    assert said(values, "spec")[0].endswith(f"({NAMED[what]})")
    try:
        values = await run_with(tmp_path / "2", roles=set(), spec=ModelBacked(failure, SPEC))
        ended = values["exit_reason"]
    except AgentUnreachable as error:
        ended = fault_of(error).exit_reason
    assert ended == NAMED[what]
    _, run = _planning(tmp_path / "3", failure, stop_without_planner=True)
    assert (await run())["exit_reason"] == NAMED[what]


@pytest.mark.parametrize("role", ["spec", "writer"])
async def test_a_fault_of_the_engine_is_no_reason_to_ask_it_again(tmp_path: Path, role: str) -> None:
    failing = ModelBacked(errors.TargetImportError("it does not import"), SPEC)
    values = await run_with(tmp_path, roles={role}, **{role: failing})
    assert values["exit_reason"] == "environment"
    assert not values["kept"]
    assert not said(values, role)


PLANNER = ("refuses", "is cut", "has no quota", "has a wrong key", "is broken", "cannot be reached", "is empty")


@pytest.mark.feature("P-01")
@pytest.mark.parametrize("what", [*PLANNER, "writes no plan"])
async def test_a_planner_model_that_fails_leaves_the_embedded_plan(tmp_path: Path, what: str) -> None:
    failure = FAILURES.get(what) or refusal("it did not answer in form", error="RequestError", of="model")
    made, run = _planning(tmp_path, failure)
    values = await run()
    assert values["exit_reason"] == "nothing_to_do"
    assert values["failure"] is None
    [line] = [text for text in made.recorder.of(EventType.PROGRESS) if "embedded planner" in text]
    assert line.startswith("the embedded planner took the place of the model: ")


@pytest.mark.feature("P-01")
async def test_a_planner_model_that_fails_ends_the_run_where_the_settings_say_so(tmp_path: Path) -> None:
    _, run = _planning(tmp_path, FAILURES["is cut"], stop_without_planner=True)
    values = await run()
    assert values["exit_reason"] == "plan_failed"
    assert "reached its limit" in values["failure"]["message"]


def _planning(tmp_path: Path, failure: Any, **services: Any) -> tuple[Any, Callable[[], Any]]:
    empty = {**plan(close=False), "steps": []}
    made = bench(
        tmp_path,
        {"planner": ModelBacked(failure, empty)},
        services={"model_roles": frozenset({"planner"}), **services},
    )
    state = new_planning_state(request_id=made.context.run_id, user_request="cover the cart")
    return made, lambda: start_run(state, made.context, made.services)
