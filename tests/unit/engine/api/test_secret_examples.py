"""A document's example that may be a credential is not sent, and gets into no test."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.model.model import ApiParameter, Operation, Proposal
from testwright.engine.api.probe.resource_model import _parameter_value
from testwright.engine.api.values.data import SampleValues, SecretFilter


@pytest.mark.parametrize(
    ("name", "example", "is_used"),
    [
        ("X-Api-Key", "k3y-of-somebody-17", False),
        ("token", "8f14e45fceea167a", False),
        ("anything", "sk-live0123456789abcdef", False),
        ("token", "string", True),
        ("page_token", "8f14e45fceea167a", True),
        ("nextPageToken", "8f14e45fceea167a", True),
        ("continuation-token", "8f14e45fceea167a", True),
        ("sync_token", "8f14e45fceea167a", True),
        ("cursor", "8f14e45fceea167a", True),
        ("access_token", "8f14e45fceea167a", False),
        ("page", "8f14e45fceea167a", True),
    ],
)
def test_an_example_of_a_parameter_whose_name_says_secret_is_not_used(name: str, example: str, is_used: bool) -> None:
    schema: dict[str, Any] = {"type": "string"}
    parameter = ApiParameter(name, "query", required=True, schema=schema, examples=(example,))
    assert (_parameter_value(SampleValues({}), parameter) == example) is is_used


def test_a_request_with_a_password_or_a_value_that_no_test_may_hold_becomes_no_test() -> None:
    privacy = SecretFilter({}, ("tulip-garden-19",), tokens=("librarian",))
    operation = Operation("", "list", "GET", "/reports")
    asked = [
        Proposal(operation, "asked", "it is asked", "success", {"method": "GET", "path": "/reports", **rest}, setup)
        for rest, setup in (
            ({"query": {"key": "tulip-garden-19"}}, ()),
            ({}, ({"method": "POST", "path": "/reports", "body": {"content": {"keys": ["tulip-garden-19"]}}},)),
            ({"query": {"user": "librarian"}}, ()),
        )
    ]
    assert [privacy.asked_with_one(proposal) for proposal in asked] == [True, True, False]
    assert privacy.places({"told": "librarian"}) == {"/told"}
