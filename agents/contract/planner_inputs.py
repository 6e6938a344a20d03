"""Builds the planner's inputs, once for all callers.

The prefetched first spec is used only when the graph asks with the same inputs, so all callers must build equal ones.
"""

from __future__ import annotations

from typing import Any


def planner_inputs(
    user_request: str,
    root: str,
    *,
    test_type: str | None,
    target: str | None,
    framework: str | None,
    tests_dir: str | None,
    changes: dict[str, Any] | None,
    limits: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The inputs of the task `build_plan`; options that are None are left out.

    Args:
        root: the project's folder, absolute.
        changes: limits the plan to changed code, as plain data.
        limits: `include` and `exclude`, names and patterns, and `strict`, as `planner_limits` of the settings.
    """
    options = {
        "test_type": test_type,
        "target": target,
        "framework": framework,
        "tests_dir": tests_dir,
        "changes": changes,
        **(limits or {}),
    }
    given = {name: value for name, value in options.items() if value is not None}
    return {"user_request": user_request, "root": root, **given}
