"""A run in two halves: up to its spec, and from a spec that is given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.protocol import success_response
from testwright.core.errors import RequestError, RunTerminated
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.partial_runs import plan_one_target, run_until_spec, supply_spec
from testwright.graph.running import resume_run
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import ANALYSIS, bench, plan, spec
from testwright.tests.support.runs.plan_runs import plan_agents, planning, statuses, steps, write
from testwright.tests.support.runs.plan_runs import specify as one_spec

pytestmark = pytest.mark.feature("T-11")
TARGET = ("shop/a.py",)


async def test_the_first_half_ends_with_a_valid_spec_and_the_second_goes_on_from_it(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    agents = plan_agents([plan(*steps("a"))], 1)
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, targets=TARGET, checkpointer=checkpointer)
        planned = await plan_one_target(planning(), made.context, made.services, request="cover a; mind the zero")
        half = await run_until_spec(planned, made.context, made.services)
        assert half["phase"] == "code_generation"
        assert not made.tools.named("run_tests")
        assert "mind the zero" in half["user_request"]
        ended = await resume_run(made.context, made.services)
    assert (made.folder / "specs/a.json").is_file()
    assert statuses(ended) == {"a": "completed", "verify": "completed", "accept": "completed"}
    assert len(made.tools.named("validate_test_spec")) == 1


async def test_a_given_spec_takes_the_place_of_the_spec_agent_and_names_the_test_file(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    agents = plan_agents([plan(*steps("a"))], 1, spec=[])
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, targets=TARGET, checkpointer=checkpointer)
        planned = await plan_one_target(planning(), made.context, made.services, request="cover a", name="By hand!")
        await supply_spec(planned, spec("tc_mine")["spec"], made.context, made.services)
        ended = await resume_run(made.context, made.services)
    result = ended["plan"][0]["result"] or {}
    assert result["kept"] == ["tc_mine"]
    assert result["test_path"] == "tests/generated/test_a__by_hand.py"
    assert result["spec_path"] == "specs/a__by_hand.json"
    written = json.loads((made.folder / "plan.json").read_text("utf-8"))
    assert [step["params"].get("test_paths") for step in written["steps"][1:]] == [[result["test_path"]]] * 2
    assert made.tools.staged_cases(result["test_path"]) == ["tc_mine"]
    assert made.tools.named("get_ast_analysis")


async def test_a_given_spec_is_never_rewritten(tmp_path: Path, checkpointer: AsyncSqliteSaver) -> None:
    wrong: dict[str, Any] = {
        **ANALYSIS,
        "drop": ["tc_wrong"],
        "refine": [{"case_id": "tc_wrong", "message": "it gives 2", "severity": "error", "suggestion": "expect 2"}],
    }
    agents = plan_agents([plan(*steps("a"))], 1, spec=[], writer=[write], analyzer=[wrong])
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, targets=TARGET, checkpointer=checkpointer)
        planned = await plan_one_target(planning(), made.context, made.services, request="cover a", name="mine")
        await supply_spec(planned, spec("tc_good", "tc_wrong")["spec"], made.context, made.services)
        ended = await resume_run(made.context, made.services)
    result = ended["plan"][0]["result"] or {}
    assert result["kept"] == ["tc_good"]
    assert [one["case_id"] for one in result["dropped"]] == ["tc_wrong"]


async def test_several_targets_where_one_is_needed_are_named(tmp_path: Path, checkpointer: AsyncSqliteSaver) -> None:
    with scripted(planner=[plan(*steps("a", "b"))]) as roles:
        made = bench(tmp_path, roles, targets=("shop/a.py", "shop/b.py"), checkpointer=checkpointer)
        with pytest.raises(RequestError) as refused:
            await plan_one_target(planning(), made.context, made.services, request="cover the shop")
    assert "shop/a.py, shop/b.py" in refused.value.advice


async def test_a_spec_that_stays_invalid_ends_the_first_half_with_its_errors(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    invalid = {"valid": False, "errors": [{"path": "$", "message": "no", "severity": "error"}], "suggestions": []}
    agents = plan_agents([plan(*steps("a"))], 1, spec=[one_spec], writer=[], analyzer=[])
    with scripted(**agents) as roles:
        made = bench(
            tmp_path, roles, targets=TARGET, checkpointer=checkpointer, scripts={"validate_test_spec": [invalid]}
        )
        beginning = planning(max_retries=0)
        planned = await plan_one_target(beginning, made.context, made.services, request="cover a")
        half = await run_until_spec(planned, made.context, made.services)
    assert half["phase"] == "error"
    assert half["spec_errors"] == invalid["errors"]


@pytest.mark.feature("P-04")
async def test_of_a_target_that_the_gate_rejects_nothing_is_executed(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    refused = [success_response({"safe": False, "reason": "not on a Friday"})]
    context = {"control": ControlPolicy(weak_sandbox=True)}
    agents = plan_agents([plan(*steps("a"))], 0, safety=refused)
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, targets=TARGET, checkpointer=checkpointer, context=context)
        planned = await plan_one_target(planning(), made.context, made.services, request="cover a", name="mine")
        with pytest.raises(RunTerminated, match="not on a Friday") as rejected:
            await run_until_spec(planned, made.context, made.services)
        await supply_spec(planned, spec("tc_mine")["spec"], made.context, made.services)
        ended = await resume_run(made.context, made.services)
    assert "--yes" in rejected.value.advice
    assert (statuses(ended)["a"], ended["exit_reason"]) == ("skipped", "nothing_kept")
    assert not made.tools.named("get_ast_analysis")
