"""Growth is named where the measurements fit one class clearly, and limits lie between it and the next."""

from __future__ import annotations

import math

import pytest

from testwright.engine.performance.growth import cost_of, fit_growth, nice, repeat_of

SIZES = [10 * 2**step for step in range(10)]


def measured(seconds, noise=0.02):
    """Times of three groups that lie a little above the true ones."""
    return [(size, [seconds(size) * (1 + noise * group) for group in range(3)]) for size in SIZES]


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("name", "seconds", "limit"),
    [
        ("constant", lambda n: 2e-6, 8),
        ("logarithmic", lambda n: 1e-6 * math.log(n), 8),
        ("linear", lambda n: 1e-6 + 1e-7 * n, 23),
        ("n log n", lambda n: 2e-8 * n * math.log(n), 23),
        ("quadratic", lambda n: 1e-6 + 1e-8 * n * n, 32),
        ("cubic", lambda n: 1e-9 * n**3, 128),
    ],
)
def test_a_clear_growth_is_named_with_a_limit_that_the_next_slower_one_breaks(name, seconds, limit):
    points = measured(seconds)
    growth = fit_growth(points)
    assert growth.name == name
    assert growth.limit == limit
    assert growth.spread[0] <= growth.ratio <= growth.spread[1] < limit
    small, large = growth.sizes
    assert (large / small) ** (math.log(limit, large / small) + 0.5) > limit


def test_the_larger_of_the_compared_calls_is_short():
    growth = fit_growth(measured(lambda n: 1e-6 * n))
    assert 1e-6 * growth.sizes[1] <= 0.002


def test_one_measurement_that_is_too_short_leaves_sizes_without_a_gap():
    points = [(size, [0.0] if size == 40 else times) for size, times in measured(lambda n: 1e-7 * n)]
    growth = fit_growth(points)
    assert (growth.name, growth.limit) == ("linear", 23)
    assert growth.sizes[0] > 40


def test_a_size_that_no_measurement_has_is_not_compared():
    points = [point for point in measured(lambda n: 1e-7 * n) if point[0] not in (160, 320)]
    growth = fit_growth(points)
    assert growth.sizes[0] not in (160, 320)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (measured(lambda n: 1e-8 * n)[:3], "too few sizes"),
        (measured(lambda n: 1e-7 * n**1.5), "no kind of growth"),
        (measured(lambda n: 1e-6 * (n if n in (320, 2560) else 40 * n)), "no kind of growth"),
        (measured(lambda n: 1e-7 * n, noise=2.0), "vary too much"),
    ],
)
def test_what_fits_nothing_clearly_has_no_name_and_a_reason(points, reason):
    growth = fit_growth(points)
    assert growth.name is None
    assert reason in growth.reason


def test_a_call_may_cost_four_times_the_largest_of_the_measured_costs():
    cost = cost_of([[2e-6, 20e-6], [2.2e-6, 20e-6], [2.4e-6, 20e-6]])
    assert cost is not None
    assert (round(cost.additions), cost.limit) == (110, 500)


@pytest.mark.parametrize(("seconds", "limited"), [(0.004, True), (0.01, False)])
def test_a_long_call_has_no_limit_of_its_cost(seconds, limited):
    assert (cost_of([[seconds, 20e-6]] * 3) is not None) is limited


@pytest.mark.parametrize(("value", "rounded"), [(1, 10), (10, 10), (11, 20), (71, 100), (480, 500), (7001, 10_000)])
def test_limits_are_plain_numbers(value, rounded):
    assert nice(value) == rounded


def test_a_cache_is_worth_a_test_where_losing_it_would_be_seen():
    saved = repeat_of(before=1e-6, first=1e-3, again=1e-7)
    assert saved is not None
    assert saved.share < saved.limit < 0.5
    assert repeat_of(before=1e-6, first=1e-4, again=0.9e-4) is None
    assert repeat_of(before=1e-3, first=2e-5, again=1e-6) is not None
    assert repeat_of(before=1e-7, first=1e-6, again=1e-7) is None
    assert repeat_of(before=1e-7, first=0.05, again=1e-7) is not None
    assert repeat_of(before=1e-7, first=1.0, again=1e-7) is None
