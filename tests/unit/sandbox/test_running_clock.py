"""The clock that tests are run by a second time, and what applications that they start are told of it."""

from __future__ import annotations

import json
import os
import sys
import time
from types import SimpleNamespace

import pytest

from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("T-20")
clock_module = worker_module("suites.clock")
REAL = SimpleNamespace(time=time.time, localtime=time.localtime, monotonic=lambda: 0.0)


def test_no_two_looks_at_a_running_clock_tell_the_same_moment_though_midnight_is_still_to_come(tmp_path) -> None:
    clock = clock_module.RunningClock(REAL, 0, str(tmp_path))
    clock.begin()
    clock.act()
    moments = [clock.now(sys._getframe()) for _ in range(1000)]
    assert moments == sorted(set(moments))
    assert {time.localtime(moment).tm_mon for moment in moments} == {12}


@pytest.mark.parametrize(("runs", "ahead"), [(False, 3600), (True, 0)])
def test_applications_that_tests_start_have_about_the_same_clock(runs: bool, ahead: int, monkeypatch, tmp_path) -> None:
    kind = clock_module.RunningClock if runs else clock_module.ShiftedClock
    clock = kind(REAL, ahead, *([str(tmp_path)] if runs else []))
    requests = worker_module("suites.run_requests")
    monkeypatch.setattr(requests.password_costs, "install", lambda: None)
    monkeypatch.delenv("API_LAUNCHER", raising=False)
    requests.quicken_passwords(True, clock.shift)
    told = int(json.loads(os.environ.pop("API_LAUNCHER"))[-1])
    ahead_of_tests = time.time() + told - clock.now(sys._getframe())
    # At the end of a year, what tests set up is older than what an application does.
    assert 0 < ahead_of_tests < 602 if runs else abs(ahead_of_tests) < 2
