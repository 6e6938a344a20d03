"""Runs unittest in the target's interpreter and writes results as data: `suites.run_unittest REQUEST.json …`.

Takes the same request as run_pytest.py (without "arguments"), and "imports": modules imported first, which with no
files at all measures what importing alone covers. Exit code 0 when everything passed, 1 when not, 70 when it could
not start.
"""

# ruff: noqa: N802 - the names of the methods are those of unittest

import faulthandler
import importlib
import importlib.util
import os
import sys
import time
import traceback
import unittest
import warnings

from .journal import TRACE_LIMIT, Alarm, arrange, case_id_of, cut, describe, is_generated, place_of
from .run_requests import run_requests


def load_path(name, path):
    """Import a file under a name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class UnittestRecorder(unittest.TestResult):
    """A unittest result that writes each test to the journal."""

    def __init__(self, request, journal, measure, nodeids, company):
        super().__init__()
        self._project = request["project"]
        self._seconds = request["test_seconds"]
        self._grace = request["grace_seconds"]
        self._journal = journal
        self._measure = measure
        self._nodeids = nodeids
        self._company = company
        self._alarm = Alarm(self._seconds, self._end_process_after)
        self._found = None
        self._began = 0.0
        self._warnings = warnings.catch_warnings() if request.get("warnings_fail") else None
        self._stop_at = time.perf_counter() + request["stop_after"]
        self.good = True

    def startTest(self, test):
        super().startTest(test)
        self._found = None
        self._company.begin(self._nodeids[test])
        self._company.act()  # what setUp does cannot be told apart from the test
        self._journal.write("started", nodeid=self._nodeids[test])
        if self._measure is not None:
            self._measure.switch(self._nodeids[test])
        if self._warnings is not None:
            self._warnings = warnings.catch_warnings()
            self._warnings.__enter__()
            warnings.simplefilter("error")
        self._began = time.perf_counter()
        self._end_process_after(self._seconds)
        self._alarm.start()

    def stopTest(self, test):
        self._alarm.stop()
        faulthandler.cancel_dump_traceback_later()
        seconds = time.perf_counter() - self._began
        if self._warnings is not None:
            self._warnings.__exit__(None, None, None)
        if self._measure is not None:
            self._measure.switch("")
        self._write(test, seconds, self._company.end())
        if time.perf_counter() > self._stop_at:
            self.stop()
        super().stopTest(test)

    def _end_process_after(self, seconds):
        faulthandler.dump_traceback_later(seconds + self._grace, exit=True)

    def addFailure(self, test, err):
        self._note(test, err, "failed")

    def addError(self, test, err):
        if test in self._nodeids:
            self._note(test, err, None)
        else:
            # A class or module fixture: everything below it fails with it, and each test says so itself.
            described = describe(err[1], self._project)
            self._fixture(test, described, trace="".join(traceback.format_exception(*err)))

    def addSkip(self, test, reason):
        if test in self._nodeids:
            self._keep("skipped", "call", {"type": "SkipTest", "bases": [], "message": reason}, "")
        else:
            self._fixture(test, {"type": "SkipTest", "bases": [], "message": reason}, skipped=True)

    def addExpectedFailure(self, test, err):
        self._note(test, err, "xfailed")

    def addUnexpectedSuccess(self, test):
        self._keep("failed", "call", {"type": "UnexpectedSuccess", "bases": [], "message": "passed unexpectedly"}, "")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._note(test, err, "failed")

    def _note(self, test, err, outcome):
        described = describe(err[1], self._project)
        method = getattr(test, test._testMethodName, None)
        code = getattr(getattr(method, "__code__", None), "co_name", None)
        in_body = any(frame["function"] == code for frame in described["frames"])
        if described["type"] == "TestTimedOut":
            outcome = "timeout"
        elif outcome is None:
            outcome = "failed" if in_body else "error"
        trace = "".join(traceback.format_exception(*err))
        self._keep(outcome, "call" if in_body else "setup", described, trace)

    def _keep(self, outcome, phase, error, trace):
        if self._found is None:
            self._found = (outcome, phase, error, cut(trace, TRACE_LIMIT))

    def _fixture(self, holder, error, skipped=False, trace=""):
        self.good = False
        trace = cut(trace, TRACE_LIMIT)
        self._journal.write("fixture", holder=str(holder), skipped=skipped, error=error, trace=trace)

    def _write(self, test, seconds, things):
        outcome, phase, error, trace = self._found or ("passed", "call", None, "")
        self.good = self.good and outcome == "passed"
        nodeid = self._nodeids[test]
        self._journal.write(
            "test",
            nodeid=nodeid,
            path=nodeid.split("::")[0],
            name=test._testMethodName,
            case_id=case_of(test),
            outcome=outcome,
            phase=phase,
            seconds=round(seconds, 4),
            error=error,
            trace=trace,
            things=things,
            acts=self._company.acts(),
            place=place_of(getattr(test, test._testMethodName, None), self._project),
        )


def flatten(suite):
    """Every test case of a suite, in order."""
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from flatten(entry)
        else:
            yield entry


def collect(request, journal):
    """The tests of every file with their node ids; a file that does not load is written down and left out."""
    loader = unittest.TestLoader()
    nodeids = {}
    for path in request["files"]:
        journal.write("collecting", path=path)
        faulthandler.dump_traceback_later(request["collect_seconds"], exit=True)
        try:
            module = import_tests(os.path.join(request["project"], path), request["project"])
            tests = list(flatten(loader.loadTestsFromModule(module)))
        except (Exception, SystemExit) as error:
            described = describe(error, request["project"])
            trace = cut(traceback.format_exc(), TRACE_LIMIT)
            journal.write("collect_error", path=path, error=described, trace=trace)
            continue
        finally:
            faulthandler.cancel_dump_traceback_later()
        for test in tests:
            nodeids[test] = "{}::{}".format(path, name_of(test))
    return nodeids


def import_tests(path, project):
    """A test file under the name a runner would give it, so that its imports, tracebacks and pickles work as there.

    Below folders with an `__init__.py` it is a module of a package; else its folder is on the path, behind the rest.
    """
    folder, name = os.path.split(os.path.splitext(path)[0])
    alone = not os.path.isfile(os.path.join(folder, "__init__.py"))
    while folder != project and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, parent = os.path.split(folder)
        name = parent + "." + name
    for place in (folder, project):
        if place not in sys.path:
            sys.path.append(place)
    if alone:
        return load_path(name, path)
    module = importlib.import_module(name)
    if os.path.realpath(getattr(module, "__file__", "") or "") != os.path.realpath(path):
        return load_path(name.rpartition(".")[2], path)  # something else of that name is there
    return module


def name_of(test):
    """`Class::method`; for a doctest its own name."""
    if type(test).__name__ == "DocTestCase":
        return test.id()
    return "{}::{}".format(type(test).__qualname__, test._testMethodName)


def warm(measured):
    """Import what every run needs and what knows nothing of the project."""
    if measured:
        import coverage  # noqa: F401


def case_of(test):
    """The spec's case id that a test carries, or None."""
    path = getattr(sys.modules.get(type(test).__module__), "__file__", None)
    names = (type(test).__name__, test._testMethodName) if path and is_generated(path) else None
    return case_id_of(None, getattr(test, "_testMethodDoc", None), names)


def run(request, journal, measure, company):
    """Load, order and run; 0 when every test passed, else 1."""
    version = sys.version.split()[0]
    journal.write("session", runner="unittest", version=version, python=version)
    for module in request.get("imports") or ():
        importlib.import_module(module)
    nodeids = collect(request, journal)
    tests = list(nodeids)
    names = [nodeids[test] for test in tests]
    order = arrange(names, [name.split("::")[0] for name in names], request["order"])
    cases = [case_of(tests[index]) for index in order]
    journal.write("collected", nodeids=[names[index] for index in order], case_ids=cases)
    journal.write("acts_at_collection", acts=company.collected())
    result = UnittestRecorder(request, journal, measure, nodeids, company)
    unittest.TestSuite([tests[index] for index in order]).run(result)
    return 0 if result.good else 1


def main():
    """Carry out the requests that the command line names."""
    run_requests(sys.argv[1:], warm, run)
