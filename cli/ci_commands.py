"""ci: testwright as a step of a CI workflow."""

from __future__ import annotations

import os
import sys

import typer

from . import options as given
from .failures import report_failures


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("github")(github)


def github(debug: given.Debug = False) -> None:
    """A step of a GitHub workflow: inputs from INPUT_* variables, answers in the runner's files.

    This is what the Action of this repository runs; docs/ci.md says how to use it.

    Example: testwright ci github
    """
    with report_failures(debug=debug):
        from .github.github import github_step

        code = github_step(os.environ, sys.stdout)
    raise typer.Exit(code)
