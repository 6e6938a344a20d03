"""Every offered tool, the whole job first: clients show tools in this order."""

from __future__ import annotations

from ..tool_definition import ServedTool


def offered_tools() -> tuple[ServedTool, ...]:
    """The tools a server offers. Imported when asked for: some bring a room of their own with them."""
    from . import (
        analyze_test_results,
        apply_tests,
        check_syntax,
        generate_test_spec,
        generate_tests,
        generate_tests_from_spec,
        get_ast_analysis,
        get_codebase_context,
        get_openapi_spec,
        get_report,
        lint_code,
        list_runs,
        plan_tests,
        resume_run,
        run_build,
        run_tests,
        validate_test_code,
        validate_test_spec,
    )

    modules = (
        generate_tests,
        plan_tests,
        get_report,
        apply_tests,
        list_runs,
        resume_run,
        generate_test_spec,
        generate_tests_from_spec,
        validate_test_spec,
        validate_test_code,
        run_tests,
        analyze_test_results,
        get_codebase_context,
        get_ast_analysis,
        get_openapi_spec,
        lint_code,
        check_syntax,
        run_build,
    )
    return tuple(module.TOOL for module in modules)
