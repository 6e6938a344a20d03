"""Lists every tool, for graphs and for clients, in one place."""

from __future__ import annotations

from importlib import import_module
from typing import Literal

from .tool_spec import ToolSpec

# The order in which clients list tools, the whole job first. What stands in `tools` works on one run or project;
# what stands in `serving.tools` works on the runs of a server and is for its clients only.
_MODULES = (
    "serving.tools.generate_tests",
    "serving.tools.plan_tests",
    "serving.tools.get_report",
    "serving.tools.apply_tests",
    "serving.tools.list_runs",
    "serving.tools.run_status",
    "serving.tools.resume_run",
    "serving.tools.cancel_run",
    "serving.tools.generate_test_spec",
    "serving.tools.generate_tests_from_spec",
    "tools.validate_spec",
    "serving.tools.migrate_test_spec",
    "tools.validate_code",
    "serving.tools.run_tests",
    "serving.tools.analyze_test_results",
    "tools.get_codebase_context",
    "tools.get_ast_analysis",
    "tools.get_openapi_spec",
    "tools.lint_code",
    "tools.check_syntax",
    "tools.run_build",
    "tools.accept_tests",
    "tools.format_tests",
    "tools.get_history",
    "tools.list_files",
    "tools.prune_tests",
    "tools.read_file",
    "tools.repo_read_file",
    "tools.repo_tree",
    "tools.run_own_pytest",
    "tools.run_tests",
    "tools.verify_suite",
    "tools.write_file",
)


def tools_for(audience: Literal["graphs", "clients"]) -> tuple[ToolSpec, ...]:
    """The tools of an audience, in the order above.

    Modules are imported here and not at the top: some import large packages, and graphs need none of the server's.
    """
    names = [name for name in _MODULES if audience == "clients" or name.startswith("tools.")]
    specs: list[ToolSpec] = [import_module(f"..{name}", __package__).TOOL for name in names]
    return tuple(spec for spec in specs if spec.audience in (audience, "both"))
