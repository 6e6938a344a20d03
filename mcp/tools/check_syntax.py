"""`check_syntax`: checks whether a file parses, for the languages that have a parser here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePosixPath

from ...analysis.javascript.checks import SUFFIXES, ScriptFile
from ...analysis.test_checks.data_file import DataIssue, json_error, toml_error, yaml_error
from ...core.errors import ToolFailure
from ...utils.python_source import parse_python
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import array, closed_object, integer, string
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

# A script whose suffix is not of its language is read as one with the language's widest grammar.
_SUFFIX_OF_LANGUAGE = {"javascript": ".js", "jsx": ".jsx", "typescript": ".ts", "tsx": ".tsx"}


async def _run(services: ToolServices, /, file_path: str, language: str) -> Json:
    """Parses a file of the run or the project and tells where it does not parse."""
    parser = language.lower()
    known = sorted({*_PARSERS, *_SUFFIX_OF_LANGUAGE})
    if parser not in known:
        raise ToolFailure(
            f"there is no parser for {language!r}",
            advice=f"languages that can be checked: {', '.join(known)}",
            details={"languages": known},
        )
    text = await asyncio.to_thread(lambda: services.text_of(file_path))
    if parser in _SUFFIX_OF_LANGUAGE:
        return await _check_script(services, file_path, parser, text)
    error = await asyncio.to_thread(_PARSERS[parser], text)
    return {"valid": error is None, "errors": [] if error is None else [error]}


def _key(services: ToolServices, arguments: Json) -> str | None:
    path = arguments["file_path"]
    try:
        return content_key(arguments, services.text_of(path))
    except ToolFailure:
        return None  # the call itself raises it


async def _check_script(services: ToolServices, path: str, language: str, text: str) -> Json:
    suffix = PurePosixPath(path).suffix
    # `.ts` and `.tsx` for TypeScript, others for JavaScript; JSX always gets a suffix that allows it.
    fits = suffix in SUFFIXES and ("t" in suffix) == (language in ("typescript", "tsx")) and language[-1] != "x"
    name = path if fits else f"{path}{_SUFFIX_OF_LANGUAGE[language]}"
    [issues] = await services.javascript.issues([ScriptFile(name, text, lint=False, structure=False)])
    errors = [{"line": issue.line, "column": issue.column, "message": issue.message} for issue in issues]
    return {"valid": not errors, "errors": errors}


def _python_error(text: str) -> DataIssue | None:
    try:
        parse_python(text)
    except SyntaxError as error:
        return {"line": error.lineno or 0, "column": error.offset or 0, "message": error.msg}
    return None


_PARSERS: dict[str, Callable[[str], DataIssue | None]] = {
    "python": _python_error,
    "json": json_error,
    "toml": toml_error,
    "yaml": yaml_error,
}

TOOL = ToolSpec(
    name="check_syntax",
    input_schema=closed_object(
        file_path=string(minLength=1, description="Path in the run's folder or the project."),
        language=string(minLength=1, description="python, javascript, jsx, typescript, tsx, json, toml or yaml."),
    ),
    output_schema=closed_object(
        valid={"type": "boolean"}, errors=array(closed_object(line=integer(), column=integer(), message=string()))
    ),
    run=_run,
    cache_key=_key,
    timeout_seconds=600.0,
    audience="both",
    client_form=ClientForm(
        title="Check a file's syntax",
        description="Parses a file of the project and tells where it does not parse. The cheapest check there is; "
        "lint_code and validate_test_code include it. Nothing is run.",
        file_argument="file_path",
    ),
)
