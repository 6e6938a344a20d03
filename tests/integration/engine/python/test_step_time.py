"""What never ends costs an exploration its share of time, and not more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from testwright.core.errors import TargetImportError
from testwright.engine.python.explore.explore import ExplorationBudget, explore
from testwright.engine.python.search.observer import START_SECONDS
from testwright.sandbox.deadline import deadline_after
from testwright.tests.support.engine.exploration import Listed, explored, facts_of, files, trial, watched
from testwright.tests.support.engine.sandboxes import needed_sandbox, python_program
from testwright.tests.support.engine.targets import prepared

pytestmark = [pytest.mark.feature("B-05"), pytest.mark.waits]

ENDLESS = (
    'import threading\n\nthreading.Event().wait()\n\n\ndef double(n: int) -> int:\n    """Twice."""\n    return n * 2\n'
)
SLOW = """import select


def wait(n: float) -> float:
    '''Wait.'''
    select.select([], [], [], n)
    return n + 5
"""


async def test_an_import_that_never_ends_is_an_import_error_after_its_seconds(tmp_path: Path) -> None:
    async with prepared(tmp_path, files(ENDLESS)) as prepared_target:
        target = replace(prepared_target, import_seconds=1.0)
        began = monotonic()
        with pytest.raises(TargetImportError, match="within 1 s") as raised:
            await explore(target, facts_of(target), Listed([]))
    assert monotonic() - began < 2 * (START_SECONDS + 1)
    assert "import_seconds" in raised.value.advice


def test_trials_that_take_their_whole_time_do_not_stretch_an_exploration(tmp_path: Path) -> None:
    """One batch of them would take 150 s by itself."""
    trials = [trial("wait(0.1)"), *(trial(f"wait({2.501 + number / 1000})") for number in range(100))]
    began = monotonic()
    (found,) = explored(tmp_path, SLOW, trials, budget=ExplorationBudget(wall_seconds=12))
    assert monotonic() - began < 75
    assert "wait(0.1)" in {finding.trial.act for finding in found.findings}


async def test_a_program_runs_no_longer_than_the_work_that_needs_it(tmp_path: Path) -> None:
    program = python_program("import time; time.sleep(60)", tmp_path)
    with deadline_after(1.0), deadline_after(50.0):
        completed = await needed_sandbox("bubblewrap").run(program)
    assert completed.ending == "wall_clock"
    assert completed.seconds < 30


CLOSING = """import threading


class Line:
    def close(self) -> None:
        threading.Event().wait()

    def cut(self) -> None:
        pass
"""


def test_an_object_that_never_closes_costs_its_trial_the_time_of_one(tmp_path: Path) -> None:
    trials = [
        trial(act, "line = Line()", f"request.addfinalizer(line.{ending})", subject="Line.cut", fixtures=("request",))
        for act, ending in (("line.cut()", "close"), ("Line().cut()", "cut"))
    ]
    seen = watched(tmp_path, CLOSING, trials)
    assert {act: one.outcome for act, one in seen.items()} == {"line.cut()": "timed_out", "Line().cut()": "returned"}
