"""Which schemas the other expectations of a case make superfluous."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.write.compose import _without_implied

pytestmark = pytest.mark.feature("T-20")
OPEN = {"type": "object", "properties": {"id": {"type": "string", "format": "uuid"}}}
CLOSED = {**OPEN, "additionalProperties": False}
BODY = {"id": "0b5c"}


def kept(schema: Any, *others: dict[str, Any]) -> bool:
    fits = {"kind": "body_schema", "schema": schema}
    return fits in _without_implied([{"kind": "status", "statuses": [200]}, *others, fits], BODY)


def part(operator: str, value: Any) -> dict[str, Any]:
    return {"kind": "body_value", "pointer": "/id", "operator": operator, "value": value}


@pytest.mark.parametrize("schema", [OPEN, CLOSED])
def test_a_type_does_not_say_what_a_schema_says(schema: Any) -> None:
    assert kept(schema, part("has_type", "string"))


def test_all_values_of_a_body_imply_its_schema() -> None:
    assert not kept(OPEN, part("equals", "0b5c"))
    assert not kept(CLOSED, {"kind": "body_equals", "value": BODY})


@pytest.mark.parametrize(
    "schema", [CLOSED, {"$ref": "#/$defs/Row", "$defs": {"Row": CLOSED}}, {"anyOf": [{"type": "null"}, CLOSED]}]
)
def test_values_of_known_places_do_not_say_that_there_are_no_others(schema: Any) -> None:
    assert kept(schema, part("equals", "0b5c"))
