"""What the tests of a model's spec leave open is asked about once; what tools say of a target reaches the agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import refusal, success_response
from testwright.core.errors import ModelAnswerRefused, ToolTimeout
from testwright.graph.context import providing
from testwright.graph.execution_graph.checks import target_checks
from testwright.graph.execution_graph.gaps import open_gaps
from testwright.tests.support.agents.scripted_agents import ScriptedAgent
from testwright.tests.support.mcp.scripted_tools import ScriptedTools
from testwright.tests.support.runs.graph_runs import (
    ANALYSIS,
    TEST_PATH,
    bench,
    files,
    run_testing_graph,
    runtime_of,
    spec,
    testing_state,
)

SURVIVOR = {"line": 2, "before": "a < b", "after": "a <= b", "status": "survived"}
LEFT_OPEN = {"survivors": [SURVIVOR, {**SURVIVOR, "after": "a > b"}]}


def read(*names: str) -> dict[str, Any]:
    """A model's spec."""
    made = spec(*names)
    for case in made["spec"]["cases"]:
        case["written_by"] = "model"
    return made


class LeavingOpen(ScriptedTools):
    """Tools whose tests leave a mutant alive."""

    def _run_tests(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {**super()._run_tests(arguments), "mutation": LEFT_OPEN}


async def run_with(tmp_path: Path, specs: list[Any], second: Any = None) -> tuple[dict[str, Any], ScriptedAgent]:
    """The testing graph with a model as spec agent, whose tests leave a mutant alive."""
    asked = ScriptedAgent("spec", specs)
    written = [files(TEST_PATH, "tc_a"), second or files(TEST_PATH, "tc_a", "tc_b")]
    agents = {
        "spec": asked,
        "writer": ScriptedAgent("writer", written),
        "analyzer": ScriptedAgent("analyzer", [ANALYSIS]),
    }
    services = {"model_roles": frozenset({"spec"})}
    tools = LeavingOpen(tmp_path / "run", tmp_path / "project")
    made = bench(tmp_path, agents, services=services, tools=tools)
    return await run_testing_graph(made), asked


@pytest.mark.feature("B-15")
async def test_what_the_tests_leave_open_is_asked_about_once_and_the_new_case_joins(tmp_path: Path) -> None:
    values, asked = await run_with(tmp_path, [read("tc_a"), read("tc_a", "tc_b")])
    assert values["exit_reason"] == "completed"
    assert values["kept"] == ["tc_a", "tc_b"]
    inputs = asked.requests[1].inputs or {}
    assert [row["text"] for row in inputs["gaps"]["rows"]] == [
        "line 2: no test notices `a < b` changed to `a <= b` or `a > b`"
    ]
    assert [case["id"] for case in inputs["previous_spec"]["cases"]] == ["tc_a"]
    assert len(asked.requests) == 2


@pytest.mark.feature("B-15")
@pytest.mark.parametrize("answer", [ModelAnswerRefused("m refuses"), refusal("no"), success_response({"words": 1})])
async def test_a_model_that_does_not_answer_about_gaps_loses_no_test(tmp_path: Path, answer: Any) -> None:
    values, _ = await run_with(tmp_path, [read("tc_a"), answer])
    assert (values["exit_reason"], values["kept"]) == ("completed", ["tc_a"])
    assert any("what the tests leave open was not asked about" in line for line in values["warnings"])


@pytest.mark.feature("B-15")
async def test_tests_whose_second_round_fails_are_analysed_as_they_are(tmp_path: Path) -> None:
    values, _ = await run_with(tmp_path, [read("tc_a"), read("tc_a", "tc_b")], refusal("no"))
    assert (values["exit_reason"], values["kept"]) == ("completed", ["tc_a"])
    assert values["analysis"] is not None
    assert any(line.startswith("what the tests leave open was not tested: ") for line in values["warnings"])


def test_what_is_open_in_a_function_whose_test_failed_comes_last_with_the_name_of_the_test(tmp_path: Path) -> None:
    made = bench(tmp_path, {}, services={"model_roles": frozenset({"spec"})})
    named = read("tc_a")["spec"]
    named["cases"][0]["subject"] = "total"
    symbols = [{"qualname": "total", "lines": [1, 9]}, {"qualname": "other", "lines": [11, 19]}]
    state: Any = {**testing_state(), "spec_json": named, "gaps": None, "ast_analysis": {"symbols": symbols}}
    failed = {"case_id": "tc_a", "class": "product_defect"}
    elsewhere = {"survivors": [SURVIVOR, {**SURVIVOR, "line": 12}]}
    with providing(made.context, made.services):
        found = open_gaps(state, runtime_of(made), {"mutation": elsewhere, "dropped": [failed]})
    assert found is not None
    assert [row["subject"] for row in found["rows"]] == ["other", "total"]
    assert "failed" not in found["rows"][0]["text"]
    assert found["rows"][1]["text"].endswith("(tc_a failed there: use other inputs)")


ENGINES = {"spec_json": spec("tc_a")["spec"]}


@pytest.mark.parametrize("change", [{"gaps": {"open": False}}, {"test_type": "api"}, ENGINES])
def test_nobody_is_asked_again_nor_about_the_engines_own_tests(tmp_path: Path, change: dict[str, Any]) -> None:
    made = bench(tmp_path, {}, services={"model_roles": frozenset({"spec"})})
    state: Any = {**testing_state(), "spec_json": read("tc_a")["spec"], "gaps": None}
    results = {"mutation": LEFT_OPEN}
    with providing(made.context, made.services):
        assert open_gaps(state, runtime_of(made), results) is not None
        state |= change
        assert open_gaps(state, runtime_of(made), results) is None


UNUSED = {"rule": "F841", "message": "unused\nname"}


@pytest.mark.feature("A-05")
async def test_findings_of_checking_tools_are_told_and_a_tool_that_is_lost_is_a_warning(tmp_path: Path) -> None:
    build = {"status": "failed", "reason": "mypy", "errors": [{"path": "a.py", "line": 1, "message": "bad"}]}
    scripts = {
        # What a linter says of looks tells nothing of what code does, and one finding is said once.
        "lint_code": [{"errors": [{**UNUSED, "line": 3}, {"line": 1, "rule": "UP006"}, {**UNUSED, "line": 9}]}] * 2,
        "check_syntax": [ToolTimeout("the server is gone")] * 2,
        "run_build": [build],
    }
    made = bench(tmp_path, {}, scripts=scripts, services={"context_tools": tuple(scripts)})
    said, warnings = await target_checks(made.services, "a.py")
    assert said == {
        "lint_code": ["line 3, 9: F841 unused name"],
        "run_build": ["the build failed: mypy", "line 1: bad"],
    }
    assert warnings == ["check_syntax: the server is gone"]
    await target_checks(made.services, "a.py")
    assert len(made.tools.named("run_build")) == 1
