"""`validate_test_code`: syntax, lint and structure of a test file (T-10); the seed's schemas plus our frameworks."""

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
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition
from ..toolbox.services import ToolServices

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code_path": {"type": "string", "description": "Path to generated test file"},
        "framework": {
            "type": "string",
            "enum": ["pytest", "jest", "unittest", "playwright", "maestro", "locust"],
        },
        "check_syntax": {"type": "boolean", "default": True},
        "check_lint": {"type": "boolean", "default": True},
        "check_structure": {"type": "boolean", "default": True},
    },
    "required": ["code_path", "framework"],
}
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "valid": {"type": "boolean"},
        "syntax_valid": {"type": "boolean"},
        "lint_passed": {"type": "boolean"},
        "structure_valid": {"type": "boolean"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": ["syntax", "lint", "structure"]},
                    "line": {"type": "integer"},
                    "message": {"type": "string"},
                    "suggestion": {"type": "string"},
                },
            },
        },
    },
}
_HINTS = {
    "F401": "remove the import",
    "F811": "give each definition a name of its own",
    "F821": "import or define the name",
    "F841": "use the value, or do not bind it",
    "E711": "compare with None by `is`",
    "E712": "compare with `is`, or assert the value itself",
    "E722": "name the exception",
}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    given, framework = arguments["code_path"], arguments["framework"]
    wanted = (arguments["check_syntax"], arguments["check_lint"], arguments["check_structure"])
    source = await asyncio.to_thread(lambda: read_text(services.any_file(given), given))
    if framework in SCRIPTS:
        return await _check_script(services, source, given, framework, wanted)
    return await asyncio.to_thread(_check_here, services, source, given, framework, wanted)


def _check_here(
    services: ToolServices, source: str, given: str, framework: str, wanted: tuple[bool, bool, bool]
) -> dict[str, Any]:
    syntax, lint, structure = wanted
    if framework == "maestro":
        issues = list(maestro_issues(source, given, syntax=syntax, lint=lint, structured=structure))
        return _result(issues, parsed=parses(source), wanted=wanted)
    conftests = _conftests(services, given) if framework == "pytest" else ()
    return check_code(source, given, framework, conftests, syntax=syntax, lint=lint, structure=structure)


async def _check_script(
    services: ToolServices, source: str, given: str, framework: Any, wanted: tuple[bool, bool, bool]
) -> dict[str, Any]:
    """Jest and Playwright; a file of another language has no other error."""
    syntax, lint, structure = wanted
    if not given.endswith(SUFFIXES):
        fix = f"name it with one of {', '.join(SUFFIXES)}"
        issues = [CodeIssue("syntax", 0, f"{given!r} is no file of JavaScript or TypeScript", fix, "invalid-syntax")]
        return _result(issues if syntax else [], parsed=False, wanted=wanted)
    [found] = await services.javascript.issues([ScriptFile(given, source, framework, lint, structure)])
    issues = list(script_issues([one for one in found if syntax or one.type != "syntax"], framework))
    issues += script_name_issues(given, framework) if structure else ()
    parsed = all(one.type != "syntax" for one in found)
    return _result(list(dict.fromkeys(issues)), parsed=parsed, wanted=wanted)


def check_code(
    source: str,
    name: str,
    framework: str,
    conftests: tuple[str, ...] = (),
    *,
    syntax: bool = True,
    lint: bool = True,
    structure: bool = True,
) -> dict[str, Any]:
    """Every error of a test file, as the tool answers it.

    A check that is switched off counts as passed. What does not parse passes none of the others.

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
    if tree is not None and lint:
        issues += [_lint_issue(one) for one in diagnostics if not one.is_syntax]
    if tree is not None and structure:
        module = read_module(tree)
        if framework == "pytest":
            fixtures = Fixtures()
            fixtures.add(tree)
            for one in conftests:
                fixtures.add_source(one)
            issues += pytest_issues(module, name, fixtures)
        elif framework == "unittest":
            issues += unittest_issues(module, name)
        else:
            issues += locust_issues(module)
    return _result(list(dict.fromkeys(issues)), parsed=tree is not None, wanted=(syntax, lint, structure))


def _result(issues: list[CodeIssue], *, parsed: bool, wanted: tuple[bool, bool, bool]) -> dict[str, Any]:
    types = {one.type for one in issues}
    passed = [
        not on or (parsed and kind not in types)
        for on, kind in zip(wanted, ("syntax", "lint", "structure"), strict=True)
    ]
    return {
        "valid": all(passed),
        "syntax_valid": passed[0],
        "lint_passed": passed[1],
        "structure_valid": passed[2],
        "errors": [one.to_dict() for one in sorted(issues, key=lambda one: (one.line, one.type, one.message))],
    }


def _syntax_issues(error: SyntaxError, diagnostics: list[Diagnostic]) -> list[CodeIssue]:
    """Ruff recovers and so finds every place; the parser's word stands when ruff reads what Python does not."""
    found = [
        CodeIssue("syntax", one.line, one.message, "correct the syntax", one.rule)
        for one in diagnostics
        if one.is_syntax
    ]
    if found:
        return found
    return [CodeIssue("syntax", error.lineno or 0, error.msg, "correct the syntax", "invalid-syntax")]


def _lint_issue(found: Diagnostic) -> CodeIssue:
    suggestion = _HINTS.get(found.rule) or found.fix or f"see ruff rule {found.rule}"
    return CodeIssue("lint", found.line, f"{found.rule}: {found.message}", suggestion, found.rule)


def _conftests(services: ToolServices, given: str) -> tuple[str, ...]:
    """conftest.py files from the test's folder up, staged ones before the project's."""
    try:
        inner = PurePosixPath(services.test_path(given))
    except ToolFailure:
        inner = PurePosixPath(given.lstrip("/"))
    found: list[str] = []
    for folder in inner.parents:
        for base in (services.run_folder.staged, services.root):
            place = base / folder / "conftest.py"
            if place.is_file():
                found.append(read_text(place, "conftest.py"))
    return tuple(found)


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    try:
        place = services.any_file(arguments["code_path"])
        return content_key(arguments, read_text(place, place.name), _conftests(services, arguments["code_path"]))
    except ToolFailure:
        return None


TOOL = ToolDefinition(
    name="validate_test_code",
    description="Validates generated test code for syntax, linting, and structure",
    input_schema=INPUT_SCHEMA,
    output_schema=OUTPUT_SCHEMA,
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
)
