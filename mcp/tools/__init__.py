"""The built-in tools, one a file."""

from __future__ import annotations

from ..toolbox.definition import ToolDefinition


def built_in_tools() -> tuple[ToolDefinition, ...]:
    """Every built-in tool, by name. Imported when asked for: some bring a room of their own with them."""
    from . import (
        accept_tests,
        check_syntax,
        get_ast_analysis,
        get_codebase_context,
        get_openapi_spec,
        lint_code,
        list_files,
        prune_tests,
        read_file,
        repo_read_file,
        repo_tree,
        run_build,
        run_tests,
        validate_code,
        validate_spec,
        verify_suite,
        write_file,
    )

    modules = (
        accept_tests,
        check_syntax,
        get_ast_analysis,
        get_codebase_context,
        get_openapi_spec,
        lint_code,
        list_files,
        prune_tests,
        read_file,
        repo_read_file,
        repo_tree,
        run_build,
        run_tests,
        validate_code,
        validate_spec,
        verify_suite,
        write_file,
    )
    return tuple(sorted((module.TOOL for module in modules), key=lambda tool: tool.name))
