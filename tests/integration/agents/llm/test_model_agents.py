"""What the model-backed agents ask, and what they make of the answers (T-06, T-07, T-13, P-01)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentResponse, JsonObject
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.agents.llm.analyzer_agent import ModelAnalyzerAgent
from testwright.agents.llm.planner_agent import ModelPlannerAgent
from testwright.agents.llm.prompt import load_prompt
from testwright.agents.llm.writing_agent import ModelWritingAgent
from testwright.core.errors import ModelServerFault
from testwright.tests.support.agents.fake_chat import FakeChat, asked
from testwright.tests.support.mcp.tool_session import unit_case, unit_spec
from testwright.tests.support.runs.model_runs import IMPORTS, TEST_PATH, source_of, till, verdict


def spec_of(path: str, module: str, *given: JsonObject) -> JsonObject:
    target = {"path": path, "module": module, "import_root": "src", "digest": "0" * 64}
    return unit_spec(target=target, cases=list(given))


def problems(response: AgentResponse) -> list[str]:
    assert response.error is not None
    return [error["message"] for error in (response.error.details or {})["answer_errors"]]


@pytest.mark.feature("T-13")
async def test_every_response_names_the_prompt_that_it_answers_also_one_that_fails(tmp_path: Path) -> None:
    """A message with an answer given back has the version of both prompts; without a question there is no version."""
    own, repair = load_prompt("planner").version, load_prompt("repair").version
    plan = meaning({"path": "src/till/prices.py", "symbols": None})
    root = str(till(tmp_path))
    for answers, version in (
        ((plan,), own),
        (("no JSON", plan), f"{own}+{repair}"),
        (("no", "no"), f"{own}+{repair}"),
        ((ModelServerFault("down"),), own),
    ):
        chat = FakeChat(*answers)
        response = await asked(
            ModelPlannerAgent(chat, EmbeddedPlannerAgent()), {"user_request": "whatever customers pay", "root": root}
        )
        assert response.metadata["prompt_version"] == version == chat.calls[-1].prompt_version
    fixed = {"user_request": "x", "root": root, "target": "src/till/prices.py"}
    unasked = await asked(ModelPlannerAgent(FakeChat(), EmbeddedPlannerAgent()), fixed)
    assert "prompt_version" not in unasked.metadata


@pytest.mark.feature("P-01", "T-13")
@pytest.mark.parametrize("request_", ["unit tests for src/till/prices.py", "cover till.prices:discounted"])
async def test_what_the_embedded_planner_understands_costs_no_question(tmp_path: Path, request_: str) -> None:
    chat = FakeChat()
    planner = ModelPlannerAgent(chat, EmbeddedPlannerAgent())
    response = await asked(planner, {"user_request": request_, "root": str(till(tmp_path))})
    assert (chat.calls, response.error) == ([], None)


@pytest.mark.parametrize("path", ["../test_x.py", "/tmp/test_x.py", "src/till/prices.py", "tests/generated/till/a.sh"])
async def test_a_file_elsewhere_is_refused(path: str) -> None:
    files = [{"path": TEST_PATH, "contents": "x = 1\n"}, {"path": path, "contents": "x = 1\n"}]
    agent = ModelWritingAgent(FakeChat({"files": files}))
    response = await asked(agent, {"spec": unit_spec(), "framework": "pytest", "test_path": TEST_PATH})
    assert any("is not allowed" in problem for problem in problems(response))


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


@pytest.mark.feature("T-02", "T-13")
async def test_a_request_for_several_kinds_of_tests_is_asked_about_in_parts(tmp_path: Path) -> None:
    request = "unit tests for what customers pay, then how a sale works across modules"
    target = {"path": "src/till/prices.py", "symbols": None}
    aside = {key: value for key, value in meaning().items() if key not in ("targets", "whole_project")}
    part = {"test_type": "unit", "targets": [target], "whole_project": False}
    chat = FakeChat({"parts": [part, {**part, "targets": []}], **aside}, {"parts": [part], **aside})
    response = await asked(
        ModelPlannerAgent(chat, EmbeddedPlannerAgent()),
        {"user_request": request, "root": str(till(tmp_path))},
    )
    assert "$.parts[1].targets" in chat.calls[1].user
    assert chat.calls[0].prompt_version == load_prompt("planner_types").version
    steps = response.result["steps"] if response.result else []
    assert [step["type"] for step in steps] == ["generate_unit_tests", "verify_suite", "accept_tests"]


@pytest.mark.feature("T-02", "T-13")
async def test_what_a_planners_answer_leaves_out_of_the_request_is_said(tmp_path: Path) -> None:
    request = "unit tests for what customers pay and stock, load tests and end-to-end tests of the checkout"
    root = till(tmp_path)
    (root / "src/till/stock.py").write_text("def count(names):\n    return len(names)\n")
    target = {"path": "src/till/prices.py", "symbols": None}
    aside = {key: value for key, value in meaning().items() if key not in ("targets", "whole_project")}
    part = {"test_type": "unit", "targets": [target], "whole_project": False}
    chat = FakeChat({"parts": [part], **aside}, {"parts": [part], **aside})
    agent = ModelPlannerAgent(chat, EmbeddedPlannerAgent())
    response = await asked(agent, {"user_request": request, "root": str(root)})
    reasons = {row["text"]: row["reason"] for row in response.result["not_understood"]} if response.result else {}
    assert reasons == {
        "load tests": "the planner's model left it out",
        "end-to-end tests": "the planner's model left it out",
        "stock": "the planner's model left it out",
    }
    strictly = await asked(agent, {"user_request": request, "root": str(root), "strict": True})
    assert strictly.error is not None
    assert "left it out" in strictly.error.message


@pytest.mark.feature("T-02", "T-13")
async def test_what_the_request_leaves_out_stays_out_whatever_the_model_answers(tmp_path: Path) -> None:
    root = till(tmp_path)
    (root / "src/till/stock.py").write_text("def count(names):\n    return len(names)\n")
    chat = FakeChat(meaning(whole_project=True))
    agent = ModelPlannerAgent(chat, EmbeddedPlannerAgent())
    response = await asked(
        agent, {"user_request": "whatever customers pay, everything but the stock, with unittest", "root": str(root)}
    )
    steps = [step for step in (response.result or {})["steps"] if step["type"] == "generate_unit_tests"]
    assert [step["params"]["target"]["path"] for step in steps] == ["src/till/prices.py"]
    assert steps[0]["params"]["framework"] == "unittest"


async def test_a_request_for_load_on_what_is_no_application_costs_no_question(tmp_path: Path) -> None:
    agent = ModelPlannerAgent(FakeChat(), EmbeddedPlannerAgent())
    response = await asked(agent, {"user_request": "load tests for prices", "root": str(till(tmp_path))})
    assert response.error is not None
    assert "nothing to start" in response.error.message


@pytest.mark.feature("P-01")
async def test_a_planner_that_never_answers_in_form_ends_with_advice(tmp_path: Path) -> None:
    agent = ModelPlannerAgent(FakeChat("no", "no"), EmbeddedPlannerAgent())
    response = await asked(agent, {"user_request": "what customers pay", "root": str(till(tmp_path))})
    assert response.error is not None
    assert "did not answer in the asked form" in response.error.message
    assert response.error.recoverable is False


def results(*names: str, kind: str = "test_defect") -> JsonObject:
    dropped: Iterable[JsonObject] = (
        {"case_id": name, "nodeid": f"t::{name}", "reason": "it fails", "class": kind, "message": "assert 2 == 3"}
        for name in names
    )
    return {"kept": [], "dropped": list(dropped), "repeats": 1}


@pytest.mark.parametrize("kind", ["flaky", "timeout", "environment"])
async def test_what_is_no_disagreement_is_not_asked_about(tmp_path: Path, kind: str) -> None:
    chat = FakeChat()
    spec = spec_of("src/till/prices.py", "till.prices", unit_case(id="tc_a"))
    inputs = {"test_results": results("tc_a", kind=kind), "spec": spec, "target": None}
    response = await asked(ModelAnalyzerAgent(chat, till(tmp_path)), inputs)
    assert (chat.calls, response.result["drop"]) == ([], ["tc_a"])


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
    assert [defect["id"] for defect in promised["suspected_defects"]] == ["sd_a"]
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


@pytest.mark.feature("T-02", "T-13")
async def test_a_program_and_a_method_that_a_request_leaves_out_stay_out_whatever_the_model_answers(
    tmp_path: Path,
) -> None:
    root = till(tmp_path)
    (root / "pyproject.toml").write_text('[project]\nname = "till"\n\n[project.scripts]\ntill = "till.desk:main"\n')
    (root / "src/till/desk.py").write_text("def main():\n    return 0\n")
    (root / "src/till/drawer.py").write_text(
        "class Drawer:\n    def shut(self):\n        return 1\n\n    def slam(self):\n        return 2\n"
    )
    chat = FakeChat(meaning(whole_project=True))
    request = "whatever there is to cover, except the command line program and slam"
    response = await asked(
        ModelPlannerAgent(chat, EmbeddedPlannerAgent()),
        {"user_request": request, "root": str(root), "test_type": "unit"},
    )
    steps = response.result["steps"] if response.result else []
    targets = [step["params"]["target"] for step in steps if step["type"] == "generate_unit_tests"]
    assert {target["module"] for target in targets} == {"till.prices", "till.drawer"}
    (drawer,) = [target for target in targets if target["module"] == "till.drawer"]
    assert drawer["symbols"] == ["Drawer.shut"]
