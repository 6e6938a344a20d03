"""What is asserted of a refusal: the application's own words, and of a library's report the place at most."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.model.model import Api, HttpAnswer, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.judge import expectations
from testwright.engine.api.values.data import SecretFilter

pytestmark = pytest.mark.feature("T-20")
TAKEN = {"errors": {"username": ["has already been taken"]}}
REPORT = {"detail": [{"loc": ["body", "name"], "msg": "Field required"}]}


@pytest.mark.parametrize(
    ("category", "body", "told"),
    [
        ("state", TAKEN, [("", TAKEN)]),
        ("validation", TAKEN, []),
        ("boundary", TAKEN, []),
        ("validation", {"error": "a name is needed"}, [("", {"error": "a name is needed"})]),
        ("state", REPORT, [("/detail/0/loc", ["body", "name"])]),
        ("validation", REPORT, [("/detail/0/loc", ["body", "name"])]),
        ("contract", TAKEN, []),
    ],
)
def test_a_refusal_is_told_in_the_applications_own_words(category: Any, body: Any, told: list[Any]) -> None:
    proposal = Proposal(Operation("", "sign_up", "POST", "/users"), "twice", "twice", category, {"method": "POST"})
    seen = ObservedProposal(proposal, (HttpAnswer(409, {}, json.dumps(body)),))
    found = expectations(seen, Api("Users", (), {}, {}), SecretFilter({}), shows=False)
    assert [(one.get("pointer", ""), one["value"]) for one in found if one["kind"] != "status"] == told
