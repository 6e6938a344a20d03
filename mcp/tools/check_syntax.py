"""`check_syntax`: whether a file parses, for the languages that have a parser here."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import tomllib
from collections.abc import Callable
from typing import Any

from ...errors import ToolFailure
from ...utils.python_source import parse_python
from ..definition import ToolDefinition, closed_object
from ..paths import read_text
from ..services import ToolServices

Found = dict[str, Any] | None


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_checked, services, arguments["file_path"], arguments["language"])


def _checked(services: ToolServices, given: str, language: str) -> dict[str, Any]:
    parsers = _parsers()
    parser = parsers.get(language.lower())
    if parser is None:
        raise ToolFailure(
            f"there is no parser for {language!r}",
            advice=f"languages that can be checked: {', '.join(sorted(parsers))}",
            details={"languages": sorted(parsers)},
        )
    found = parser(read_text(services.any_file(given), given))
    return {"valid": found is None, "errors": [] if found is None else [found]}


def _parsers() -> dict[str, Callable[[str], Found]]:
    parsers = {"python": _python, "json": _json, "toml": _toml}
    if importlib.util.find_spec("yaml") is not None:
        parsers["yaml"] = _yaml
    return parsers


def _python(text: str) -> Found:
    try:
        parse_python(text)
    except SyntaxError as error:
        return _error(error.lineno or 0, error.offset or 0, error.msg)
    return None


def _json(text: str) -> Found:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _error(error.lineno, error.colno, error.msg)
    except (RecursionError, ValueError) as error:
        return _error(0, 0, f"not readable: {error}")
    return None


def _toml(text: str) -> Found:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = str(error).rpartition("(at line ")[2].rstrip(")").split(", column ")
        line, column = (int(one) if one.isdigit() else 0 for one in [*place, "0", "0"][:2])
        return _error(line, column, str(error).partition(" (at ")[0])
    except RecursionError as error:
        return _error(0, 0, f"nested too deeply: {error}")
    return None


def _yaml(text: str) -> Found:
    """Events only: nothing is built, so aliases cannot blow up and tags cannot run anything."""
    yaml = importlib.import_module("yaml")
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error)
        return _error(mark.line + 1 if mark else 0, mark.column + 1 if mark else 0, message)
    except RecursionError as error:
        return _error(0, 0, f"nested too deeply: {error}")
    return None


def _error(line: int, column: int, message: str) -> dict[str, Any]:
    return {"line": line, "column": column, "message": message}


TOOL = ToolDefinition(
    name="check_syntax",
    description="Parses a file of the run or the project and tells where it does not parse.",
    input_schema=closed_object(
        {
            "file_path": {"type": "string", "minLength": 1, "description": "Path in the run's folder or the project."},
            "language": {"type": "string", "minLength": 1, "description": "python, json, toml, or yaml."},
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
)
