"""Our tests run in processes forked once all is collected: what a test does there is neither lost nor shared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Each of the first two files waits for the other, so neither can come to an end before both have begun.
FILES = {
    "conftest.py": """
import os, pathlib, pytest

@pytest.fixture(scope="session")
def process():
    yield os.getpid()
    pathlib.Path(f"ended-{os.getpid()}").touch()
""",
    "test_a.py": """
import os, warnings
met = []

def test_waits_for_the_other_file(process):
    met.append(process)
    assert open("gate").read() == "open"

def test_shares_the_process_of_its_file(process, tmp_path):
    assert met == [process]
    (tmp_path / "own").touch()
    print("what was printed")
    warnings.warn("told by a test")
    assert tmp_path.name == "nothing"
""",
    "test_b.py": """
import os, signal

def test_opens_the_gate(process):
    with open("gate", "w") as gate:
        gate.write("open")

def test_ends_its_process():
    os.kill(os.getpid(), signal.SIGKILL)

def test_that_follows_runs_all_the_same(process):
    pass
""",
    "test_c.py": """
import pytest

@pytest.mark.skip(reason="not today")
def test_is_left_out(): ...
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forked")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    os.mkfifo(folder / "gate")
    return folder


@pytest.fixture(scope="module")
def told(folder: Path) -> str:
    words = ["-p", "testwright.tests.support.forked_tests", "--processes", "2", "-p", "no:cacheprovider", "-rfs"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "--basetemp", str(folder / "temporary")],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert (done.returncode, done.stderr) == (1, "")
    return done.stdout


def test_files_run_at_the_same_time_and_every_test_is_counted_once(told: str) -> None:
    assert "2 failed, 3 passed, 1 skipped, 1 warning in " in told
    assert "SKIPPED [1] test_c.py:4: not today" in told


def test_a_failure_is_shown_with_what_was_compared_and_printed_and_a_warning_with_its_words(told: str) -> None:
    assert re.search(r"E\s+AssertionError: assert 'test_shares.*' == 'nothing'", told)
    assert "what was printed" in told
    assert "UserWarning: told by a test" in told


def test_a_test_that_ends_its_process_has_failed_and_the_rest_of_its_file_runs_in_another(told: str) -> None:
    assert "FAILED test_b.py::test_ends_its_process - the process that ran the test ended with code -9" in told


def test_each_process_keeps_its_fixtures_to_its_end_and_its_temporary_files_apart(told: str, folder: Path) -> None:
    assert len([*folder.glob("ended-*")]) == 2, "one for each process that came to its end"
    assert len([*(folder / "temporary").glob("p*/test_shares_the_process_of_its0/own")]) == 1
    assert told
