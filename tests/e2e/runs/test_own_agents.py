"""A whole run that an agent given in code steers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import testwright
from testwright.agents import AgentRequest, AgentResponse, flags, success_response
from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.core.errors import UsageError
from testwright.tests.support.projects.files import FLAT_PYTEST, make_project

REQUEST = "unit tests for first.py and second.py"


def planned(request: AgentRequest) -> dict[str, Any]:
    """The plan of a request; of the run's own request, a planner makes only a part."""
    inputs = dict(request.inputs or {})
    if inputs["user_request"] == REQUEST:
        inputs["user_request"] = "unit tests for first.py:one"
    return EmbeddedPlannerAgent().plan(inputs)


@pytest.mark.feature("P-03", "C-06")
def test_a_critique_is_carried_out_within_the_request_and_the_report_counts_what_stands(tmp_path: Path) -> None:
    make_project(tmp_path, FLAT_PYTEST)
    for module, name in (("first", "one"), ("second", "two"), ("third", "three")):
        (tmp_path / f"{module}.py").write_text(f'def {name}() -> str:\n    """Return a name."""\n    return "{name}"\n')
    with (tmp_path / "first.py").open("a") as first:
        first.write('\n\ndef double(number: int) -> int:\n    """Return twice a number."""\n    return 2 * number\n')
    seen: list[dict[str, Any]] = []

    def wants_more(request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        seen.append(inputs)
        if inputs["critiques"]:
            return success_response("met")
        return success_response("unit tests for first.py, second.py and third.py", metadata=flags(terminate=True))

    agents = {"goal": wants_more, "planner": planned}
    report = testwright.generate(REQUEST, root=tmp_path, agents=agents, mutants=0)
    assert report.exit_reason == "completed"
    outcomes = {Path(file.path).name: file.outcome for file in report.files}
    assert outcomes == {"test_first.py": "added", "test_first__one.py": "removed", "test_second.py": "added"}
    assert [target.path for target in report.targets] == ["first.py", "second.py"]
    tests = [nodeid for target in report.targets for row in target.evidence for nodeid in row.tests]
    assert all((tmp_path / nodeid.partition("::")[0]).is_file() for nodeid in tests)
    assert report.own_pytest is not None
    assert report.own_pytest.passed == len(tests) >= report.totals.kept == 4
    assert [row["path"] for row in seen[1]["steps"] if row["kept"] and row["path"]] == ["first.py"] * 2 + ["second.py"]
    assert any(
        line.startswith("The goal agent suggests, beyond the request: unit tests for third.py")
        for line in report.advice
    )


@pytest.mark.feature("C-02", "C-06", "B-08")
def test_what_agents_given_in_code_cost_is_in_the_report_also_where_their_answer_was_refused(tmp_path: Path) -> None:
    make_project(tmp_path, FLAT_PYTEST)
    (tmp_path / "first.py").write_text('def one() -> int:\n    """Return 1."""\n    return 1\n')
    spent = {"tokens": 30, "cost": 0.25, "model": "mine"}

    def unreadable(request: AgentRequest) -> AgentResponse:
        return success_response({"file": object()}, metadata=spent)

    def free(request: AgentRequest) -> AgentResponse:
        return success_response({}, metadata={"tokens": 5, "cost": 0, "model": "at home"})

    def silent(request: AgentRequest) -> AgentResponse:
        return success_response("", metadata={"tokens": 7, "model": "elsewhere"})

    agents = {"goal": unreadable, "judge": free, "summary": silent}
    report = testwright.generate("unit tests for first.py", root=tmp_path, agents=agents, mutants=0)
    used, of_judge, of_summary = report.run.spent.models
    assert (used.role, used.model, used.calls, used.tokens_in, used.cost, used.priced) == (
        "goal",
        "mine",
        1,
        30,
        0.25,
        True,
    )
    assert (of_judge.cost, of_judge.priced) == (0.0, True), "a cost of 0 is a figure"
    assert (of_summary.cost, of_summary.priced) == (0.0, False), "no cost is none"
    tokens = sum(model.tokens_in for model in report.run.spent.models)
    assert (report.run.spent.tokens, report.exit_reason) == (tokens, "completed")
    assert any(line.startswith("the goal agent failed: ") and "no JSON" in line for line in report.run.warnings)


def test_a_role_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no role sage"):
        testwright.generate("all", root=tmp_path, agents={"sage": len})


@pytest.mark.feature("P-04", "P-11")
def test_nothing_of_the_project_runs_before_the_gate_has_decided(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text('def total() -> int:\n    """Return 1."""\n    return 1\n')
    asked: list[list[str]] = []

    def never(request: AgentRequest) -> bool:
        asked.append([row["kind"] for row in (request.inputs or {})["risk"]["reasons"]])
        return False

    report = testwright.generate("unit tests for shop.py", root=tmp_path, agents={"safety": never}, sandbox="weak")
    assert asked == [["runs_application"]]
    assert report.run.sandbox == "", "no sandbox was opened: no code of the project ran"
    assert (report.exit_reason, report.exit_code) == ("nothing_kept", 5)
    assert any("The safety gate rejected a step" in line and "without isolation" in line for line in report.advice)
