"""Runs pytest in the target's interpreter and writes results as data: `python pytest_run.py REQUEST.json …`.

REQUEST: {"project", "results", "coverage", "files", "arguments", "order", "measure", "clock", "time_zone",
"elsewhere", "decimal_comma", "plain_ascii", "watch", "pair", "test_seconds", "grace_seconds", "collect_seconds",
"stop_after"}. Results go to `results` as JSON lines (see
pytest_journal), coverage to `coverage` as one object. Nothing is read from pytest's text. The exit code is pytest's
own; 70 says that pytest could not be started at all.
"""

import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    """A module beside this file, without putting this folder on the target's path."""
    spec = importlib.util.spec_from_file_location("_testwright_" + name, os.path.join(HERE, name + ".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def warm(measured):
    """Import what every run needs and what knows nothing of the project."""
    import pytest  # noqa: F401

    if measured:
        import coverage  # noqa: F401


def run(request, tools, journal, measure, company):
    """One session of pytest."""
    import pytest

    journal.write("session", runner="pytest", version=pytest.__version__, python=sys.version.split()[0])
    plugin = load("pytest_results").Recorder(tools, request, journal, measure, company)
    files = [os.path.join(request["project"], path) for path in request["files"]]
    return int(pytest.main(list(request["arguments"]) + files, plugins=[plugin]))


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != HERE]
    exit_code = load("pytest_main").main(sys.argv[1:], load, warm, run)
    # Threads that a test left running must not keep the process alive.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)
