"""The time that is left follows from what modules have taken, and from how much there is to do in the others."""

from __future__ import annotations

import pytest

from testwright.core.time_left import TimeLeft

pytestmark = pytest.mark.feature("B-13")

SCORES = {"first": 40.0, "second": 20.0, "third": 5.0, "fourth": 5.0}


def after_two(*, lanes: int) -> TimeLeft:
    """The first two modules took a second for each unit of their weight."""
    left = TimeLeft()
    left.plan(SCORES, 0.0)
    left.start("first", 0.0)
    if lanes > 1:
        left.start("second", 0.0)
    left.end("first", 50.0)
    if lanes == 1:
        left.start("second", 50.0)
    left.end("second", 30.0 if lanes > 1 else 80.0)
    return left


def test_large_modules_come_first_so_the_small_ones_take_less_than_the_mean():
    seconds = after_two(lanes=1).seconds(80.0)
    assert seconds is not None
    # Two modules of weight 15 at one second for each unit, then all tests together.
    assert seconds == pytest.approx(30 + 0.2 * (80 + 30))


def test_modules_that_are_worked_on_at_once_share_the_time():
    seconds = after_two(lanes=2).seconds(50.0)
    assert seconds == pytest.approx(15 + 0.2 * (50 + 15))


def test_a_module_that_takes_longer_than_was_expected_lengthens_the_rest():
    left = after_two(lanes=1)
    left.start("third", 80.0)
    expected, late = left.seconds(85.0), left.seconds(140.0)
    assert expected is not None
    assert late is not None
    assert late > expected


def test_nothing_is_estimated_from_one_module_or_when_all_have_ended():
    left = TimeLeft()
    left.plan(SCORES, 0.0)
    left.start("first", 0.0)
    left.end("first", 50.0)
    assert left.seconds(50.0) is None
    for step in ("second", "third", "fourth"):
        left.start(step, 50.0)
        left.end(step, 60.0)
    assert left.seconds(60.0) is None
