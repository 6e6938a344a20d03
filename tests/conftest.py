"""What holds for all tests: markers by folder, small runs by default, and a note on interpreters that are missing."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
import venv
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from testwright.app.fast_imports import defer_contents
from testwright.tests.support.runs.interpreters import TARGET_VERSIONS, missing

if TYPE_CHECKING:
    from testwright.tests.support.store.postgres_server import PostgresServer

_TESTS = Path(__file__).parent
_FILES_BETWEEN_WAITING_ONES = 8


def pytest_configure(config: pytest.Config) -> None:
    """Runs are small where a test asks for no more, also in programs that tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts its background jobs with ctrl-c ignored, and every program that a test starts inherits that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name, value in {"TRIALS": "400", "MUTANTS": "6", "REPEATS": "1"}.items():
        os.environ.setdefault(f"TESTWRIGHT_{name}", value)
    os.environ.pop("CI", None)  # requests are read more strictly there: tests of that set it themselves
    _use_own_configuration()
    defer_contents()
    gc.disable()  # until all is collected: what is imported stays, and a search for garbage in it takes as long again


def _use_own_configuration() -> None:
    """Let tests note runs and consents in a folder of their own; of other programs the user's configuration stays."""
    users = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    folder = Path(tempfile.mkdtemp(prefix="tw-config-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for entry in users.iterdir() if users.is_dir() else ():
        if entry.name != "testwright":
            (folder / entry.name).symlink_to(entry)
    os.environ["XDG_CONFIG_HOME"] = str(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server that runs, for all tests of this process; each takes a schema of its own."""
    from testwright.tests.support.store.postgres_server import postgres_server  # most processes need none

    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def plain_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter for projects that need pytest alone: in our environment, plugins take most of a session's time."""
    folder = tmp_path_factory.mktemp("plain") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / "bin" / "python"


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later search for garbage."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with the folder it lies in: unit, integration, e2e, or hostile, which is end-to-end as well."""
    for item in items:
        folder = item.path.relative_to(_TESTS).parts[0]
        item.add_marker(getattr(pytest.mark, folder))
        if folder == "hostile":
            item.add_marker(pytest.mark.e2e)
    items[:] = _spread_waiting_files(items)


def _spread_waiting_files(items: list[pytest.Item]) -> list[pytest.Item]:
    """Put files that mostly wait one by one between the others: cores are idle where several wait at once."""
    files = [list(file) for _, file in groupby(items, key=lambda item: item.path)]
    waiting = [file for file in files if file[0].get_closest_marker("waits")]
    others = [file for file in files if not file[0].get_closest_marker("waits")]
    for position, file in enumerate(waiting):
        others.insert(position * _FILES_BETWEEN_WAITING_ONES, file)
    return [item for file in others for item in file]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the interpreters that this machine lacks, so that nobody takes their versions for tested."""
    if any("e2e/interpreters" in report.nodeid for report in terminalreporter.stats.get("passed", ())):
        lacking = missing(TARGET_VERSIONS)
        found = [version for version in TARGET_VERSIONS if version not in lacking]
        terminalreporter.write_line(
            f"Python versions tested: {' '.join(found)}; missing here: {' '.join(lacking) or '-'}"
        )
