"""What a list holds in any order is compared in order, whatever order a spec names it in."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.core.errors import AgentFailure
from testwright.engine.api.write.render_checks import SavedNames, render_checks
from testwright.engine.api.write.render_names import SharedPayloads

pytestmark = pytest.mark.feature("T-20")


def condition(members: list[Any]) -> str:
    expected = [{"kind": "body_value", "pointer": "/tags", "operator": "in_any_order", "value": members}]
    [check] = render_checks(expected, SavedNames({}, SharedPayloads({})))
    return check.condition


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["b", "a"], 'sorted(response.json["tags"]) == ["a", "b"]'),
        ([{"n": 2}, {"n": 1}], 'sorted(one["n"] for one in response.json["tags"]) == [1, 2]'),
        (
            [{"n": 2, "m": 1}, {"m": 3, "n": 1}],
            'sorted((one["n"], one["m"]) for one in response.json["tags"]) == [(1, 3), (2, 1)]',
        ),
        (["{{b}}", "a"], 'sorted(response.json["tags"]) == sorted('),
    ],
)
def test_members_are_compared_in_order(members: list[Any], expected: str) -> None:
    assert condition(members).startswith(expected)


@pytest.mark.parametrize("members", [["a", 1], [{"n": 1}, {"m": 1}], []])
def test_members_that_have_no_order_are_refused(members: list[Any]) -> None:
    with pytest.raises(AgentFailure, match="members in any order"):
        condition(members)
