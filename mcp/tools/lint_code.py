"""`lint_code`: lints Python with ruff, scripts with ESLint, JSON and YAML with a reader.

A project's Python is linted by the project's own rules. Its ESLint configuration is not used: it is code.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from ...analysis.javascript.checks import SUFFIXES, ScriptFile
from ...analysis.ruff import lint_project_file, lint_test_source
from ...analysis.test_checks.data_file import data_issues
from ...core.errors import ToolFailure
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import array, closed_object, integer, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_DATA_LANGUAGES = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


async def _run(services: ToolServices, /, file_path: str) -> Json:
    """Lints a Python, JavaScript, TypeScript, JSON or YAML file. Python of the project follows its own ruff rules,
    Python of the run the rules for tests; scripts are held to a fixed set of ESLint rules.
    """
    file = await asyncio.to_thread(services.any_file, file_path)
    if file.suffix in SUFFIXES:
        source = await asyncio.to_thread(services.text_of, file_path)
        [issues] = await services.javascript.issues([ScriptFile(file_path, source, structure=False)])
        return {"errors": [_error(issue.line, issue.column, issue.rule, issue.message) for issue in issues]}
    if file.suffix in (".py", ".pyi") and not _is_of_run(services, file):
        diagnostics = await lint_project_file(file, services.root)
    elif file.suffix in (".py", ".pyi"):
        diagnostics = await asyncio.to_thread(lambda: lint_test_source(services.text_of(file_path), file_path))
    else:
        return {"errors": await asyncio.to_thread(_lint_data, services, file, file_path)}
    return {"errors": [_error(issue.line, issue.column, issue.rule, issue.message) for issue in diagnostics]}


def _lint_data(services: ToolServices, file: Path, path: str) -> list[Json]:
    if file.suffix in _DATA_LANGUAGES:
        return [_error(**issue) for issue in data_issues(services.text_of(path), _DATA_LANGUAGES[file.suffix])]
    known = ", ".join((".py", ".pyi", *SUFFIXES, *_DATA_LANGUAGES))
    raise ToolFailure(f"{path!r} cannot be linted: there is no linter for it", advice=f"give a file of {known}")


def _error(line: int, column: int, rule: str, message: str) -> Json:
    return {"line": line, "column": column, "rule": rule, "message": message}


def _is_of_run(services: ToolServices, file: Path) -> bool:
    return file.resolve().is_relative_to(services.run_folder.path.resolve())


def _key(services: ToolServices, arguments: Json) -> str | None:
    """Keys by content; Python of the project is not cached, because any file around it may configure its rules."""
    path = arguments["file_path"]
    try:
        file = services.any_file(path)
        if _is_of_run(services, file) or file.suffix in (*SUFFIXES, *_DATA_LANGUAGES):
            return content_key(arguments, services.text_of(path))
    except ToolFailure:
        pass  # the call itself raises it
    return None


TOOL = ToolSpec(
    name="lint_code",
    input_schema=closed_object(file_path=string(minLength=1, description="Path in the run's folder or the project.")),
    output_schema=closed_object(
        errors=array(closed_object(line=integer(), column=integer(), rule=string(), message=string()))
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
    audience="both",
    client_form=ClientForm(
        title="Lint a file",
        description="Lints a file of the project: line, column, rule and message of each finding. Python by the "
        "project's own ruff settings; JavaScript and TypeScript by rules of testwright's own, as ESLint configurations "
        "are code. For test files use validate_test_code, which also checks their structure; check_syntax only parses. "
        "Takes about a second; nothing is changed.",
        file_argument="file_path",
    ),
)
