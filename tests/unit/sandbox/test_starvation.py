"""What a busy machine lets wait is neither timed out nor taken for idle."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import pytest

from testwright.tests.support.engine.worker_files import worker_module
from testwright.tests.support.projects.files import ROOT

pytestmark = pytest.mark.feature("B-05")
LONG = 60.0
SIBLINGS = """
import os, signal, sys
sys.path.append(sys.argv[1])
from suites.starvation import is_a_sibling_at_work
busy = os.fork()
if busy == 0:
    while True:
        pass
asking = os.fork()
if asking == 0:
    while not is_a_sibling_at_work():
        pass
    os.kill(busy, signal.SIGSTOP)
    while is_a_sibling_at_work():
        pass
    os._exit(0)
code = os.WEXITSTATUS(os.waitpid(asking, 0)[1])
os.kill(busy, signal.SIGKILL)
sys.exit(code)
"""


def test_a_test_gets_the_time_back_that_it_waited_for_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = worker_module("suites.journal")
    passed, starved, extended = iter([0.0, 10.0, 20.0]), iter([0.0, 10.0, 10.0]), []
    monkeypatch.setattr(journal, "monotonic", lambda: next(passed))
    monkeypatch.setattr(journal, "starved_seconds", lambda: next(starved))
    alarm, before = journal.Alarm(0.2, extended.append), signal.getsignal(signal.SIGALRM)

    def endless() -> None:
        alarm.start()
        while True:
            pass

    try:
        with pytest.raises(journal.TestTimedOut, match=r"longer than 0\.2 s"):
            endless()
    finally:
        alarm.stop()
        signal.signal(signal.SIGALRM, before)
    assert extended == [pytest.approx(0.2)]


def test_patience_lasts_as_much_longer_as_the_thread_waited_that_waited_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starvation = worker_module("suites.starvation")
    passed = iter([100.0, 104.0, 109.0])
    waited: Any = iter([{"1": 7.0}, {"1": 9.0, "2": 3.0}, {"2": 3.0}])
    monkeypatch.setattr(starvation, "monotonic", lambda: next(passed))
    monkeypatch.setattr(starvation, "starved_threads", lambda: next(waited))
    patience = starvation.Patience(5.0)
    assert patience.left() == 4.0
    assert patience.left() == 0.0


def test_threads_of_this_process_are_found() -> None:
    starvation = worker_module("suites.starvation")
    found = starvation.starved_threads()
    assert found
    assert all(seconds >= 0.0 for seconds in found.values())
    assert starvation.starved_seconds("/nowhere") == 0.0


def test_a_sibling_that_computes_is_at_work_and_one_that_is_stopped_is_not() -> None:
    command = [sys.executable, "-c", SIBLINGS, str(ROOT / "sandbox" / "worker")]
    assert subprocess.run(command, check=False).returncode == 0


def test_a_program_gets_the_time_back_that_it_waited_for_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = worker_module("programs.run_commands")
    waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE) as program:
        assert not commands.has_ended(program, 0.05)

        def starved(process: int) -> float:
            assert program.stdin is not None
            program.stdin.close()
            return LONG

        monkeypatch.setattr(commands, "starved_seconds", starved)
        assert commands.has_ended(program, 0.05)
