"""A plugin of pytest that writes down each test as it begins and ends: what killed the process stands last.

Where BENCH_NO_DEADLINE is set, Hypothesis has no limit of 200 ms a case, which fails tests on a busy machine.
Where BENCH_CONTEXTS is set, coverage.py, which has to be measuring, notes which test runs each line.
The file is named by BENCH_JOURNAL. One JSON list a line: `["start", nodeid]`, `["passed" | "failed" | "xfailed" |
"skipped", nodeid]` for each phase that says something, `["end", ""]`.
"""

import json
import os
from pathlib import Path


def _write(word, nodeid):
    with Path(os.environ["BENCH_JOURNAL"]).open("a") as journal:
        journal.write(json.dumps([word, nodeid]) + "\n")


def _attribute(nodeid):
    if os.environ.get("BENCH_CONTEXTS"):
        from coverage import Coverage  # it is in the environment of the tests

        measuring = Coverage.current()
        if measuring is not None:
            measuring.switch_context(nodeid)


def pytest_configure():
    """Before any test is imported, which is when Hypothesis takes its settings."""
    if os.environ.get("BENCH_NO_DEADLINE"):
        from hypothesis import settings  # pyrefly: ignore[missing-import] - it is in the environment of the tests

        settings.register_profile("bench", deadline=None)
        settings.load_profile("bench")


def pytest_collectreport(report):
    """A file that cannot be collected counts as one test that failed."""
    if report.failed:
        _write("failed", report.nodeid)


def pytest_runtest_logstart(nodeid, location):
    """Before anything of the test is run."""
    _write("start", nodeid)
    _attribute(nodeid)


def pytest_runtest_logfinish(nodeid, location):
    """After its teardown."""
    _attribute("")


def pytest_runtest_logreport(report):
    """Setup and teardown speak only where they fail or skip."""
    if report.skipped:
        _write("xfailed" if hasattr(report, "wasxfail") else "skipped", report.nodeid)
    elif report.failed or report.when == "call":
        _write("failed" if report.failed else "passed", report.nodeid)


def pytest_sessionfinish():
    """The run came to its end."""
    _write("end", "")
