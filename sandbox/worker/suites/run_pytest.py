"""Runs pytest in the target's interpreter and writes results as data: `suites.run_pytest REQUEST.json …`.

REQUEST: {"project", "results", "coverage", "files", "arguments", "order", "measure", "clock", "time_zone",
"elsewhere", "decimal_comma", "plain_ascii", "home", "xdg", "user", "nonsense", "no_terminal", "warnings_fail", "watch",
"pair", "test_seconds", "grace_seconds", "collect_seconds", "stop_after"}. Results go to `results` as JSON lines (see
journal.py), coverage to `coverage` as one object. Nothing is read from pytest's text. The exit code is pytest's
own; 70 says that pytest could not be started at all.
"""

import os
import sys

from .loaded_pytest import load_pytest
from .run_requests import run_requests


def warm(measured):
    """Import what every run needs and what knows nothing of the project."""
    load_pytest()
    from . import pytest_recorder  # noqa: F401

    if measured:
        import coverage  # noqa: F401


def run(request, journal, measure, company):
    """One session of pytest."""
    import pytest

    journal.write("session", runner="pytest", version=pytest.__version__, python=sys.version.split()[0])
    from .pytest_recorder import (
        PytestRecorder,
        WarningsAreErrors,
    )  # its module imports pytest, which only the process of a run may have

    plugins: list = [PytestRecorder(request, journal, measure, company)]
    if request.get("warnings_fail"):
        plugins.append(WarningsAreErrors())
    files = [os.path.join(request["project"], path) for path in request["files"]]
    return int(pytest.main(list(request["arguments"]) + files, plugins=plugins))


def main():
    """Carry out the requests that the command line names."""
    run_requests(sys.argv[1:], warm, run)
