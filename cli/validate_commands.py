"""validate spec and validate code: the checks of the refine loops, for a person's own files."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from ..core.errors import UsageError
from ..core.exit_code import ExitCode
from ..utils.schema_registry import known_test_types
from ..utils.untrusted_files import decoded_json
from . import options as given
from .console import Console
from .failures import report_failures
from .loading import load_service

CodeFramework = Annotated[
    Literal["pytest", "unittest", "jest", "playwright", "maestro", "locust"] | None,
    typer.Option("--framework", help="What the file is a test for. Default: told from the file."),
]
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_PLAYWRIGHT = re.compile(r"""(from|require\()\s*['"](@playwright/test|playwright/test)['"]""")
_LOCUST = re.compile(r"^[ \t]*(from|import)\s+locust\b", re.MULTILINE)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("spec")(spec)
    app.command("code")(code)


def spec(
    path: Annotated[Path, typer.Argument(help="The spec, a JSON file.")],
    test_type: given.TestType = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Rules beyond the schema are warnings only.")] = False,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Check a test spec against its schema and the rules of a good spec.

    Example: testwright validate spec .testwright/runs/RUN_ID/specs/shop_cart.json
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        content = read_json_file(path)
        kind = test_type or (content.get("test_type") if isinstance(content, dict) else None)
        if kind not in known_test_types():
            known = ", ".join(known_test_types())
            raise UsageError(f"{path} names no known test type.", advice=f"Give --test-type: {known}.")
        result = asyncio.run(service.validate_spec(content, str(kind), strict=not lenient))
    _shown(result, str(path), as_json)


def code(
    path: Annotated[Path, typer.Argument(help="The test file.")],
    framework: CodeFramework = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Check a test file: syntax, lint and structure.

    Without --framework it is told from the file: Playwright by its import, Jest for other scripts, Maestro for YAML,
    Locust by its import, pytest for other Python files.

    Example: testwright validate code tests/generated/shop/test_shop_cart.py
    """
    with report_failures(debug=debug, as_json=as_json):
        service = load_service()
        result = asyncio.run(service.validate_code(path, framework or _framework_of(path)))
    _shown(result, str(path), as_json)


def _framework_of(path: Path) -> str:
    if path.suffix in (".yaml", ".yml"):
        return "maestro"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if _SCRIPT.search(path.name):
        return "playwright" if _PLAYWRIGHT.search(text) else "jest"
    return "locust" if _LOCUST.search(text) else "pytest"


def read_json_file(path: Path) -> Any:
    """Read a JSON file. Raises UsageError."""
    try:
        return decoded_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", advice="Check the path.") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}.", advice="A spec is one JSON object.") from error


def _shown(result: dict[str, Any], name: str, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2, sort_keys=True) + "\n")
    else:
        console = Console()
        for error in result["errors"]:
            where = error.get("path") or f"line {error.get('line', 0)}"
            console.print(
                f"{escape(str(where))}: {error.get('severity', error.get('type', 'error'))}: {escape(error['message'])}"
            )
            if error.get("suggestion"):
                console.print(f"    {escape(error['suggestion'])}")
        console.print(f"{escape(name)}: {'valid' if result['valid'] else 'not valid'}")
    raise typer.Exit(ExitCode.OK if result["valid"] else ExitCode.TEST_DEFECT)
