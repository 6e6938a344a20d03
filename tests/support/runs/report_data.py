"""Plain data of a run, as the planning graph's final state holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from testwright.reports.build import Outcomes
from testwright.reports.run_facts import idle_of, iso_time, tool_use
from testwright.reports.run_model import CacheUse, Run


def case(case_id: str, origin: str = "observed", **fields: Any) -> dict[str, Any]:
    """A case of a spec with one expectation."""
    expected = {"kind": "equals", "origin": origin, "evidence": {"path": "src/shop/cart.py", "lines": [10, 12]}}
    return {
        "id": case_id,
        "title": f"title of {case_id}",
        "subject": "add",
        "priority": "high",
        "expect": [expected],
        **fields,
    }


def generate_step(number: int = 1, *, status: str = "completed", **result: Any) -> dict[str, Any]:
    """A generate step for `src/shop/cart<number>.py`; `result` are fields of the testing graph's final state."""
    return {
        "id": f"step-{number}",
        "type": "generate_unit_tests",
        "status": status,
        "params": {
            "test_type": "unit",
            "target": {"path": f"src/shop/cart{number}.py", "module": f"shop.cart{number}"},
            "framework": "pytest",
            "spec_path": f"specs/cart{number}.json",
            "test_path": f"tests/generated/shop/test_cart{number}.py",
            "depends_on": [],
        },
        "result": result,
        "error_message": result.pop("error_message", None),
    }


def executed(kept: list[str], **fields: Any) -> dict[str, Any]:
    """The result of a testing graph that ran its tests and kept these."""
    tests = [{"case_id": one, "nodeid": f"test_cart.py::{one}", "lines": [11, 10], "reruns": 4} for one in kept]
    coverage = {
        "before": {"statements": 10, "covered": 2, "branches": 4, "covered_branches": 0},
        "after": {"statements": 10, "covered": 9, "branches": 4, "covered_branches": 3},
    }
    return {
        "spec_json": {"cases": [case(one) for one in kept]},
        "executed": True,
        "kept": kept,
        "dropped": [],
        "test_results": {"tests": tests, "coverage": coverage, "repeats": 3},
        "generated_code_path": "staged/tests/generated/shop/test_cart1.py",
        "spec_attempts": 0,
        "code_attempts": 1,
        "exit_reason": "completed",
        **fields,
    }


def accept_step(*files: Mapping[str, Any]) -> dict[str, Any]:
    """The step that adds files to the project."""
    return {"id": "accept", "type": "accept_tests", "status": "completed", "params": {}, "result": {"files": [*files]}}


def facts(
    *,
    started_at: float = 1e9,
    wall_seconds: float | None = None,
    idle_seconds: float = 0.0,
    tool_calls: Sequence[dict[str, Any]] = (),
    **fields: Any,
) -> Run:
    """The `run` object of a run that took 2.5 seconds."""
    calls = tool_use(tool_calls)
    given: dict[str, Any] = {"id": "r1", "version": "1.0", "root": "/home/me/project", **fields}
    return Run(
        **given,
        started_at=iso_time(started_at),
        finished_at=iso_time(started_at + 2.5),
        seconds=2.5,
        idle=None if wall_seconds is None else idle_of(wall_seconds, idle_seconds, 0.0),
        tool_calls=calls,
        cache=CacheUse(cache_hits=sum(call.cached for call in calls)),
    )


def outcomes(*plan: dict[str, Any], **fields: Any) -> Outcomes:
    """What the run came to."""
    given: dict[str, Any] = {"request": "unit tests for shop", "plan": plan, **fields}
    return Outcomes(**given)
