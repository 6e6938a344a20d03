"""Runs pytest in the target's interpreter and writes results as data: `python pytest_run.py REQUEST.json`.

REQUEST: {"project", "results", "coverage", "files", "arguments", "order", "measure", "clock", "test_seconds",
"grace_seconds", "collect_seconds", "stop_after"}. Results go to `results` as JSON lines (see pytest_journal), coverage
to `coverage` as one object. Nothing is read from pytest's text. The exit code is pytest's own; 70 says that pytest
could not be started at all.
"""

import importlib.util
import json
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_STARTED = 70


def load(name):
    """A module beside this file, without putting this folder on the target's path."""
    spec = importlib.util.spec_from_file_location("_testwright_" + name, os.path.join(HERE, name + ".py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main():
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != HERE]
    with open(sys.argv[1], encoding="utf-8") as stream:
        request = json.load(stream)
    journal_module = load("pytest_journal")
    journal = journal_module.Journal(request["results"])
    if request["clock"]:
        moved = load("pytest_clock").move_clock(request["clock"])
        journal.write("clock", moved=moved)
    try:
        import pytest

        measure = None
        if request["measure"]:
            measure = load("pytest_measure").Measure(request["project"], request["measure"])
        journal.write("session", runner="pytest", version=pytest.__version__, python=sys.version.split()[0])
        plugin = load("pytest_results").Recorder(journal_module, request, journal, measure)
        code = int(pytest.main(list(request["arguments"]) + list(request["files"]), plugins=[plugin]))
        if measure is not None:
            with open(request["coverage"], "w", encoding="utf-8") as stream:
                json.dump(measure.stop(), stream, sort_keys=True)
    except (Exception, SystemExit):
        journal.write("broken", message=journal_module.cut(traceback.format_exc(), journal_module.TRACE_LIMIT))
        return NOT_STARTED
    journal.write("end", code=code)
    return code


if __name__ == "__main__":
    # Threads that a test left running must not keep the process alive.
    exit_code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)
