"""Idle time is wall time in which nothing was in flight."""

from __future__ import annotations

import contextlib

import pytest

from testwright.utils.work_meter import WorkMeter, WorkTime


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_meter_without_work_is_all_idle() -> None:
    clock = Clock()
    meter = WorkMeter(clock=clock)
    clock.now += 4
    assert meter.read() == WorkTime(wall_seconds=4.0, busy_seconds=0.0)
    assert meter.read().idle_seconds == 4.0


def test_work_that_overlaps_counts_once() -> None:
    clock = Clock()
    meter = WorkMeter(clock=clock)
    clock.now += 1
    with meter.working():
        clock.now += 2
        with meter.working():
            clock.now += 3
        clock.now += 1
    clock.now += 1
    read = meter.read()
    assert (read.wall_seconds, read.busy_seconds, read.idle_seconds) == (8.0, 6.0, 2.0)


def test_work_in_flight_counts_up_to_now() -> None:
    clock = Clock()
    meter = WorkMeter(clock=clock)
    with meter.working():
        clock.now += 5
        assert meter.read().idle_seconds == 0.0


def test_work_that_fails_ends_all_the_same() -> None:
    clock = Clock()
    meter = WorkMeter(clock=clock)
    with contextlib.suppress(ValueError), meter.working():
        clock.now += 1
        raise ValueError
    clock.now += 1
    assert meter.read().busy_seconds == pytest.approx(1.0)


def test_time_that_only_waits_for_models_is_neither_work_nor_idle() -> None:
    clock = Clock()
    meter = WorkMeter(clock=clock)
    with meter.working():
        clock.now += 1
        with meter.waiting():
            clock.now += 2
            with meter.working():  # somebody else works meanwhile: that is work
                clock.now += 4
        clock.now += 8
    clock.now += 16
    read = meter.read()
    assert (read.busy_seconds, read.model_seconds, read.idle_seconds) == (13.0, 2.0, 16.0)
