"""Runs selected tests in this process and reports how each ended; for a child that is thrown away afterwards.

What is said: ["start", node id], ["test", node id, outcome, processor seconds] with outcome passed, failed or skipped,
["lost", path] for a file that cannot be collected, ["gone", node ids] for chosen tests that are not there.
"""

import os
import pathlib
import sys
import time
import unittest


class RunWatch:
    """Tells of tests, and gives each its time.

    Args:
        say: takes what is said.
        limit: node id → seconds of processor time; "" is for collecting.
        known: all node ids there are without a mutant.
        limit_time: sets a time from now on, 0 for none.
        leave: end the process after the last test.
        needy: tests to run in any case; once they have run and one has failed, the others are left. None for all.
        last: called before the process ends so.
    """

    def __init__(self, say, limit, known, limit_time, leave, needy=None, last=None):
        self.say = say
        self.limit = limit
        self.known = known
        self.limit_time = limit_time
        self.leave = leave
        self.needy = needy
        self.last = last
        self.noticed = False
        self.left = 0
        self.plugins = set()
        self.began = 0.0
        self.failed = False
        self.skipped = False
        limit_time(limit(""))

    def chosen(self, nodeids, wanted):
        """The positions of the tests to run: those wanted (None for all), and those that only the mutant made."""
        if wanted is None:
            return range(len(nodeids))
        there = set(nodeids)
        gone = [nodeid for nodeid in wanted if nodeid not in there]
        if gone:
            self.say("gone", gone)
        if self.needy is not None:
            wanted = sorted(wanted, key=lambda nodeid: nodeid not in self.needy)
            self.left = sum(nodeid in there for nodeid in wanted if nodeid in self.needy)
        order = {nodeid: place for place, nodeid in enumerate(wanted)}
        places = [place for place, nodeid in enumerate(nodeids) if nodeid in order]
        new = [place for place, nodeid in enumerate(nodeids) if nodeid not in self.known] if gone else []
        return sorted(places, key=lambda place: order[nodeids[place]]) + new

    def finish(self):
        """The last test has ended."""
        if self.leave:
            if self.last is not None:
                self.last()
            self.say("end", time.process_time())
            os._exit(0)

    def start(self, nodeid):
        """A test begins."""
        self.say("start", nodeid)
        self.failed = self.skipped = False
        self.began = time.process_time()
        self.limit_time(self.limit(nodeid))

    def stop(self, nodeid):
        """A test has ended."""
        self.limit_time(0)
        outcome = "failed" if self.failed else "skipped" if self.skipped else "passed"
        self.say("test", nodeid, outcome, time.process_time() - self.began)
        if self.needy is not None:
            self.noticed = self.noticed or self.failed
            self.left -= nodeid in self.needy
            if self.noticed and self.left <= 0:
                self.say("enough")
                self.finish()


def run_pytest(request, files, wanted, watch, basetemp, serve=None, early=None):
    """Run tests with pytest; `serve` and `early` as in run_tests.py."""
    import pytest

    chosen = {"tests": wanted}
    plugins: list = [reporting_plugin(pytest, watch, chosen)]
    if serve is not None or early is not None:
        plugins.append(forking_plugin(pytest, pathlib.Path(request["scratch"]).resolve(), watch, chosen, serve, early))
    # Parts of plugins are loaded ahead, which pytest warns of; a project that makes errors of warnings would not start.
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    arguments = [*request["arguments"], *quiet, "--basetemp", basetemp, *files]
    return int(pytest.main(arguments, plugins=plugins))


def no_traceback(*facts, **options):
    """What stands in the place of a failure's story, which nobody reads: to tell it takes longer than most tests."""
    return "it fails"


def reporting_plugin(pytest, watch, chosen):
    """The plugin that selects tests, and tells the watch of them."""

    class Telling:
        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, config, items):
            watch.limit_time(0)
            for plugin in config.pluginmanager.get_plugins():
                watch.plugins.add(getattr(plugin, "__name__", "").partition(".")[0])
            items[:] = [items[place] for place in watch.chosen([item.nodeid for item in items], chosen["tests"])]
            for item in items:
                item.repr_failure = item._repr_failure_py = no_traceback

        @pytest.hookimpl(hookwrapper=True)
        def pytest_make_collect_report(self, collector):
            collector.repr_failure = no_traceback
            outcome = yield
            report = outcome.get_result()
            if report.failed:
                watch.say("lost", report.nodeid.split("::")[0])

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item):
            watch.start(item.nodeid)
            yield
            watch.stop(item.nodeid)

        @pytest.hookimpl(tryfirst=True)
        def pytest_sessionfinish(self):
            watch.finish()

        def pytest_runtest_logreport(self, report):
            watch.failed = watch.failed or report.failed
            watch.skipped = watch.skipped or (report.skipped and not hasattr(report, "wasxfail"))

    return Telling()


def forking_plugin(pytest, scratch, watch, chosen, serve, early):
    """The plugin that stops before collecting, or before the first test, for forks that go on from there."""

    class Serving:
        def __init__(self):
            self.serve = serve
            self.early = early

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection(self, session):
            early, self.early = self.early, None
            if early is not None:
                watch.limit_time(0)
                early(lambda *given: self.collect_and_run(session, *given))

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session):
            serve, self.serve = self.serve, None
            if serve is not None:
                silence_reporter(session)
                serve(lambda *given: self.run(session, *given), lambda *given: self.again(session, *given))

        def collect_and_run(self, session, wanted, say, name, needy):
            """Go on from before collecting; whatever ends it, what was said until then counts."""
            watch.say, watch.leave, watch.needy = say, True, needy
            watch.limit_time(watch.limit(""))
            chosen["tests"] = wanted
            use_folder(session.config, scratch / name)
            try:
                session.config.hook.pytest_collection(session=session)
                session.config.hook.pytest_runtestloop(session=session)
            finally:
                watch.finish()

        def run(self, session, wanted, say, name, last=None):
            """Go on from before the first test."""
            watch.say, watch.leave, watch.last = say, True, last
            order = {nodeid: place for place, nodeid in enumerate(wanted)}
            items = [item for item in session.items if item.nodeid in order]
            session.items[:] = sorted(items, key=lambda item: order[item.nodeid])
            use_folder(session.config, scratch / name)
            session.config.hook.pytest_runtestloop(session=session)
            watch.finish()

        def again(self, session, wanted, folder, limit, most=1):
            """Run tests in this process, as often as one likes, until so many have failed; gives those."""
            watch.say, watch.leave, watch.limit = nothing_said, False, limit
            use_folder(session.config, scratch / folder)
            by_nodeid = {item.nodeid: item for item in session.items}
            items = [by_nodeid[nodeid] for nodeid in wanted if nodeid in by_nodeid]
            failing = []
            for item, following in zip(items, [*items[1:], None]):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                failing += [item.nodeid] if watch.failed else []
                if len(failing) == most:
                    session._setupstate.teardown_exact(None)
                    break
            return failing

    return Serving()


def nothing_said(*facts):
    """Where nobody listens."""


def silence_reporter(session):
    """Before forks run tests: nobody reads what would be printed of them, and where each stands is looked up once."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    for name in ("pytest_runtest_logstart", "pytest_runtest_logreport", "pytest_runtest_logfinish"):
        try:
            getattr(session.config.hook, name)._remove_plugin(reporter)
        except (AttributeError, ValueError):
            pass  # there is no reporter, or it has nothing to say there
    for item in session.items:
        _ = item.location


def use_folder(config, folder):
    """Let pytest keep the temporary files of tests in a folder of this process: each process clears its own."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None and hasattr(factory, "_given_basetemp"):
        factory._given_basetemp = folder


class Result(unittest.TestResult):
    """A unittest result that tells the watch."""

    def __init__(self, watch, nodeids):
        super().__init__()
        self.watch = watch
        self.nodeids = nodeids

    def startTest(self, test):  # noqa: N802 - unittest's name
        super().startTest(test)
        self.watch.start(self.nodeids[test])

    def stopTest(self, test):  # noqa: N802
        self.watch.stop(self.nodeids[test])
        super().stopTest(test)

    def addFailure(self, test, err):  # noqa: N802
        self._failed(test)

    def addError(self, test, err):  # noqa: N802
        self._failed(test)

    def addUnexpectedSuccess(self, test):  # noqa: N802
        self._failed(test)

    def addSubTest(self, test, subtest, err):  # noqa: N802
        if err is not None:
            self._failed(test)

    def addSkip(self, test, reason):  # noqa: N802
        self.watch.skipped = True

    def _failed(self, test):
        if test in self.nodeids:
            self.watch.failed = True
        else:  # The fixture of a class or a module: its tests do not run any more.
            self.watch.failed = True
            self.watch.say("lost", "")


def run_unittest(request, files, wanted, watch, collect, serve=None):
    """Run tests with unittest; `collect` is that of suites/run_unittest.py."""

    class Lost:
        @staticmethod
        def write(kind, **fact):
            if kind == "collect_error":
                watch.say("lost", fact["path"])

    import importlib

    for module in request.get("imports") or ():
        importlib.import_module(module)
    nodeids = collect(dict(request, files=files), Lost)
    watch.limit_time(0)
    tests = list(nodeids)
    if serve is not None:

        def go(chosen, say, name, last=None):
            watch.say, watch.leave, watch.last = say, True, last
            order = watch.chosen([nodeids[test] for test in tests], chosen)
            unittest.TestSuite([tests[place] for place in order]).run(Result(watch, nodeids))
            watch.finish()

        def again(chosen, folder, limit, most=1):
            watch.say, watch.leave, watch.limit = nothing_said, False, limit
            by_nodeid = {nodeid: test for test, nodeid in nodeids.items()}
            failing = []
            for nodeid in chosen:
                if nodeid in by_nodeid and len(failing) < most:
                    watch.failed = False
                    unittest.TestSuite([by_nodeid[nodeid]]).run(Result(watch, nodeids))
                    failing += [nodeid] if watch.failed else []
            return failing

        serve(go, again)
    order = watch.chosen([nodeids[test] for test in tests], wanted)
    unittest.TestSuite([tests[place] for place in order]).run(Result(watch, nodeids))


def paths_of(nodeids):
    """The files of some tests, in their order."""
    return list(dict.fromkeys(nodeid.split("::")[0] for nodeid in nodeids))


class ProjectModules:
    """Which loaded modules belong to the project. Remembers folders: following links is slow on some systems."""

    def __init__(self, project):
        self.root = project.rstrip(os.sep) + os.sep
        self.folders = {}

    def inside(self, module):
        """Whether a module lies in the project."""
        found = [str(one) for one in getattr(module, "__path__", None) or ()]
        place = getattr(module, "__file__", None)
        if place:
            found.append(os.path.dirname(str(place)))
        return any(self.real(folder).startswith(self.root) for folder in found)

    def real(self, folder):
        """A folder without links, with a separator at its end."""
        if folder not in self.folders:
            self.folders[folder] = os.path.realpath(folder).rstrip(os.sep) + os.sep
        return self.folders[folder]

    def outside(self):
        """The names of the loaded modules that do not belong to the project, in the order of their import."""
        return [
            name
            for name, module in list(sys.modules.items())
            if name != "__main__"
            and not name.startswith("_testwright_")
            and getattr(module, "__spec__", None) is not None
            and not self.inside(module)
        ]
