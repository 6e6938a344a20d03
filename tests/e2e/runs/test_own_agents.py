"""A whole run that an agent given in code steers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import testwright
from testwright.agents import AgentRequest, AgentResponse, flags, success_response
from testwright.core.errors import UsageError


@pytest.mark.feature("P-03", "C-06")
def test_a_goal_agent_given_in_code_has_its_critique_carried_out(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text('def one() -> int:\n    """Return 1."""\n    return 1\n')
    (tmp_path / "second.py").write_text('def two() -> int:\n    """Return 2."""\n    return 2\n')
    seen: list[dict[str, Any]] = []

    def wants_second(request: AgentRequest) -> AgentResponse:
        inputs = request.inputs or {}
        seen.append(inputs)
        if inputs["critiques"]:
            return success_response("met")
        return success_response("unit tests for second.py", metadata=flags(terminate=True))

    report = testwright.generate("unit tests for first.py", root=tmp_path, agents={"goal": wants_second}, mutants=0)
    assert report.exit_reason == "completed"
    assert sorted(Path(file.path).name for file in report.files) == ["test_first.py", "test_second.py"]
    assert {file.outcome for file in report.files} == {"added"}
    assert [row["path"] for row in seen[1]["steps"] if row["kept"] and row["path"]] == ["first.py", "second.py"]
    assert report.own_pytest is not None
    assert report.own_pytest.passed == report.totals.kept


@pytest.mark.feature("C-02", "C-06", "B-08")
def test_what_agents_given_in_code_cost_is_in_the_report_also_where_their_answer_was_refused(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text('def one() -> int:\n    """Return 1."""\n    return 1\n')
    spent = {"tokens": 30, "cost": 0.25, "model": "mine"}

    def unreadable(request: AgentRequest) -> AgentResponse:
        return success_response({"file": object()}, metadata=spent)

    report = testwright.generate("unit tests for first.py", root=tmp_path, agents={"goal": unreadable}, mutants=0)
    [used] = report.run.spent.models
    assert (used.role, used.model, used.calls, used.tokens_in, used.cost, used.priced) == (
        "goal",
        "mine",
        1,
        30,
        0.25,
        True,
    )
    assert (report.run.spent.tokens, report.exit_reason) == (30, "completed")
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
