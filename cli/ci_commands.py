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
    app.command("github-pull-request")(github_pull_request)


def github(debug: given.Debug = False) -> None:
    """A step of a GitHub workflow: inputs from INPUT_* variables, answers in the runner's files.

    This is what the Action of this repository runs; docs/ci.md says how to use it.

    Example: testwright ci github
    """
    with report_failures(debug=debug):
        from .github.github import github_step

        code = github_step(os.environ, sys.stdout)
    raise typer.Exit(code)


def github_pull_request(debug: given.Debug = False) -> None:
    """A step of a GitHub workflow after the run's own: a pull request of its kept tests.

    Example: testwright ci github-pull-request
    """
    with report_failures(debug=debug):
        from .github.pull_request_step import pull_request_step

        code = pull_request_step(os.environ, sys.stdout)
    raise typer.Exit(code)
