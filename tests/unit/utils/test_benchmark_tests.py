"""Test files that use pytest-benchmark are told from others."""

from __future__ import annotations

import time

import pytest

from testwright.utils.benchmark_tests import uses_benchmarks


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def test_sum(benchmark):\n    assert benchmark(sum, [1]) == 1\n", True),
        ("class TestSum:\n    def test_it(self, benchmark):\n        pass\n", True),
        ("def test_sum(\n    tmp_path,\n    benchmark,\n):\n    pass\n", True),
        ("def test_sum(tmp_path):\n    benchmark = 1\n", False),
        ("def run(benchmark):\n    pass\n", False),
        ("def test_sum(benchmarks):\n    pass\n", False),
    ],
)
def test_a_file_is_told_by_the_fixture_that_its_tests_take(source, expected):
    assert uses_benchmarks(source) is expected


# `re` cannot count its steps: a quadratic search of these takes a minute, a linear one some milliseconds.
@pytest.mark.parametrize("source", ["\n" * 200_000, "def test(" * 25_000, "def test(\n" * 25_000])
def test_a_file_that_is_written_to_keep_us_busy_costs_no_more_than_its_length(source):
    began = time.process_time()
    assert not uses_benchmarks(source)
    assert time.process_time() - began < 20
