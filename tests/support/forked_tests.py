"""Runs tests in processes forked from one that has imported and collected all.

A plugin of pytest: `-p testwright.tests.support.forked_tests --processes N`. Importing and collecting takes seconds of
processor time, which each worker of pytest-xdist spends anew. The tests of a file stay in one process, since they share
fixtures; files start in the order in which they are collected. A process that ends early fails the test that it was at,
and another goes on with what is left of the file.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import pytest
from _pytest.runner import runtestprotocol  # pytest offers no other way to a test's reports than to log them

_BROKEN = 70


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--processes`: 0 or 1 for none but pytest's own."""
    parser.getgroup("forked tests").addoption("--processes", type=int, default=0, help="how many processes run tests")


def pytest_configure(config: pytest.Config) -> None:
    """Take part only where several processes are asked for."""
    if config.option.processes > 1 and not config.option.collectonly:
        config.pluginmanager.register(ForkedTests(config.option.processes), "forked-tests")


@dataclass(slots=True)
class ForkedProcess:
    """A process that runs tests.

    Attributes:
        files: the tests it has been given and has not come to the end of, as places in the session's list, by file.
        running: the place of the test that it is at.
    """

    pid: int
    files: deque[range]
    running: int | None = None


class ForkedTests:
    """Hands the session's tests to forked processes and logs what they report.

    Args:
        processes: how many run at a time.
    """

    def __init__(self, processes: int) -> None:
        self._most = processes
        self._started = 0
        self._waiting: deque[range] = deque()
        self._processes: dict[Connection, ForkedProcess] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests.

        Raises:
            session.Failed, session.Interrupted: as pytest's own loop does.
            RuntimeError: a thread runs already, which forks would not have, or a process ended badly between tests.
        """
        if session.testsfailed:
            return None  # while collecting: pytest's own loop says so
        if threading.active_count() > 1:
            raise RuntimeError(f"threads run once all is collected: {threading.enumerate()}")
        self._waiting = deque(files_of(session.items))
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all processes
        try:
            while self._processes or self._waiting:
                while self._waiting and len(self._processes) < self._most:
                    self._fork(session)
                for connection in wait(list(self._processes)):
                    assert isinstance(connection, Connection)
                    self._hear(session, connection)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        finally:
            for process in self._processes.values():
                os.kill(process.pid, signal.SIGTERM)
                os.waitpid(process.pid, 0)
        return True

    def _fork(self, session: pytest.Session) -> None:
        """Start a process with the first of the files that wait."""
        self._started += 1
        own, other = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            code = _BROKEN
            try:
                for connection in (own, *self._processes):
                    connection.close()
                code = run_tests(session, other, self._started)
            except BaseException:  # noqa: BLE001 - whatever it is, this process must not go on as the one that hands out
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        other.close()
        self._processes[own] = ForkedProcess(pid, deque())
        self._give(own)

    def _give(self, connection: Connection) -> None:
        """Give a process one more file, or tell it that there is none."""
        file = self._waiting.popleft() if self._waiting else None
        if file is not None:
            self._processes[connection].files.append(file)
        try:
            connection.send(file)
        except BrokenPipeError:
            return  # it has ended, which its own end of the connection tells next

    def _hear(self, session: pytest.Session, connection: Connection) -> None:
        process = self._processes[connection]
        try:
            kind, told = connection.recv()
        except (EOFError, ConnectionResetError):
            self._conclude(session, connection)
            return
        if kind == "wanted":
            self._give(connection)
        elif kind == "begun":
            process.running = told
            if told not in process.files[0]:
                process.files.popleft()
        elif kind == "warning":
            session.config.hook.pytest_warning_recorded.call_historic(kwargs=told)
        else:
            assert process.running is not None
            self._log(session, session.items[process.running], told)
            process.running = None

    def _log(self, session: pytest.Session, item: pytest.Item, reports: Sequence[dict[str, Any]]) -> None:
        hook = session.config.hook
        for data in reports:
            report = hook.pytest_report_from_serializable(config=session.config, data=data)
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _conclude(self, session: pytest.Session, connection: Connection) -> None:
        """A process has ended: where it was at a test, that one has failed, and what it had not run yet waits again."""
        process = self._processes.pop(connection)
        connection.close()
        ending = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
        how = f"the process that ran the test ended with code {ending}"
        if process.running is not None:
            item = session.items[process.running]
            session.config.hook.pytest_runtest_logreport(report=failed(item, how))
            first = process.files.popleft()
            process.files.appendleft(range(process.running + 1, first.stop))
            self._waiting.extendleft(file for file in reversed(process.files) if file)
        elif ending != 0:
            raise RuntimeError(f"a process of tests ended with code {ending}, not at any of them")


class TestsOfProcess:
    """Tells the process that hands out tests what happens in this one."""

    __test__ = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run one test and report on it, instead of logging here."""
        hook = item.config.hook
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        self._connection.send(
            ("reports", [hook.pytest_report_to_serializable(config=item.config, report=report) for report in reports])
        )
        return True

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        """Hand a warning on, in words: what it was about may be bound to this process."""
        said = UserWarning(f"{warning_message.category.__name__}: {warning_message.message}")
        plain = warnings.WarningMessage(said, UserWarning, warning_message.filename, warning_message.lineno)
        told = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self._connection.send(("warning", told))


def files_of(items: Sequence[pytest.Item]) -> list[range]:
    """The places of tests, those of a file together, in their order."""
    found = [[place for place, _ in group] for _, group in groupby(enumerate(items), key=lambda one: one[1].path)]
    return [range(places[0], places[-1] + 1) for places in found]


def failed(item: pytest.Item, how: str) -> pytest.TestReport:
    """The report on a test whose process has ended."""
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", how, "call")


def run_tests(session: pytest.Session, connection: Connection, number: int) -> int:
    """Run what is handed out, to the end of this process, which has been forked for it; its exit code.

    Args:
        number: of this process, from 1; its temporary files lie apart.
    """
    config = session.config
    atexit._clear()  # these belong to the process that handed out
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture is not None and capture.is_globally_capturing():  # forks share the file that output goes to
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
    factory = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._given_basetemp, factory._basetemp = factory.getbasetemp() / f"p{number}", None
    config.pluginmanager.register(TestsOfProcess(connection), "tests-of-process")
    file = connection.recv()
    while file is not None:
        following = None
        for place in file:
            if place + 1 < file.stop:
                after = place + 1
            else:
                connection.send(("wanted", None))
                following = connection.recv()
                after = following[0] if following is not None else None
            connection.send(("begun", place))
            nextitem = session.items[after] if after is not None else None
            config.hook.pytest_runtest_protocol(item=session.items[place], nextitem=nextitem)
        file = following
    config._ensure_unconfigure()
    atexit._run_exitfuncs()
    return 0
