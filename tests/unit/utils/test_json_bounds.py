"""Bounds on JSON values of others."""

import pytest

from testwright.utils.json_bounds import is_within


def nested(levels, wrap):
    value = wrap(0)
    for _ in range(levels - 1):
        value = wrap(value)
    return value


@pytest.mark.parametrize("wrap", [lambda part: [part], lambda part: {"a": part}])
def test_levels_are_counted_without_recursion(wrap):
    assert is_within(nested(100, wrap))
    assert not is_within(nested(101, wrap))
    assert not is_within(nested(100_000, wrap))


def test_values_are_counted_in_lists_and_objects():
    assert is_within({"a": [1, 2, 3]}, values=4)
    assert not is_within({"a": [1, 2, 3, 4]}, values=4)
