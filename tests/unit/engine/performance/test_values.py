"""What a measured call returns is expected in a few words: the value, or its length and its end."""

from __future__ import annotations

import pytest

from testwright.engine.performance.values import returned_verdict
from testwright.engine.python.model.model import ModuleFacts, Trial

FACTS = ModuleFacts("shop.py", "shop", ".", "0" * 64)
TRIAL = Trial("total", "total(_value)", arrange=("_value = [1]",))


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(
    ("value", "end", "expected"),
    [
        ({"t": "int", "s": "6"}, None, [("equals", "result", "6")]),
        (
            {"t": "list", "n": 900},
            {"t": "int", "s": "450"},
            [("length", "result", "900"), ("equals", "result[-1]", "450")],
        ),
        (
            {"t": "str", "n": 900},
            {"t": "str", "s": "'device_type'"},
            [("length", "result", "900"), ("holds", "result.endswith('device_type')", None)],
        ),
    ],
)
def test_a_result_is_told_by_its_value_or_by_its_length_and_end(value, end, expected):
    verdict = returned_verdict(FACTS, TRIAL, value, end)
    assert verdict is not None
    assert [(one.kind, one.actual, one.value) for one in verdict.expectations] == expected


def test_an_answer_that_code_under_test_has_written_is_no_result():
    assert returned_verdict(FACTS, TRIAL, {"t": 3}, None) is None
