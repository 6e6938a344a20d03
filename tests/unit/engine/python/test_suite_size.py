"""The size of a test file grows with the module: lines with its lines, functions with its callables (B-16)."""

from __future__ import annotations

import pytest

from testwright.engine.python.judge.suite_size import limits_for

pytestmark = pytest.mark.feature("B-16")


def test_a_small_module_may_have_more_test_lines_than_lines() -> None:
    assert limits_for(20).lines == 120
    assert limits_for(900).lines == 900


def test_each_of_many_callables_may_have_a_few_test_functions() -> None:
    assert limits_for(900, callables=10).functions == 80
    assert limits_for(900, callables=58).functions == 174
