"""The pytest plugin that orders, times and records tests; loaded by run_pytest.py, works with pytest 7 to 9."""

import faulthandler
import fcntl
import os
import re
import time
import warnings

import pytest
from _pytest.config import parse_warning_filter  # the only way to read what `filterwarnings` says

from .journal import TRACE_LIMIT, Alarm, arrange, case_id_of, cut, describe, is_generated, place_of

BROWSER_PLUGIN = "pytest_playwright.pytest_playwright"


class PytestRecorder:
    """Writes every fact of a session to the journal.

    Args:
        request: the run's request.
        journal: where facts go.
        measure: coverage, switched from test to test, or None.
        company: is told of each test; see interleaving.py.
    """

    def __init__(self, request, journal, measure, company):
        self._request = request
        self._journal = journal
        self._measure = measure
        self._company = company
        grace = request["grace_seconds"]
        self._alarm = Alarm(request["test_seconds"], lambda seconds: self._end_process_after(seconds + grace))
        self._phases = []
        self._stop_at = time.perf_counter() + request["stop_after"]
        # pytest redirects descriptor 2 while tests run; the message of a hard timeout must reach the host.
        # Not as descriptor 0, which pytest redirects as well, and which may be free.
        self._standard_error = os.fdopen(fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, 3), "w")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        faulthandler.cancel_dump_traceback_later()
        groups = [item.nodeid.split("::")[0] for item in items]
        order = arrange([item.nodeid for item in items], groups, self._request["order"])
        chosen = set(order)
        config.hook.pytest_deselected(items=[item for index, item in enumerate(items) if index not in chosen])
        items[:] = [items[index] for index in order]
        nodeids = [item.nodeid for item in items]
        self._journal.write("collected", nodeids=nodeids, case_ids=[self._case_id(item) for item in items])
        self._journal.write("acts_at_collection", acts=self._company.collected())

    def pytest_collectstart(self, collector):
        if isinstance(collector, pytest.File):
            self._end_process_after(self._request["collect_seconds"])
            self._journal.write("collecting", path=collector.nodeid)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        outcome = yield
        report = outcome.get_result()
        if report.outcome != "failed":
            return
        call = getattr(report, "call", None)
        error = None
        if call is not None and call.excinfo is not None:
            value = call.excinfo.value
            error = describe(value.__cause__ or value, self._request["project"])
        trace = cut(report.longreprtext, TRACE_LIMIT)
        self._journal.write("collect_error", path=report.nodeid.split("::")[0], error=error, trace=trace)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self._phases = []
        self._company.begin(item.nodeid)
        self._journal.write("started", nodeid=item.nodeid)
        if self._measure is not None:
            self._measure.switch(item.nodeid)
        self._end_process_after(self._request["test_seconds"] + self._request["grace_seconds"])
        yield
        faulthandler.cancel_dump_traceback_later()
        if self._measure is not None:
            self._measure.switch("")
        self._record(item, self._company.end())
        if time.perf_counter() > self._stop_at:
            item.session.shouldstop = "the time for this run is used up"

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self, item):
        yield from self._timed()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item):
        self._company.act()
        yield from self._timed()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item):
        yield from self._timed()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        error = None
        if call.excinfo is not None:
            error = describe(call.excinfo.value, self._request["project"])
        self._phases.append((outcome.get_result(), error))

    def pytest_internalerror(self, excrepr):
        self._journal.write("broken", message=cut(str(excrepr), TRACE_LIMIT))

    def _timed(self):
        self._alarm.start()
        try:
            yield
        finally:
            self._alarm.stop()

    def _end_process_after(self, seconds):
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._standard_error)

    def _case_id(self, item):
        row = getattr(getattr(item, "callspec", None), "id", None)
        names = None
        if is_generated(str(item.fspath)):
            names = (getattr(getattr(item, "cls", None), "__name__", None), getattr(item, "originalname", item.name))
        return case_id_of(row, getattr(getattr(item, "function", None), "__doc__", None), names)

    def _record(self, item, things):
        if not any(report.when == "teardown" for report, _ in self._phases):
            return  # The session was stopped inside the test: it has no outcome, and the host looks into it.
        outcome, phase, error, trace = "passed", "call", None, ""
        for report, described in self._phases:
            found = outcome_of(report, described)
            if found != "passed" and outcome == "passed":
                outcome, phase, error = found, report.when, described
                trace = cut(report.longreprtext, TRACE_LIMIT)
        self._journal.write(
            "test",
            nodeid=item.nodeid,
            path=item.nodeid.split("::")[0],
            name=item.name,
            case_id=self._case_id(item),
            outcome=outcome,
            phase=phase,
            seconds=round(sum(report.duration for report, _ in self._phases), 4),
            error=error,
            trace=trace,
            things=things,
            acts=self._company.acts(),
            place=place_of(getattr(item, "function", None), self._request["project"]),
        )


class WarningsAreErrors:
    """Makes errors of warnings while a test runs, but of those that the project or the test says how to treat.

    Not while files are collected or fixtures set up: a module that warns when a fixture imports it is no test's fault,
    and neither is an application that warns when a fixture makes it.
    """

    def __init__(self):
        self._strict = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, request):
        # All other filters stay, and those that a fixture adds hold for its test.
        before, strict = warnings.filters, self._strict
        mild = ("default", None, Warning, re.compile(""), 0)
        if not _replace_filter(before, strict, mild):
            yield  # A fixture that another one asks for, or a project that makes errors of warnings itself.
            return
        yield
        for filters in (before, warnings.filters):
            _replace_filter(filters, mild, strict)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item):
        said = [*item.config.getini("filterwarnings")]
        said += [line for mark in reversed(list(item.iter_markers("filterwarnings"))) for line in mark.args]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self._strict = warnings.filters[0]
            if item.config.pluginmanager.hasplugin(BROWSER_PLUGIN):
                # What pytest deprecates is for the plugin's authors to change, not for a test that uses the plugin.
                warnings.simplefilter("ignore", pytest.PytestDeprecationWarning)
            for line in said:
                warnings.filterwarnings(*parse_warning_filter(line, escape=False))
            yield


def _replace_filter(filters, old, new):
    """Put a filter in the place of another; whether that was there. Equal filters of others are left alone."""
    if not any(one is old for one in filters):
        return False
    filters[:] = [new if one is old else one for one in filters]
    # Makes Python forget which warnings it has shown already.
    with warnings.catch_warnings():
        return True


def outcome_of(report, error):
    """The outcome of one phase of a test."""
    if error is not None and error["type"] == "TestTimedOut":
        return "timeout"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "passed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return "skipped" if report.skipped else "passed"
