"""What test tools do at their start is done once for all runs, or not at all where nobody asks for it."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import coverage
import pytest

from testwright import sandbox
from testwright.tests.support.engine.worker_files import worker_module

COLLECTOR: Any = importlib.import_module("coverage.collector")
BOOTSTRAP = Path(sandbox.__file__).parent / "worker"
LOADING = """
import sys
sys.path.insert(0, sys.argv[1])
import bootstrap
bootstrap.load_module("suites.loaded_pytest").load_pytest()
loaded = set(sys.modules)
import pytest
pytest.main(["--version"])
print([name for name in sys.modules if name.startswith("_pytest.") and name not in loaded])
"""


def test_a_session_loads_nothing_more_of_pytest() -> None:
    command = [sys.executable, "-c", LOADING, str(BOOTSTRAP)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_coverage_measures_without_describing_who_started_it(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text("def cost(count):\n    return count * 3\n\n\ncost(2)\n")
    measurement = coverage.Coverage(data_file=None, config_file=False, include=[str(path)])
    describing = COLLECTOR.short_stack

    worker_module("suites.coverage_start").start(measurement)
    try:
        exec(compile(path.read_text(), str(path), "exec"), {})
    finally:
        measurement.stop()

    assert measurement.get_data().lines(str(path)) == [1, 2, 5]
    collector: Any = measurement._collector
    assert collector.origin == ""
    assert COLLECTOR.short_stack is describing


def test_a_version_of_coverage_that_describes_nobody_is_started_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(COLLECTOR, "short_stack")
    measurement = coverage.Coverage(data_file=None, config_file=False, include=["nowhere.py"])
    monkeypatch.setattr(measurement, "start", lambda: started.append(True))
    started: list[bool] = []
    worker_module("suites.coverage_start").start(measurement)
    assert started == [True]
    assert not hasattr(COLLECTOR, "short_stack")
