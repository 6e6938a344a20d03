"""Properties of one body that would have the same value get another one where the application wants them apart."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.probe.distinct import told_apart
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")
ADDRESS = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "postcode": {"type": "string", "pattern": r"^\d{4}$"}},
    "required": ["name", "postcode"],
}


def body(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def test_a_receiver_is_another_than_the_sender_in_one_body_and_the_sender_in_the_other() -> None:
    ann, other = {"name": "Ann", "postcode": "1111"}, {"name": "other Ann", "postcode": "1112"}
    found = told_apart({"sender": ann, "receiver": ann}, body(sender=ADDRESS, receiver=ADDRESS), SampleValues({}))
    assert found == [{"sender": ann, "receiver": other}, {"sender": other, "receiver": ann}]


def test_an_end_is_later_than_its_start() -> None:
    day = {"type": "string", "format": "date"}
    same = {"start": "2024-05-03", "end": "2024-05-03"}
    assert told_apart(same, body(start=day, end=day), SampleValues({}))[0] == {
        "start": "2024-05-03",
        "end": "2025-06-11",
    }


@pytest.mark.parametrize(
    "content",
    [{"title": "apple", "text": "banana"}, {"first": "{{id}}", "second": "{{id}}"}, {"one": True, "two": True}],
)
def test_what_is_told_apart_already_or_cannot_be_stays(content: dict[str, Any]) -> None:
    assert told_apart(content, body(**dict.fromkeys(content, True)), SampleValues({})) == []
