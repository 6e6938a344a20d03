"""Floats are compared in pytest's form by the tolerance that the spec states, else by one that fits their size."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.spec_case import SpecExpectation
from testwright.engine.python.write.render_pytest import approximate

EXPECTED = SpecExpectation("approx", "result", "2.5")
WITHIN_ONE_PERCENT = SpecExpectation("approx", "result", "2.5", relative=0.01)
WITHIN_A_HALF = SpecExpectation("approx", "result", "2.5", absolute=0.5)


@pytest.mark.parametrize(
    ("expectation", "value", "rendered"),
    [
        (EXPECTED, "250000.5", "pytest.approx(250000.5, rel=1e-09)"),
        (EXPECTED, "{'a': [250000.5, -1.5]}", "{'a': [pytest.approx(250000.5, rel=1e-09), pytest.approx(-1.5)]}"),
        (WITHIN_ONE_PERCENT, "250000.5", "pytest.approx(250000.5, rel=0.01)"),
        (WITHIN_ONE_PERCENT, "{'a': [250000.5]}", "{'a': [pytest.approx(250000.5, rel=0.01)]}"),
        (WITHIN_A_HALF, "{'a': [250000.5, 2]}", "{'a': [pytest.approx(250000.5, abs=0.5), 2]}"),
    ],
)
def test_a_float_has_the_stated_tolerance_wherever_it_stands(
    expectation: SpecExpectation, value: str, rendered: str
) -> None:
    assert approximate(value, expectation) == rendered
