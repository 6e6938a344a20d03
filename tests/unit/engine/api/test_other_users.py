"""Whom somebody follows is another user, and it is that one who is read afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.model.model import HttpAnswer, Operation
from testwright.engine.api.probe.distinct import other_value
from testwright.engine.api.probe.propose import _of_same_user
from testwright.engine.api.probe.resource_model import BaselineRequest
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")


def baseline(method: str, path: str, **parameters: Any) -> BaselineRequest:
    request = {"method": method, "path": path, "path_parameters": parameters}
    return BaselineRequest(Operation("", "one", method, path), request, (), HttpAnswer(200, {}, "{}"))


def test_a_reading_is_of_the_user_whom_the_change_names() -> None:
    change = baseline("POST", "/profiles/{username}/follow", username="{{OTHER_NAME}}")
    reading = baseline("GET", "/profiles/{username}", username="{{USER_NAME}}")
    assert _of_same_user(change, reading).request["path_parameters"] == {"username": "{{OTHER_NAME}}"}


def test_other_parameters_stay_as_they_are() -> None:
    change = baseline("POST", "/notes/{id}/{username}", id="{{note_id}}", username="ada")
    reading = baseline("GET", "/notes/{id}/{username}", id=7, username="{{USER_NAME}}")
    assert _of_same_user(change, reading) is reading


def test_another_address_is_an_address_whether_or_not_the_document_says_so() -> None:
    samples = SampleValues({})
    assert other_value({"type": "string"}, "ada@example.com", samples) == "other.ada@example.com"
    assert other_value({"type": "string"}, "tea", samples) == "other tea"
