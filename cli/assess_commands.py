"""assess: the gate's judgement over tests that are there already."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import UsageError
from . import options as given
from .failures import report_failures
from .loading import load_settings_aloud
from .outcome import startable
from .progress import show_phases

FORMATS = ("text", "json", "markdown")
Paths = Annotated[list[str] | None, typer.Argument(help="Test files or folders of the project. Default: all it has.")]
Targets = Annotated[
    list[str] | None, typer.Option("--target", help="A module whose branches and mutants count; may be repeated.")
]
Size = Annotated[int, typer.Option("--mutants", min=0, max=10_000, help="Mutants to try, of all targets together.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Another number draws other mutants.")]
Format = Annotated[str | None, typer.Option("--format", help="text, json or markdown. Default: text.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write it to this file instead of the terminal.")]
Seconds = Annotated[float, typer.Option("--test-seconds", min=0.1, help="How long one test may take.")]
_RUN = ("run_id", "framework", "python", "sandbox", "max_seconds")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("assess")(assess)


@given.with_options(given.LOCATION_OPTIONS, _RUN)
def assess(
    paths: Paths = None,
    target: Targets = None,
    mutants: Size = 100,
    seed: Seed = 0,
    test_seconds: Seconds = 30.0,
    form: Format = None,
    output: Output = None,
    as_json: given.Json = False,
    quiet: given.Quiet = False,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Judge tests that are there already: do they hold, what do they cover, which faults would they notice?

    They run in a copy: shuffled, backwards, in fresh processes, in another folder, locale and zone, on another day, and
    beside themselves. No file is changed. Exit codes: 0 all hold, 3 something is missing, 5 no test ran, 6 no time was
    left for the conditions, 9 some fail, 10 some hold only sometimes, 11 some run too long.

    Example: testwright assess tests --root examples/shop
    """
    form = form or ("json" if as_json else "text")
    with report_failures(debug=debug, as_json=form == "json"):
        if form not in FORMATS:
            raise UsageError(f"There is no format {form!r}.", advice=f"Choose one of {', '.join(FORMATS)}.")
        from ..app.assess import assess as assess_suite

        settings = load_settings_aloud(given.flags_of(options))
        with show_phases(quiet=form == "json" or quiet) as on_phase:
            assessment = assess_suite(
                paths or (),
                settings,
                targets=target or (),
                mutants=mutants,
                test_seconds=test_seconds,
                seed=seed,
                on_phase=on_phase,
            )
            done = asyncio.run(assessment)
        text = _text(done.report, form)
        if output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(text, encoding="utf-8")
    if output is None:
        sys.stdout.write(text)
    if form != "json" and output is None:
        command = startable(f"testwright report {done.report['run_id']} --open")
        sys.stdout.write(f"\nReport: {done.path}\n  {command}\n")
    raise typer.Exit(done.exit_code)


def _text(report: Mapping[str, Any], form: str) -> str:
    from ..reports.assessment import markdown_form, text_form

    if form == "json":
        return json.dumps(report, indent=2, sort_keys=True) + "\n"
    return markdown_form(report) if form == "markdown" else text_form(report)
