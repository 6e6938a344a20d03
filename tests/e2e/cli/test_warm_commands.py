"""Commands that a loaded process forks for tests do what the real ones do: they may stand for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from testwright.tests.support.warm.commands import ROOT, warm_command, warm_module

WAITING = "import os, signal; print(os.getpid(), flush=True); signal.pause()"
ODD = "ä\udcff"
_SECONDS = 500.0


def outcome(command: Sequence[str], cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=_SECONDS)
    return done.returncode, done.stdout, done.stderr


def started(statement: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        warm_module("timeit", "-n1", "-r1", statement), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(
    "words", [["--version"], ["rnu"], ["plan", "--root", "missing", "x"], ["runs", "list", "--json"]], ids=" ".join
)
def test_a_warm_command_ends_and_says_what_the_real_one_does(words: list[str], tmp_path: Path) -> None:
    real = [sys.executable, str(ROOT / "main.py"), *words]
    assert outcome(warm_command(*words), tmp_path) == outcome(real, tmp_path)


def test_folder_environment_and_streams_are_those_that_it_is_started_with(tmp_path: Path) -> None:
    statement = "import os, sys; print(os.getcwd(), ascii(os.environ['GIVEN']), 'HOME' in os.environ, sys.stdin.read())"
    done = subprocess.run(
        warm_module("timeit", "-n1", "-r1", statement),
        cwd=tmp_path,
        env={"GIVEN": ODD},
        input="told",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=_SECONDS,
    )
    assert done.stdout.startswith(f"{tmp_path} {ODD!a} False told\n")


def test_what_nothing_handles_is_shown_and_ends_with_1() -> None:
    done = subprocess.run(warm_module("no.such.module"), capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert done.returncode == 1
    assert "No module named 'no'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_reaches_it(number: signal.Signals) -> None:
    caught = f"import signal, os; signal.signal({number:d}, lambda *_: os._exit(9)); {WAITING}"
    with started(caught) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) != process.pid
        process.send_signal(number)
        assert process.wait(_SECONDS) == 9


def test_what_a_signal_ends_has_ended_by_it() -> None:
    with started(WAITING) as process:
        assert process.stdout is not None
        os.kill(int(process.stdout.readline()), signal.SIGKILL)
        assert process.wait(_SECONDS) == -signal.SIGKILL


def test_it_does_not_outlive_the_process_that_was_started() -> None:
    with started(WAITING) as process:
        assert process.stdout is not None
        command = psutil.Process(int(process.stdout.readline()))
        process.kill()
    psutil.wait_procs([command])
    assert not command.is_running()
