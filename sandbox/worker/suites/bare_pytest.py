"""Runs the project's own `pytest` as its users type it, and writes what became of some files: `bare_pytest REQUEST`.

REQUEST: {"project", "results", "arguments", "files"}. The project's configuration and plugins take part as they are;
only test modules other than `files` are not collected. `results` gets one JSON object: {"code", "tests": [{path,
nodeid, outcome, message}], "errors": [{path, message}], "broken"}. Plain standard library and pytest, Python 3.9 or
newer.
"""

import gc
import json
import os
import sys
import traceback

_LONGEST = 4000


class FileResults:
    """A pytest plugin: collects some files only, and notes the outcome of each of their tests.

    The paths of `files` are absolute, with links resolved.
    """

    def __init__(self, files, project):
        self._files = set(files)
        self._project = project
        self._root = project
        self.tests = {}
        self.errors = []

    def pytest_configure(self, config):
        self._root = str(config.rootpath)
        # pytest looks for garbage several times at its end; it need not look through what it is made of itself.
        gc.freeze()
        gc.enable()

    def pytest_ignore_collect(self, collection_path):
        """Leave other test modules out; folders are walked as ever, and conftest files are read."""
        if collection_path.is_dir() or collection_path.name in ("__init__.py", "conftest.py"):
            return None
        return None if self._is_wanted(collection_path) else True

    def pytest_collection_modifyitems(self, items):
        """Leave out modules that `testpaths` names one by one: pytest asks no hook whether it may collect these."""
        items[:] = [item for item in items if self._is_wanted(getattr(item, "path", None) or item.fspath)]

    def _is_wanted(self, place):
        return os.path.realpath(str(place)) in self._files

    def pytest_collectreport(self, report):
        path = self._path_of(report.nodeid)
        is_other = path.endswith(".py") and os.path.basename(path) not in ("__init__.py", "conftest.py")
        if report.failed and not (is_other and not self._is_wanted(os.path.join(self._project, path))):
            self.errors.append({"path": path, "message": str(report.longrepr)[-_LONGEST:]})

    def pytest_runtest_logreport(self, report):
        found = self.tests.setdefault(report.nodeid, {"outcome": "passed", "message": ""})
        # A test of several phases counts as its worst one; a failure is never undone by a later phase.
        if report.failed and found["outcome"] != "failed":
            found.update(outcome="failed", message=str(report.longrepr)[-_LONGEST:])
        elif report.skipped and found["outcome"] == "passed":
            found.update(outcome="skipped", message=str(report.longrepr)[-_LONGEST:])

    def result(self):
        """The tests in the order in which they ran, and the files that could not be collected."""
        tests = [{"path": self._path_of(nodeid), "nodeid": nodeid, **row} for nodeid, row in self.tests.items()]
        return {"tests": tests, "errors": self.errors}

    def _path_of(self, nodeid):
        place = os.path.realpath(os.path.join(self._root, nodeid.partition("::")[0]))
        return os.path.relpath(place, self._project).replace(os.sep, "/")


def main():
    """Carry out the request that the command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    project = os.path.realpath(request["project"])
    plugin = FileResults([os.path.realpath(os.path.join(project, path)) for path in request["files"]], project)
    found: dict = {"code": None, "broken": ""}
    try:
        gc.disable()  # until pytest and its plugins are imported
        import pytest

        sys.argv[:] = ["pytest", *request["arguments"]]
        found["code"] = int(pytest.main(list(request["arguments"]), plugins=[plugin]))
    except BaseException:
        found["broken"] = traceback.format_exc()[-_LONGEST:]
    with open(request["results"], "w", encoding="utf-8") as file:
        json.dump({**found, **plugin.result()}, file)
