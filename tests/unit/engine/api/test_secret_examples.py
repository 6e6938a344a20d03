"""A document's example that may be a credential is not sent, and gets into no test."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.model.model import ApiParameter
from testwright.engine.api.probe.resource_model import _parameter_value
from testwright.engine.api.values.data import SampleValues


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
