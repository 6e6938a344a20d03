"""Commands crawl, cases and engineer: run the three repository agents up to a goal."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from ..config.settings import load_settings
from ..core.errors import UsageError
from ..store.files.run_folder import new_run_id
from ..utils.names.counted import counted
from . import options as given
from .console import Console, write_text
from .failures import name_interrupted_run, report_failures
from .outcome import print_files
from .progress import show_progress

if TYPE_CHECKING:
    from ..agents.embedded.plan.repository_steps import E2eFramework, Goal
    from ..app.run_report import RunResult
    from ..engine.repository.survey import Depth

_FILES: dict[Goal, str] = {"crawl": "repository.json", "cases": "test-cases.json", "engineer": "engineered.json"}
_DEPTHS: dict[str, Depth] = {"smoke": "smoke", "core": "core", "standard": "standard", "deep": "deep"}
_FRAMEWORKS: dict[str, E2eFramework] = {"playwright": "playwright", "maestro": "maestro"}

DepthLevel = Annotated[
    str,
    typer.Option(
        "--depth", help="smoke (entry points), core (and what they import), standard (all source), deep (everything)."
    ),
]
Ref = Annotated[str | None, typer.Option("--ref", help="Branch or commit that must be checked out. Default: any.")]
Framework = Annotated[str, typer.Option("--framework", help="playwright or maestro.")]
_RUN = ("run_id", "repository")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (crawl, cases, engineer):
        app.command()(command)


@given.with_options(given.LOCATION_OPTIONS, _RUN, given.MODEL_OPTIONS, given.TOOL_OPTIONS)
def crawl(
    depth: DepthLevel = "standard",
    ref: Ref = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Map the repository: its files, entry points, command line programs and what it is built with.

    Example: testwright crawl --root examples/shop --depth core
    """
    _execute("crawl", options, depth=depth, ref=ref, framework="playwright", as_json=as_json, debug=debug)


@given.with_options(given.LOCATION_OPTIONS, _RUN, given.MODEL_OPTIONS, given.TOOL_OPTIONS)
def cases(
    depth: DepthLevel = "standard",
    ref: Ref = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Crawl, then write test cases for the routes and pages that were found; no code.

    Example: testwright cases --root . --depth standard --json
    """
    _execute("cases", options, depth=depth, ref=ref, framework="playwright", as_json=as_json, debug=debug)


@given.with_options(given.LOCATION_OPTIONS, _RUN, given.MODEL_OPTIONS, given.TOOL_OPTIONS, ("dry_run", "apply"))
def engineer(
    depth: DepthLevel = "standard",
    ref: Ref = None,
    framework: Framework = "playwright",
    as_json: given.Json = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Crawl, write test cases, and turn them into Playwright or Maestro files.

    Example: testwright engineer --root . --depth smoke --framework playwright --dry-run
    """
    _execute("engineer", options, depth=depth, ref=ref, framework=framework, as_json=as_json, debug=debug)


def _execute(
    goal: Goal, options: dict[str, Any], *, depth: str, ref: str | None, framework: str, as_json: bool, debug: bool
) -> None:
    with report_failures(debug=debug, as_json=as_json):
        from ..app.runs import explore_repository

        level = _DEPTHS.get(depth)
        chosen = _FRAMEWORKS.get(framework)
        if level is None:
            raise UsageError(f"There is no depth {depth!r}.", advice=f"Depths: {', '.join(_DEPTHS)}.")
        if chosen is None:
            raise UsageError(f"There is no framework {framework!r} here.", advice="Use playwright or maestro.")
        settings = load_settings(given.flags_of(options))
        settings = settings.model_copy(update={"run_id": settings.run_id or new_run_id()})
        with name_interrupted_run(str(settings.run_id)), show_progress(quiet=as_json) as sink:
            work = explore_repository(goal, settings, depth=level, ref=ref, framework=chosen, on_event=sink)
            ended = asyncio.run(work)
    made = ended.report_path.parent / _FILES[goal]
    if as_json:
        from ..reports.json_form import json_form

        sys.stdout.write(made.read_text("utf-8") if made.is_file() else json_form(ended.report))
    else:
        _shown(goal, ended, made)
    raise typer.Exit(ended.report.exit_code)


def _shown(goal: Goal, ended: RunResult, made: Path) -> None:
    console = Console()
    for step in ended.report.plan:
        if step.status != "completed" and step.error:
            console.print(f"[yellow]{step.id} {step.status}[/]: {escape(step.error)}")
    if made.is_file():
        _SUMMARIES[goal](console, json.loads(made.read_bytes()))
    for row in ended.report.skipped:
        console.print(f"[dim]Left out: {escape(row.target)}: {escape(row.reason)}[/]")
    if ended.diff:
        write_text(ended.diff)
    print_files((file.path, file.outcome, file.reason) for file in ended.report.files)
    console.print(f"{escape(str(made if made.is_file() else ended.report_path))}")


def _repository(console: Console, found: dict[str, Any]) -> None:
    stack = found["detected_stack"]
    built = ", ".join([str(stack.get("runtime", "")), *map(str, stack.get("frameworks") or ())])
    console.print(f"{escape(found['repo_full_name'])} at {escape(found['ref'])}: {escape(built)}")
    console.print(f"{counted(len(found['file_tree']), 'file')}, {counted(len(found['entry_points']), 'entry point')}")
    for entry_point in found["entry_points"]:
        console.print(f"  {entry_point['kind']:13} {escape(entry_point['path'])}")
    # A model may have written the map, in a form of its own below `detected_stack`.
    for program in stack.get("programs") or ():
        if isinstance(program, dict):
            console.print(escape(f"  {'program':13} {_program(program)}"))


def _program(program: dict[str, Any]) -> str:
    made_with = f" ({program['framework']})" if program.get("framework") else ""
    commands = f": {', '.join(map(str, program['commands']))}" if program.get("commands") else ""
    return f"{program.get('name', '')}{made_with} {program.get('file', '')}:{program.get('line', '')}{commands}"


def _cases(console: Console, found: dict[str, Any]) -> None:
    for test_case in found["test_cases"]:
        console.print(f"{test_case['priority']:9} {escape(test_case['title'])} [dim]{escape(test_case['id'])}[/]")
    console.print(escape(found["coverage_notes"]))


def _engineered(console: Console, found: dict[str, Any]) -> None:
    console.print(escape(found["pr_title"]))
    console.print(f"  {escape(found['base_branch'])} ← {escape(found['head_branch'])}")


_SUMMARIES = {"crawl": _repository, "cases": _cases, "engineer": _engineered}
