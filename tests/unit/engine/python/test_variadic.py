"""Several values are passed for parameters that take any number of them (B-06)."""

from __future__ import annotations

import pytest

from testwright.engine.python.inputs.variadic import spread
from testwright.engine.python.model.model import Candidate, Parameter

pytestmark = pytest.mark.feature("B-06")

MAPPINGS = (Candidate("{'banana': 3, 'apple': 1}"), Candidate("{}"))


def test_named_arguments_are_plain_values_and_no_mappings_though_they_are_collected_in_one() -> None:
    found = spread(Parameter("kwargs", "var_keyword"), MAPPINGS)

    assert [one.source for one in found] == ["name=1, other=2", "name=1"]


def test_named_arguments_are_mappings_where_the_annotation_says_so() -> None:
    found = spread(Parameter("rows", "var_keyword", "dict[str, int]"), MAPPINGS)

    assert found[-1].source == "name={'banana': 3, 'apple': 1}"
