"""The command line's commands, put together.

What a command works with is imported when it runs: graphs, models and tools take seconds to import, help does not.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ..core.version import VERSION
from . import (
    assess_commands,
    ci_commands,
    inspect_commands,
    mcp_commands,
    report_command,
    repository_commands,
    run_commands,
    store_commands,
    validate_commands,
)
from .github import pull_request_command
from .temporal import run_signals, worker_command

app = typer.Typer(
    name="testwright",
    help="From a request in plain words to tests a team would keep.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
runs = typer.Typer(help="List and show runs.", no_args_is_help=True)
validate = typer.Typer(help="Check a test spec or a test file.", no_args_is_help=True)
mcp = typer.Typer(help="Serve testwright to other agents.", no_args_is_help=True)
ci = typer.Typer(help="Work as a step of a CI workflow.", no_args_is_help=True)

temporal = typer.Typer(help="Steer a run that is going on at workers.", no_args_is_help=True)

run_commands.register(app)
assess_commands.register(app)
repository_commands.register(app)
store_commands.register(app, runs)
report_command.register(app)
pull_request_command.register(app)
worker_command.register(app)
validate_commands.register(validate)
inspect_commands.register(app)
mcp_commands.register(mcp)
ci_commands.register(ci)
run_signals.register(temporal)
app.add_typer(runs, name="runs")
app.add_typer(validate, name="validate")
app.add_typer(mcp, name="mcp")
app.add_typer(ci, name="ci")
app.add_typer(temporal, name="temporal")


def _version_told(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"testwright {VERSION}\n")
        raise typer.Exit


@app.callback()
def _whole(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_version_told)
    ] = False,
) -> None:
    """From a request in plain words to tests a team would keep."""
