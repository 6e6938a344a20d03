"""What the model-backed agents ask, and what they make of the answers (T-06, T-07, T-13, P-01)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.analyzer_agent import ModelAnalyzerAgent
from testwright.agents.embedded.planner_agent import EmbeddedPlannerAgent
from testwright.agents.lifecycle import Agent
from testwright.agents.model.chat import ModelAnswer, ModelCall
from testwright.agents.planner_agent import ModelPlannerAgent
from testwright.agents.protocol import AgentRequest, AgentResponse, JsonObject, RequestMetadata
from testwright.agents.spec_agent import ModelSpecAgent
from testwright.agents.writing_agent import ModelWritingAgent
from testwright.errors import MalformedLlmOutput
from testwright.tests.support.model_runs import IMPORTS, TEST_PATH, case, cases, source_of, till, verdict
from testwright.tests.support.toolroom import unit_case, unit_spec

FORTY_LINES = '''"""Bills."""


def charged(amount: int, country: str, member: bool = False) -> int:
    """What is charged for an order, in cents.

    Members pay no postage. Orders abroad pay 900 of postage, others 400; nothing is posted from 10000 on.
    """
    if amount < 0:
        raise ValueError("amount is negative")
''' + "".join(
    f'    if country == "c{number}":\n        return amount + {number} * 100  # a country with a postage of its own\n'
    for number in range(15)
)


class FakeChat:
    """Answers calls in order; a text that is no JSON is malformed."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[ModelCall] = []

    async def complete(self, call: ModelCall) -> ModelAnswer:
        self.calls.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise MalformedLlmOutput("the answer is not JSON", details={"excerpt": answer})
        return ModelAnswer(json.dumps(answer), answer, model="fake")


class Engine(Agent):
    """Says what it was made with."""

    def __init__(self, spec: JsonObject) -> None:
        super().__init__("spec")
        self.spec = spec

    async def _work(self, request: AgentRequest) -> JsonObject:
        return {"spec": self.spec}


async def asked(agent: Agent, inputs: JsonObject) -> AgentResponse:
    request = AgentRequest("test it", "work", RequestMetadata("run-1"), inputs)
    async with agent:
        return await agent.process(request)


def spec_of(path: str, module: str, *given: JsonObject) -> JsonObject:
    target = {"path": path, "module": module, "import_root": "src", "digest": "0" * 64}
    return unit_spec(target=target, cases=list(given))


def problems(response: AgentResponse) -> list[str]:
    assert response.error is not None
    return [one["message"] for one in (response.error.details or {})["answer_errors"]]


@pytest.mark.feature("T-13")
async def test_a_function_of_40_lines_is_asked_about_in_fewer_than_3000_tokens(tmp_path: Path) -> None:
    """`charged`, 40 lines, with 60 observations and a long request; characters / 4."""
    assert len(FORTY_LINES.splitlines()) == 40
    root = till(tmp_path, {"src/till/__init__.py": "", "src/till/bills.py": FORTY_LINES})
    observed = [unit_case(id=f"tc_{number}", subject="charged") for number in range(60)]
    chat = FakeChat(cases())
    agent = ModelSpecAgent(chat, Engine(spec_of("src/till/bills.py", "till.bills", *observed)), root)
    request = {"user_request": "unit tests " * 100, "target": {"path": "src/till/bills.py"}, "test_type": "unit"}
    await asked(agent, {**request, "framework": "pytest"})
    [call] = chat.calls
    assert (len(call.system) + len(call.user)) / 4 < 3000
    assert "  40 " in call.user
    assert call.prompt_version


@pytest.mark.feature("T-06", "B-03")
async def test_a_weaker_refinement_is_refused_and_the_old_errors_stay_on_the_list(tmp_path: Path) -> None:
    root = till(tmp_path)
    old = unit_case(id="tc_discounted_50", subject="discounted")
    spec = spec_of("src/till/prices.py", "till.prices", old, unit_case(id="tc_other"))
    chat = FakeChat(cases(case(50, "True", expect=[{**case(50, "50")["expect"][0], "kind": "is_instance"}])))
    errors = [{"path": "$.cases[0].expect", "message": "it does not hold", "severity": "error"}]
    inputs = {"target": {"path": "src/till/prices.py"}, "previous_spec": spec, "errors": errors, "framework": "pytest"}
    response = await asked(ModelSpecAgent(chat, Engine(spec), root), inputs)
    told = problems(response)
    assert "weaker" in told[0]
    assert told[-1] == "it does not hold"
    assert "tc_other" not in chat.calls[0].user


@pytest.mark.parametrize("path", ["../test_x.py", "/tmp/test_x.py", "src/till/prices.py", "tests/generated/till/a.sh"])
async def test_a_file_elsewhere_is_refused(path: str) -> None:
    files = [{"path": TEST_PATH, "contents": "x = 1\n"}, {"path": path, "contents": "x = 1\n"}]
    agent = ModelWritingAgent(FakeChat({"files": files}))
    response = await asked(agent, {"spec": unit_spec(), "framework": "pytest", "test_path": TEST_PATH})
    assert any("is not allowed" in one for one in problems(response))


@pytest.mark.feature("T-07", "B-03")
async def test_code_that_drops_a_test_to_get_rid_of_an_error_is_refused() -> None:
    head = f"{IMPORTS[0]}\n\n\n"
    before = head + source_of(200, 180) + "\n\n" + source_of(50, 50)
    chat = FakeChat({"files": [{"path": TEST_PATH, "contents": head + source_of(200, 180)}]})
    inputs = {
        "spec": unit_spec(imports=list(IMPORTS)),
        "framework": "pytest",
        "test_path": TEST_PATH,
        "previous_files": [{"path": TEST_PATH, "contents": before}],
        "errors": [{"type": "lint", "line": 3, "message": "idle", "suggestion": ""}],
    }
    told = problems(await asked(ModelWritingAgent(chat), inputs))
    assert told == ["the test tc_discounted_50 is gone", "idle"]


def meaning(*targets: JsonObject, **more: Any) -> JsonObject:
    base = {"excluded": [], "whole_project": False, "only_untested": False, "framework": None, "not_understood": []}
    return {"targets": list(targets), **base, **more}


@pytest.mark.feature("T-13", "P-01")
@pytest.mark.parametrize(
    "first", ["Certainly! Here is your plan.", meaning({"path": "src/till/none.py", "symbols": None}), meaning()]
)
async def test_a_plan_that_cannot_be_read_is_repaired_once(tmp_path: Path, first: Any) -> None:
    chat = FakeChat(first, meaning({"path": "src/till/prices.py", "symbols": ["discounted"]}, framework="unittest"))
    agent = ModelPlannerAgent(chat, EmbeddedPlannerAgent())
    response = await asked(agent, {"user_request": "what customers pay", "root": str(till(tmp_path))})
    steps = response.result["steps"] if response.result else []
    assert steps[0]["params"]["target"]["symbols"] == ["discounted"]
    assert steps[0]["params"]["framework"] == "unittest"
    assert "Your last answer could not be used" in chat.calls[1].user


@pytest.mark.feature("P-01")
async def test_a_planner_that_never_answers_in_form_ends_with_advice(tmp_path: Path) -> None:
    agent = ModelPlannerAgent(FakeChat("no", "no"), EmbeddedPlannerAgent())
    response = await asked(agent, {"user_request": "what customers pay", "root": str(till(tmp_path))})
    assert response.error is not None
    assert "did not answer in the asked form" in response.error.message
    assert response.error.recoverable is False


def results(*names: str, kind: str = "test_defect") -> JsonObject:
    dropped: Iterable[JsonObject] = (
        {"case_id": one, "nodeid": f"t::{one}", "reason": "it fails", "class": kind, "message": "assert 2 == 3"}
        for one in names
    )
    return {"kept": [], "dropped": list(dropped), "repeats": 1}


@pytest.mark.parametrize("kind", ["flaky", "timeout", "environment"])
async def test_what_is_no_disagreement_is_not_asked_about(tmp_path: Path, kind: str) -> None:
    chat = FakeChat()
    spec = spec_of("src/till/prices.py", "till.prices", unit_case(id="tc_a"))
    inputs = {"test_results": results("tc_a", kind=kind), "spec": spec, "target": None}
    response = await asked(ModelAnalyzerAgent(chat, till(tmp_path)), inputs)
    assert (chat.calls, response.result["drop"]) == ([], ["tc_a"])  # type: ignore[index]


async def _judged(tmp_path: Path, answer: Any, origin: str = "documented") -> JsonObject:
    one = unit_case(id="tc_a", subject="discounted")
    one["expect"][0]["origin"] = origin
    spec = spec_of("src/till/prices.py", "till.prices", one)
    inputs = {"test_results": results("tc_a"), "spec": spec, "target": None}
    response = await asked(ModelAnalyzerAgent(FakeChat(answer, answer), till(tmp_path)), inputs)
    assert isinstance(response.result, dict)
    return response.result


async def test_a_verdict_of_defect_needs_a_promise(tmp_path: Path) -> None:
    """What was only observed promises nothing: it goes back to be refined."""
    promised = await _judged(tmp_path, verdict("tc_a", "defect"))
    assert [one["id"] for one in promised["suspected_defects"]] == ["sd_a"]
    assert promised["refine"] == []
    unpromised = await _judged(tmp_path, verdict("tc_a", "defect"), origin="observed")
    assert unpromised["suspected_defects"] == []
    assert [one["case_id"] for one in unpromised["refine"]] == ["tc_a"]


@pytest.mark.parametrize("answer", ["no JSON", verdict("tc_unknown", "defect")])
async def test_without_a_usable_verdict_the_test_goes_as_the_gate_judged_it(tmp_path: Path, answer: Any) -> None:
    judged = await _judged(tmp_path, answer)
    assert judged["drop"] == ["tc_a"]
    assert not judged.get("refine")
    assert judged["findings"][0]["class"] == "test_defect"
