"""The real command line in this process, for tests whose subject is not the process."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.tests.support.projects.files import Outcome


def invoke_command(*arguments: str, cwd: Path, environment: Mapping[str, str] | None = None, keys: str = "") -> Outcome:
    """As `run_command`, without the seconds that a new process takes to load everything.

    Args:
        keys: what a person types.

    Raises:
        Exception: what the command let through; a process would have printed it and ended with 1.
    """
    with contextlib.chdir(cwd):
        result = CliRunner().invoke(app, arguments, input=keys, env={"COLUMNS": "200", **(environment or {})})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)
