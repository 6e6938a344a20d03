"""The names that Python source reads from outside, without those that it binds for itself."""

from __future__ import annotations

import pytest

from testwright.utils.python_names import loaded_names
from testwright.utils.python_source import parse_expression


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param("tree(Span(b, e) for b, e in pairs)", ["tree", "pairs", "Span"], id="a_generator"),
        pytest.param("[x for x in x if x > low]", ["x", "low"], id="its_first_items_come_from_outside"),
        pytest.param("{k: f(v) for k, v in d.items()}", ["f", "d"], id="a_dictionary"),
        pytest.param("sorted(items, key=lambda one: one[at])", ["sorted", "items", "at"], id="a_lambda"),
        pytest.param("[y for x in rows for y in x]", ["rows"], id="nested"),
    ],
)
def test_what_a_comprehension_or_a_lambda_binds_is_read_from_nowhere(source: str, names: list[str]) -> None:
    assert sorted(loaded_names(parse_expression(source))) == sorted(names)
