"""A step that a ceiling stops before its results were analysed pins no defect that they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.protocol import AgentRequest
from testwright.core.errors import BudgetExhausted
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import bench, plan, spec
from testwright.tests.support.runs.plan_runs import TARGETS, plan_agents, result_of, run_plan, steps

CEILING = "the ceiling on tokens (500 tokens) is reached"


def contradicting(request: AgentRequest) -> dict[str, Any]:
    """A promise, a pin of the same call, and a pin of another one."""
    made = spec("tc_promise", "tc_pin", "tc_other", target={"path": "shop/a.py"})
    for case, call, origin in zip(
        made["spec"]["cases"], ("half(3)", "half( 3 )", "half(4)"), ("documented", "observed", "observed"), strict=True
    ):
        row = {"kind": "equals", "actual": "result", "value": "1", "origin": origin}
        case |= {"subject": "half", "act": {"expression": call, "mode": "call"}, "expect": [row]}
    return made


@pytest.mark.feature("B-08", "B-02")
@pytest.mark.parametrize("analysed", [False, True])
async def test_a_stopped_step_drops_the_pins_of_a_defect_as_its_analysis_would_have(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, analysed: bool
) -> None:
    failed = {"case_id": "tc_promise", "nodeid": "t::a", "class": "product_defect", "message": "assert 2 == 1"}
    results = {"passed": 2, "failed": 1, "kept": ["tc_pin", "tc_other"], "dropped": [failed]}
    judged: Any = BudgetExhausted(CEILING)
    if analysed:
        judged = {"summary": "x", "findings": [], "suspected_defects": [{"id": "sd_promise"}], "drop": ["tc_pin"]}
    more = {"spec": [contradicting], "analyzer": [judged]}
    with scripted(**plan_agents([plan(*steps("a"))], 1, **more)) as agents:
        scripts = {"run_tests": [results]}
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer, scripts=scripts)
        state = await run_plan(made)
    result = result_of(state, "a")
    assert state["exit_reason"] == ("completed" if analysed else "budget_exhausted")
    assert result["kept"] == ["tc_other"]
    assert [defect["id"] for defect in result["suspected_defects"]] == ["sd_promise"]
    assert [row["case_id"] for row in result["dropped"]] == ["tc_promise", "tc_pin"]
    assert made.tools.staged_cases("tests/generated/test_a.py") == ["tc_other"]
