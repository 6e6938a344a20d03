"""`check_syntax`: whether a file parses, for the languages that have a parser here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from ...analysis.javascript.checks import SUFFIXES, ScriptFile
from ...analysis.test_checks.data_file import DataIssue, json_error, toml_error, yaml_error
from ...core.errors import ToolFailure
from ...utils.confined_paths import read_text
from ...utils.python_source import parse_python
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

# A file without an ending of its language's is read as one with the widest grammar.
_ENDINGS = {"javascript": ".js", "jsx": ".jsx", "typescript": ".ts", "tsx": ".tsx"}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    given, language = arguments["file_path"], arguments["language"].lower()
    known = sorted({*_PARSERS, *_ENDINGS})
    if language not in known:
        raise ToolFailure(
            f"there is no parser for {arguments['language']!r}",
            advice=f"languages that can be checked: {', '.join(known)}",
            details={"languages": known},
        )
    text = await asyncio.to_thread(lambda: read_text(services.any_file(given), given))
    if language in _ENDINGS:
        return await _script(services, given, language, text)
    found = await asyncio.to_thread(_PARSERS[language], text)
    return {"valid": found is None, "errors": [] if found is None else [found]}


def _key(services: ToolServices, arguments: dict[str, Any]) -> str | None:
    given = arguments["file_path"]
    try:
        return content_key(arguments, read_text(services.any_file(given), given))
    except ToolFailure:
        return None  # the call itself tells it


async def _script(services: ToolServices, given: str, language: str, text: str) -> dict[str, Any]:
    suffix = PurePosixPath(given).suffix
    same = suffix in SUFFIXES and ("t" in suffix) == (language in ("typescript", "tsx")) and language[-1] != "x"
    name = given if same else f"{given}{_ENDINGS[language]}"
    [found] = await services.javascript.issues([ScriptFile(name, text, lint=False, structure=False)])
    errors = [{"line": one.line, "column": one.column, "message": one.message} for one in found]
    return {"valid": not errors, "errors": errors}


def _python(text: str) -> DataIssue | None:
    try:
        parse_python(text)
    except SyntaxError as error:
        return {"line": error.lineno or 0, "column": error.offset or 0, "message": error.msg}
    return None


_PARSERS: dict[str, Callable[[str], DataIssue | None]] = {
    "python": _python,
    "json": json_error,
    "toml": toml_error,
    "yaml": yaml_error,
}

TOOL = ToolDefinition(
    name="check_syntax",
    description="Parses a file of the run or the project and tells where it does not parse.",
    input_schema=closed_object(
        {
            "file_path": {"type": "string", "minLength": 1, "description": "Path in the run's folder or the project."},
            "language": {
                "type": "string",
                "minLength": 1,
                "description": "python, javascript, jsx, typescript, tsx, json, toml or yaml.",
            },
        }
    ),
    output_schema=closed_object(
        {
            "valid": {"type": "boolean"},
            "errors": {
                "type": "array",
                "items": closed_object(
                    {"line": {"type": "integer"}, "column": {"type": "integer"}, "message": {"type": "string"}}
                ),
            },
        }
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
)
