"""`lint_code`: what ruff says about a Python file, ESLint about a script, a reader about JSON and YAML.

A project's Python is linted by the project's own rules. Its ESLint configuration is not used: it is code.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ...analysis.javascript.checks import SUFFIXES, ScriptFile
from ...analysis.ruff import lint_project_file, lint_test_source
from ...analysis.test_checks.data_file import data_issues
from ...core.errors import ToolFailure
from ...utils.confined_paths import read_text
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_DATA = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    given = arguments["file_path"]
    place = await asyncio.to_thread(services.any_file, given)
    if place.suffix in SUFFIXES:
        source = await asyncio.to_thread(read_text, place, given)
        [found] = await services.javascript.issues([ScriptFile(given, source, structure=False)])
        return {"errors": [_error(one.line, one.column, one.rule, one.message) for one in found]}
    return {"errors": await asyncio.to_thread(_linted, services, place, given)}


def _linted(services: ToolServices, place: Path, given: str) -> list[dict[str, Any]]:
    if place.suffix in (".py", ".pyi"):
        if place.resolve().is_relative_to(services.run_folder.path.resolve()):
            found = lint_test_source(read_text(place, given), given)
        else:
            found = lint_project_file(place, services.root)
        return [_error(one.line, one.column, one.rule, one.message) for one in found]
    if place.suffix in _DATA:
        return [_error(**one) for one in data_issues(read_text(place, given), _DATA[place.suffix])]
    known = ", ".join((".py", ".pyi", *SUFFIXES, *_DATA))
    raise ToolFailure(f"{given!r} cannot be linted: there is no linter for it", advice=f"give a file of {known}")


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    """By content; not for Python of the project, whose rules may stand in any file around it."""
    given = arguments["file_path"]
    try:
        place = services.any_file(given)
        of_run = place.resolve().is_relative_to(services.run_folder.path.resolve())
        known = of_run or place.suffix in (*SUFFIXES, *_DATA)
        return content_key(arguments, read_text(place, given)) if known else None
    except ToolFailure:
        return None  # the call itself tells it


def _error(line: int, column: int, rule: str, message: str) -> dict[str, Any]:
    return {"line": line, "column": column, "rule": rule, "message": message}


TOOL = ToolDefinition(
    name="lint_code",
    description=(
        "Lints a Python, JavaScript, TypeScript, JSON or YAML file. Python of the project follows its own ruff rules, "
        "Python of the run the rules for tests; scripts are held to a fixed set of ESLint rules."
    ),
    input_schema=closed_object(
        {"file_path": {"type": "string", "minLength": 1, "description": "Path in the run's folder or the project."}}
    ),
    output_schema=closed_object(
        {
            "errors": {
                "type": "array",
                "items": closed_object(
                    {
                        "line": {"type": "integer"},
                        "column": {"type": "integer"},
                        "rule": {"type": "string"},
                        "message": {"type": "string"},
                    }
                ),
            }
        }
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
)
