"""What an answer tells of rows that were stored before is no expectation where it is another in the next database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.model.json_values import HEADERS
from testwright.engine.api.model.model import (
    Api,
    HttpAnswer,
    Json,
    ObservedProposal,
    Operation,
    Proposal,
    needs_fresh_state,
)
from testwright.engine.api.probe.execute import merge_observations
from testwright.engine.api.probe.judge import expectations
from testwright.engine.api.values.data import SecretFilter

pytestmark = pytest.mark.feature("T-20")
ID = "b22d8575-f792-4de2-bd85-d349764f41c4"


def unstable(answer: Any, request: Json) -> frozenset[str]:
    proposal = Proposal(Operation("", "read", "GET", "/me"), "reads", "it reads", "success", request)
    seen = ObservedProposal(proposal, (HttpAnswer(200, {}, json.dumps(answer)),))
    return merge_observations(seen, seen).unstable


def test_random_ids_and_moments_of_stored_rows_are_told_by_their_types() -> None:
    row = {"id": ID, "made": "2026-11-28T17:14:33.720746", "at": "2026-11-28T17:14:33.720Z", "name": "Ada"}
    assert unstable({"rows": [row]}, {"method": "GET"}) == {"/rows/0/id", "/rows/0/made", "/rows/0/at"}


def test_what_a_request_names_and_what_somebody_wrote_down_is_kept() -> None:
    row = {
        "id": ID,
        "day": "2026-11-28",
        "at": "2026-11-28T17:00:00.000Z",
        "other": "b22d8575-f792-1de2-bd85-d349764f41c4",
    }
    assert unstable(row, {"method": "GET", "path_parameters": {"id": ID}}) == frozenset()


LOGIN: Json = {"method": "POST", "path": "/login"}


@pytest.mark.parametrize(
    ("auth", "before", "fresh"), [({"auth": "user"}, [], True), ({}, [LOGIN], True), ({}, [], False)]
)
def test_a_refused_request_of_somebody_who_may_be_gone_needs_a_fresh_state(auth, before, fresh) -> None:
    request = {"method": "POST", "path": "/notes", **auth}
    case = {"category": "validation", "expect": [{"kind": "status", "statuses": [422]}], "act": {"request": request}}
    assert needs_fresh_state({**case, "arrange": {"requests": before}}) is fresh


def test_a_header_that_leads_on_by_another_token_each_time_is_there() -> None:
    read = Operation("", "read", "GET", "/rows")
    proposal = Proposal(read, "reads", "it reads", "success", {"method": "GET", "path": "/rows"})
    answer = HttpAnswer(200, {"Next-Page": "/rows?token=a", "Date": "today"}, "[]")
    seen = ObservedProposal(proposal, (answer,), unstable=frozenset({f"{HEADERS}Next-Page", f"{HEADERS}Date"}))
    told = expectations(seen, Api("Rows", (read,), {}, {}), SecretFilter({}), shows=False)
    headers = [one for one in told if one["kind"] == "header"]
    assert [(one["name"], "value" in one) for one in headers] == [("Next-Page", False)]
