"""A comparison that a document shows becomes the value that it compares with."""

from __future__ import annotations

import pytest

from testwright.engine.python.judge.compared_values import without_comparison
from testwright.engine.python.model.model import Observation, Trial, TrialFinding, Value

pytestmark = pytest.mark.feature("B-02")


@pytest.mark.parametrize("value", ["0", "1", "1.0", "3"])
def test_a_number_is_a_value_though_it_equals_a_truth(value: str) -> None:
    seen = Observation("returned", value=Value("bool", source="True"))
    found = without_comparison(TrialFinding(Trial("count", f"count('a') == {value}"), seen))

    assert found.trial.act == "count('a')"
    assert found.observation.value is not None
    assert found.observation.value.source == value
