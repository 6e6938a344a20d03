"""The functions that generated tests measure with: both sides of a comparison are measured in the same way."""

from __future__ import annotations

import sys

import pytest

from testwright.engine.performance.helpers import HELPERS, IMPORTS


@pytest.fixture
def helpers():
    space: dict = {}
    exec("\n".join(IMPORTS), space)
    exec(HELPERS.text(HELPERS.functions), space)
    return space


@pytest.mark.feature("T-20")
@pytest.mark.parametrize("name", ["share_of_first", "work_ratio"])
def test_coverage_slows_neither_of_the_compared_calls(helpers, name):
    seen = []

    def one():
        return 1

    def other():
        return 2

    def trace(frame, event, _):
        seen.append(frame.f_code.co_name)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        helpers[name](one, other)
    finally:
        sys.settrace(before)
    assert name in seen
    assert not {"one", "other"} & set(seen)


@pytest.mark.feature("T-20")
def test_where_processor_time_advances_in_long_steps_elapsed_time_is_compared(helpers, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(helpers["time"], "thread_time", lambda: 0.0)
    assert helpers["work_ratio"](lambda: sum(range(100)), lambda: 1) > 0
