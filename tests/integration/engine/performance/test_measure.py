"""Calls are measured in the sandbox: growth, cost and caches; what hangs or dies costs its own measurement only."""

from __future__ import annotations

import asyncio

import pytest

from testwright.engine.performance.growth import cost_of, repeat_of
from testwright.engine.performance.measure import Job, Point, growth_points, measure
from testwright.engine.performance.model import ScaledForm
from testwright.tests.support.engine.targets import prepared

SOURCE = """
import os
import time
from collections import defaultdict
from functools import lru_cache

IMPORTED_IN = os.getpid()


def was_imported_before(count):
    return os.getpid() != IMPORTED_IN


def pieces(count):
    found = defaultdict(int)
    for number in range(count):
        found[number] += 1
    return found


def total(prices):
    return sum(prices)


def endless():
    while True:
        pass


def long_call(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


@lru_cache
def long_first(seconds):
    return long_call(seconds)


def fatal():
    os._exit(3)


@lru_cache
def squares(count):
    return sum(number * number for number in range(count))
"""


def job(name, kind, act, *, before=()):
    return Job(
        name,
        kind,
        ("from shop import endless, fatal, long_call, long_first, pieces, squares, total, was_imported_before",),
        ((Point(0, act, (), before),),),
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    return asyncio.run(measured(tmp_path_factory.mktemp("measured")))


async def measured(folder):
    form = ScaledForm("prices", "prices", (), "[3] * __size__", "total(__value__)")
    jobs = [
        Job("absent", "cost", ("from shop import absent",), ((Point(0, "absent()"),),)),
        job("long call", "cost", "long_call(0.05)"),
        job("long first", "repeat", "long_first(0.25)", before=("long_first.cache_clear()",)),
        job("imported", "growth", "was_imported_before(3)"),
        job("pieces", "growth", "pieces(100)"),
        job("endless", "cost", "endless()"),
        job("fatal", "cost", "fatal()"),
        job("broken", "cost", "total(None)"),
        job("total", "cost", "total([1, 2, 3])"),
        job("squares", "repeat", "squares(20000)", before=("squares.cache_clear()",)),
        Job("growth", "growth", ("from shop import total",), (growth_points(form, listed=False)[:6],)),
    ]
    async with prepared(folder, {"src/shop.py": SOURCE}) as target:
        return await measure(target, "shop", jobs, seconds=600)


@pytest.mark.feature("T-20")
def test_a_call_is_measured_beside_a_fixed_loop(answers):
    cost = cost_of(answers["total"]["groups"])
    assert cost is not None
    assert 0 < cost.additions < cost.limit


def test_a_call_that_is_too_long_for_a_limit_is_timed_no_further(answers):
    assert len(answers["long call"]["groups"]) == 1
    assert cost_of(answers["long call"]["groups"]) is None
    assert "groups" not in answers["long first"]
    assert repeat_of(*(answers["long first"][name] for name in ("before", "first", "again"))) is None


@pytest.mark.feature("T-20")
def test_a_cache_is_measured_by_a_first_and_a_repeated_call(answers):
    saved = repeat_of(*(answers["squares"][name] for name in ("before", "first", "again")))
    assert saved is not None


@pytest.mark.feature("T-20")
def test_growth_is_measured_at_sizes_that_double_with_what_is_returned(answers):
    points = answers["growth"]["points"]
    assert [point[0] for point in points] == [10, 20, 40, 80, 160, 320]
    assert [point[2]["s"] for point in points] == ["30", "60", "120", "240", "480", "960"]
    assert all(len(point[1]) == 3 for point in points)


@pytest.mark.feature("T-20")
def test_the_module_is_imported_before_any_call_is_timed(answers):
    assert answers["imported"]["points"][0][2]["s"] == "True"


def test_telling_a_result_does_not_change_it(answers):
    ((_, _, value, end),) = answers["pieces"]["points"]
    assert value["n"] == 100
    assert end is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("absent", "ImportError"),
        ("endless", "takes longer than"),
        ("fatal", "ended the process"),
        ("broken", "TypeError"),
    ],
)
def test_a_call_that_hangs_dies_or_fails_has_a_problem_and_no_measurement(answers, name, problem):
    assert problem in answers[name]["problem"]
    assert "groups" not in answers[name]
