"""A module that `python -m` runs gets no unit tests, whatever guards its last lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from testwright.tests.support.mcp.tool_session import write_files

pytestmark = pytest.mark.feature("T-02")


def test_a_main_module_is_left_out_with_a_reason_that_holds_for_a_guarded_one(tmp_path: Path) -> None:
    program = 'def main() -> int:\n    return 0\n\n\nif __name__ == "__main__":\n    main()\n'
    sums = "def add(one: int, other: int) -> int:\n    return one + other\n"
    root = write_files(tmp_path, {"pkg/__init__.py": "", "pkg/__main__.py": program, "pkg/sums.py": sums})
    plan = EmbeddedPlannerAgent().plan({"user_request": "unit tests for everything", "root": str(root)})
    reason = "it is what `python -m` runs, which unit tests do not import"
    assert {"target": "pkg/__main__.py", "reason": reason} in plan["skipped"]
