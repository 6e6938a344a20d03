"""The simulation of many workers."""

import pytest

from testwright.benchmarks.scale_simulation import simulate


@pytest.mark.parametrize("workers", [1, 10])
def test_workers_that_no_limit_holds_up_do_as_many_times_as_much(workers):
    done = simulate(workers, 200 * workers, work=4, latency=30, per_minute=1e9)
    assert done.hourly == pytest.approx(workers * 3600 / 34, rel=0.05)
    assert done.limited < 0.001


def test_no_number_of_workers_does_more_than_the_provider_grants():
    done = simulate(100, 2000, work=4, latency=30, per_minute=60)
    assert done.hourly == pytest.approx(3600, rel=0.05)
    assert done.limited > 0.5
