"""report: the page of a run, for a browser."""

from __future__ import annotations

import json
import sys
import webbrowser
from typing import Annotated

import typer

from ..app.fast_imports import fast_imports
from . import options as given
from .console import write_text
from .failures import report_failures
from .loading import load_settings_aloud


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report)


def report(
    run_id: given.RunName = "latest",
    opened: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    root: given.Root = None,
    state_dir: given.StateDir = None,
    store: given.Store = None,
    as_json: given.Json = False,
    debug: given.Debug = False,
) -> None:
    """Print the path of a run's report.html, or open it in the browser.

    The page needs no network: modules, tests with their code and evidence, sources, suspected defects, what was not
    reached, and the comparison with the run before.

    Example: testwright report latest --root examples/shop
    """
    with report_failures(debug=debug, as_json=as_json):
        with fast_imports():
            from ..app import service

        path = service.html_report(run_id, load_settings_aloud({"root": root, "state_dir": state_dir, "store": store}))
    if as_json:
        sys.stdout.write(json.dumps({"path": str(path)}) + "\n")
    else:
        write_text(f"{path}\n")
    if opened and not webbrowser.open(path.absolute().as_uri()):
        write_text("No browser could be started: open the page yourself.\n")
