"""`validate_test_code`: validates syntax, lint and structure of a test file."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import Any

from ...analysis.javascript.checks import SUFFIXES, ScriptFile
from ...analysis.ruff import Diagnostic, lint_test_source
from ...analysis.test_checks.code_model import read_module
from ...analysis.test_checks.fixtures import Fixtures
from ...analysis.test_checks.javascript_file import FRAMEWORKS as SCRIPTS
from ...analysis.test_checks.javascript_file import script_issues, script_name_issues
from ...analysis.test_checks.locust_file import locust_issues
from ...analysis.test_checks.maestro_file import maestro_issues, parses
from ...analysis.test_checks.pytest_file import pytest_issues
from ...analysis.test_checks.unittest_file import unittest_issues
from ...core.errors import ToolFailure
from ...utils.confined_paths import read_text
from ...utils.error_formatter import CodeIssue
from ...utils.python_source import parse_python
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import array, integer, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_MAX_LISTED = 200
_HINTS = {
    "F401": "remove the import",
    "F811": "give each definition a name of its own",
    "F821": "import or define the name",
    "F841": "use the value, or do not bind it",
    "E711": "compare with None by `is`",
    "E712": "compare with `is`, or assert the value itself",
    "E722": "name the exception",
}


async def _run(
    services: ToolServices,
    /,
    code_path: str,
    framework: Any,
    check_syntax: bool,
    check_lint: bool,
    check_structure: bool,
) -> Json:
    """Validates generated test code for syntax, linting, and structure"""
    enabled = (check_syntax, check_lint, check_structure)
    source = await asyncio.to_thread(lambda: services.text_of(code_path))
    if framework in SCRIPTS and not (code_path.endswith(".py") and not check_structure):
        return await _check_script(services, source, code_path, framework, enabled)
    return await asyncio.to_thread(_check_in_process, services, source, code_path, framework, enabled)


def _check_in_process(
    services: ToolServices, source: str, path: str, framework: str, enabled: tuple[bool, bool, bool]
) -> Json:
    syntax, lint, structure = enabled
    if framework in SCRIPTS:
        framework = "pytest"  # a helper in Python: what serves the application
    if framework == "maestro":
        issues = list(maestro_issues(source, path, syntax=syntax, lint=lint, structured=structure))
        return _result(issues, parsed=parses(source), enabled=enabled)
    conftests = _conftests(services, path) if framework == "pytest" else ()
    return check_code(source, path, framework, conftests, syntax=syntax, lint=lint, structure=structure)


async def _check_script(
    services: ToolServices, source: str, path: str, framework: Any, enabled: tuple[bool, bool, bool]
) -> Json:
    """Validates Jest and Playwright tests; a file of another language gets one error only."""
    syntax, lint, structure = enabled
    if not path.endswith(SUFFIXES):
        fix = f"name it with one of {', '.join(SUFFIXES)}"
        issues = [CodeIssue("syntax", 0, f"{path!r} is no file of JavaScript or TypeScript", fix, "invalid-syntax")]
        return _result(issues if syntax else [], parsed=False, enabled=enabled)
    [found] = await services.javascript.issues([ScriptFile(path, source, framework, lint, structure)])
    issues = list(script_issues([issue for issue in found if syntax or issue.type != "syntax"], framework))
    issues += script_name_issues(path, framework) if structure else ()
    parsed = all(issue.type != "syntax" for issue in found)
    return _result(list(dict.fromkeys(issues)), parsed=parsed, enabled=enabled)


def check_code(
    source: str,
    name: str,
    framework: str,
    conftests: tuple[str, ...] = (),
    *,
    syntax: bool = True,
    lint: bool = True,
    structure: bool = True,
) -> Json:
    """Validates a test file and returns the tool's answer, with the first 200 errors and how many more there are.

    A disabled check counts as passed. A file that does not parse fails all enabled checks.

    Args:
        conftests: sources of the conftest.py files in reach.
    """
    issues: list[CodeIssue] = []
    diagnostics: list[Diagnostic] = lint_test_source(source, name) if lint or syntax else []
    try:
        tree = parse_python(source, name)
    except SyntaxError as error:
        tree = None
        issues += _syntax_issues(error, diagnostics) if syntax else []
    # Ruff was run once for syntax and lint.
    if tree is not None and lint:
        issues += [_lint_issue(issue) for issue in diagnostics if not issue.is_syntax]
    if tree is not None and structure:
        module = read_module(tree)
        if framework == "pytest":
            fixtures = Fixtures()
            fixtures.add(tree)
            for conftest in conftests:
                fixtures.add_source(conftest)
            issues += pytest_issues(module, name, fixtures)
        elif framework == "unittest":
            issues += unittest_issues(module, name)
        else:
            issues += locust_issues(module)
    return _result(list(dict.fromkeys(issues)), parsed=tree is not None, enabled=(syntax, lint, structure))


def _result(issues: list[CodeIssue], *, parsed: bool, enabled: tuple[bool, bool, bool]) -> Json:
    types = {issue.type for issue in issues}
    ordered = sorted(issues, key=lambda issue: (issue.line, issue.type, issue.message))
    # The published schema of the answer does not name the count, and allows it.
    left_out = {"errors_left_out": len(ordered) - _MAX_LISTED} if len(ordered) > _MAX_LISTED else {}
    checks = zip(enabled, ("syntax", "lint", "structure"), strict=True)
    passed = [not on or (parsed and kind not in types) for on, kind in checks]
    return {
        "valid": all(passed),
        "syntax_valid": passed[0],
        "lint_passed": passed[1],
        "structure_valid": passed[2],
        "errors": [issue.to_dict() for issue in ordered[:_MAX_LISTED]],
        **left_out,
    }


def _syntax_issues(error: SyntaxError, diagnostics: list[Diagnostic]) -> list[CodeIssue]:
    """Ruff recovers and finds every error; the parser's single error is used where ruff accepts what Python refuses."""
    found = [(issue.line, issue.message, issue.rule) for issue in diagnostics if issue.is_syntax]
    errors = found or [(error.lineno or 0, error.msg, "invalid-syntax")]
    return [CodeIssue("syntax", line, message, "correct the syntax", rule) for line, message, rule in errors]


def _lint_issue(issue: Diagnostic) -> CodeIssue:
    suggestion = _HINTS.get(issue.rule) or issue.fix or f"see ruff rule {issue.rule}"
    return CodeIssue("lint", issue.line, f"{issue.rule}: {issue.message}", suggestion, issue.rule)


def _conftests(services: ToolServices, path: str) -> tuple[str, ...]:
    """The sources of conftest.py files from the test's folder upwards, staged ones before the project's."""
    try:
        inner = PurePosixPath(services.test_path(path))
    except ToolFailure:
        inner = PurePosixPath(path.lstrip("/"))  # a file of the project, not a staged one
    found: list[str] = []
    # pytest reads the conftest.py of every folder above a test.
    for folder in inner.parents:
        for base in (services.run_folder.staged, services.root):
            conftest = base / folder / "conftest.py"
            # A link may lead out of the root: pytest would follow it where the test runs, a tool that reads does not.
            if conftest.is_file() and conftest.resolve().is_relative_to(base.resolve()):
                found.append(read_text(conftest, "conftest.py", (base,)))
    return tuple(found)


def _key(services: ToolServices, arguments: Json) -> str | None:
    path = arguments["code_path"]
    try:
        return content_key(arguments, services.text_of(path), _conftests(services, path))
    except ToolFailure:
        return None  # the call itself raises it


TOOL = ToolSpec(
    name="validate_test_code",
    input_schema={
        "type": "object",
        "properties": {
            "code_path": string(description="Path to generated test file"),
            "framework": string(enum=["pytest", "jest", "unittest", "playwright", "maestro", "locust"]),
            "check_syntax": {"type": "boolean", "default": True},
            "check_lint": {"type": "boolean", "default": True},
            "check_structure": {"type": "boolean", "default": True},
        },
        "required": ["code_path", "framework"],
    },
    output_schema={
        "type": "object",
        "properties": {
            "valid": {"type": "boolean"},
            "syntax_valid": {"type": "boolean"},
            "lint_passed": {"type": "boolean"},
            "structure_valid": {"type": "boolean"},
            "errors": array(
                {
                    "type": "object",
                    "properties": {
                        "type": string(enum=["syntax", "lint", "structure"]),
                        "line": integer(),
                        **strings("message", "suggestion"),
                    },
                }
            ),
        },
    },
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
    audience="both",
    client_form=ClientForm(
        title="Validate a test file",
        description="Validates a test file without running it: syntax, linting, and the structure the framework asks"
        " for (names, assertions, fixtures that resolve, no sleeping, no network), each error with line "
        "and suggestion. Use it for test files written or edited by hand; run_tests tells whether they "
        "hold. code_path is relative to the root, or absolute when several roots are served. Takes about"
        " a second.",
        file_argument="code_path",
        has_root=False,
    ),
)
