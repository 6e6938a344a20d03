"""Files of API tests stay short: answers share objects, cases of one kind stand in one table."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.probe.execute import with_values
from testwright.engine.api.write.render_names import find_shared_payloads

pytestmark = pytest.mark.feature("T-20")

ORDER = {"number": 1, "customer": "Ada", "placed": "2024-05-03", "status": "placed"}


def answering(*values: Any) -> list[dict[str, Any]]:
    return [
        {"operation": {"method": "GET", "path": "/orders"}, "expect": [{"kind": "body_equals", "value": value}]}
        for value in values
    ]


def test_an_object_that_many_answers_hold_gets_a_name_and_others_say_what_differs() -> None:
    sent = {**ORDER, "status": "sent"}
    found = find_shared_payloads(answering(ORDER, [ORDER, sent], ORDER, []), ["ORDERS"])
    [line] = found.lines()
    name = line.partition(" ")[0]
    assert line.startswith(f'{name} = {{"number": 1,')
    assert found.source([ORDER, sent]) == f'[{name}, {{**{name}, "status": "sent"}}]'
    assert found.source({"number": 1}) == '{"number": 1}'
    scope: dict[str, Any] = {}
    exec(f"{line}\nmade = {found.source([sent])}", scope)
    assert scope["made"] == [sent]


def test_few_uses_make_no_name_and_a_saved_id_stays_a_name() -> None:
    assert find_shared_payloads(answering(ORDER, ORDER, ORDER), []).lines() == []
    mine = {**ORDER, "number": "{{order_number}}"}
    found = find_shared_payloads(answering(ORDER, ORDER, mine, mine), [])
    assert '"number": order_number}' in found.source(mine)
    assert "order_number" not in found.lines()[0]


def test_true_and_one_are_different_answers() -> None:
    found = find_shared_payloads(answering(*[{**ORDER, "done": True}] * 4), [])
    assert '"done": 1' in found.source({**ORDER, "done": 1})


def test_saved_values_take_the_place_of_their_names_with_their_type() -> None:
    request = {"path": "/orders/{id}", "path_parameters": {"id": "{{a}}"}, "body": {"content": ["{{a}}", "no. {{a}}"]}}
    assert with_values(request, {"a": 7}) == {
        "path": "/orders/{id}",
        "path_parameters": {"id": 7},
        "body": {"content": [7, "no. 7"]},
    }
    assert with_values(request, {}) is None
