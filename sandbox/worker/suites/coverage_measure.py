"""Measures branch coverage of chosen files, split by the test that ran them, as plain data.

The numbers are those of `coverage report --branch` with its default exclusions; the project's own coverage settings
are not read, so that before and after are counted alike in every project.
"""

import os

from .coverage_start import start


class Measure:
    """Measures files of the project from `start` to `stop`.

    Args:
        project: real path of the project folder.
        paths: files or folders relative to it, POSIX; of a folder every Python file below it.
        applications: files → measures applications that the tests start (http/application_coverage.py); None for none.
    """

    def __init__(self, project, paths, applications=None):
        import coverage

        self._project = project
        self._files = _python_files(project, paths)
        include = [os.path.join(project, path) for path in self._files]
        self._applications = applications and applications(include)
        # Newer interpreters would choose a core that cannot tell tests apart; asking for a C tracer that is missing
        # ends the process, so it is asked for only where it is there.
        before = os.environ.get("COVERAGE_CORE")
        os.environ["COVERAGE_CORE"] = "ctrace" if _has_c_tracer() else "pytrace"
        try:
            self._coverage = coverage.Coverage(data_file=None, config_file=False, branch=True, include=include)
            start(self._coverage)
        finally:
            if before is None:
                del os.environ["COVERAGE_CORE"]
            else:
                os.environ["COVERAGE_CORE"] = before

    def switch(self, context):
        """From now on lines are run by this test; "" is outside of tests."""
        self._coverage.switch_context(context)
        if self._applications:
            self._applications.switch(context)

    def stop(self):
        """Stop and return {path: facts of the file}; a file that coverage cannot read is left out."""
        self._coverage.stop()
        data = self._coverage.get_data()
        if self._applications:
            self._applications.stop(data)
        by_real_path = {os.path.realpath(name): name for name in data.measured_files()}
        files = {}
        for path in self._files:
            name = by_real_path.get(os.path.realpath(os.path.join(self._project, path)))
            facts = self._file(os.path.join(self._project, path), name, data)
            if facts is not None:
                files[path] = facts
        return files

    def _file(self, full_path, name, data):
        from coverage.exceptions import CoverageException
        from coverage.python import PythonFileReporter

        reporter = PythonFileReporter(full_path, self._coverage)
        try:
            statements = set(reporter.lines())
            counts = reporter.exit_counts()
            excluded = reporter.excluded_lines()
            possible = {arc for arc in reporter.arcs() if counts.get(arc[0], 0) > 1 and arc[1] not in excluded}
        except CoverageException:
            return None
        # A line marked "no branch" counts as fully taken, as in coverage's own report. Asking reads the whole file.
        unconditional = reporter.no_branch_lines()
        given = {arc for arc in possible if arc[0] in unconditional}

        def seen():
            if name is None:
                return set(), set()
            lines = set(reporter.translate_lines(data.lines(name) or [])) & statements
            arcs = set(reporter.translate_arcs(data.arcs(name) or [])) & possible
            return lines, arcs

        lines, arcs = seen()
        contexts = {}
        for context in sorted(data.measured_contexts()):
            data.set_query_context(context)
            its_lines, its_arcs = seen()
            if its_lines:
                contexts[context] = {"lines": sorted(its_lines), "branches": sorted(its_arcs)}
        data.set_query_contexts(None)
        return {
            "statements": sorted(statements),
            "executed": sorted(lines),
            "branches": sorted(possible),
            "executed_branches": sorted(arcs | given),
            "contexts": contexts,
        }


def _has_c_tracer():
    try:
        import coverage.tracer  # noqa: F401
    except ImportError:
        return False
    return True


def _python_files(project, paths):
    found = set()
    for path in paths:
        full = os.path.join(project, path)
        if os.path.isdir(full):
            for folder, _, names in os.walk(full):
                found.update(os.path.join(folder, name) for name in names if name.endswith(".py"))
        elif os.path.isfile(full):
            found.add(full)
    return sorted(os.path.relpath(name, project).replace(os.sep, "/") for name in found)
