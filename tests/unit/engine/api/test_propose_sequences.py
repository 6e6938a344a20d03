"""Conflicts, used names, references and limits are tried, and kept where the answer is another one than usual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, ObservedProposal, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import alike_pair, distinct_request
from testwright.engine.api.probe.execute import merge_observations
from testwright.engine.api.probe.judge import expectations
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.propose import readings_after_change
from testwright.engine.api.probe.propose_sequences import state_dependent_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.values.data import SampleValues, SecretFilter

pytestmark = pytest.mark.feature("T-20")

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def _body(**properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"content": {"application/json": {"schema": schema}}}


KEY = {"name": "Idempotency-Key", "in": "header", "required": True, "schema": TEXT}
COUNTS = [{"name": name, "in": "query", "schema": NUMBER} for name in ("limit", "offset")]
ITEM = [{"name": "id", "in": "path", "required": True, "schema": NUMBER}]
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/accounts": {
            "post": {"operationId": "open", "requestBody": _body(owner=TEXT, balance=NUMBER), "responses": {}},
            "get": {"operationId": "list", "parameters": COUNTS, "responses": {}},
        },
        "/accounts/{id}": {
            "parameters": ITEM,
            "patch": {"operationId": "change", "requestBody": _body(owner=TEXT), "responses": {}},
            "delete": {"operationId": "close", "responses": {}},
        },
        "/accounts/{id}/notes": {
            "parameters": ITEM,
            "post": {"operationId": "note", "requestBody": _body(text=TEXT), "responses": {}},
            "get": {"operationId": "notes", "responses": {}},
        },
        "/transfers": {
            "post": {
                "operationId": "transfer",
                "parameters": [KEY],
                "requestBody": _body(source=NUMBER, target=NUMBER, amount=NUMBER),
                "responses": {},
            },
        },
    },
}
SAVES = {"open": {"account_id": "/id"}, "transfer": {"transfer_id": "/id"}}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    found = ResourceModel(api, SampleValues(api.components))
    for operation in sorted(api.operations, key=lambda known: (known.method != "POST", len(known.path))):
        made = build_request(found, operation)
        assert made is not None
        request, setup = made
        if operation.name == "transfer":
            pair = alike_pair(found.baselines["open"], found)
            assert pair is not None
            ids = {"source": "{{account_id}}", "target": "{{other_account_id}}"}
            request = {**request, "body": {**request["body"], "content": {**request["body"]["content"], **ids}}}
            setup = pair
        answer = HttpAnswer(201, {}, '{"id": 1}')
        found.baselines[operation.name] = BaselineRequest(
            operation, request, setup, answer, SAVES.get(operation.name, {})
        )
    return found


def _others(world: ResourceModel) -> dict[str, BaselineRequest]:
    known = world.baselines["open"]
    made = distinct_request(known, world)
    assert made is not None
    return {"open": BaselineRequest(known.operation, made[0], (), known.answer, made[1])}


class Refusing:
    """Answers 409 to each last request, and 201 to those before."""

    async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
        return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(409))


async def _tried(world: ResourceModel) -> dict[str, Proposal]:
    found, cut = await state_dependent_proposals(cast(BaselineFinder, Refusing()), world, _others(world), 99)
    assert cut == ()
    return {f"{one.operation.name} {one.name}": one for one in found}


async def test_changes_are_tried_after_each_other_and_with_what_another_has(world: ResourceModel) -> None:
    found = await _tried(world)
    after = found["close after_note"]
    assert [step["path"] for step in after.setup] == ["/accounts", "/accounts/{id}/notes"]
    taken = found["change with_a_taken_owner"]
    [first, second] = [step["body"]["content"]["owner"] for step in taken.setup]
    assert first != second == taken.request["body"]["content"]["owner"]
    other = found["close of_one_with_other_values"]
    assert other.request["path_parameters"] == {"id": "{{other_account_id}}"}
    assert found["open with_a_large_balance"].request["body"]["content"]["balance"] == 1_000_000


async def test_a_removal_is_tried_after_what_refers_to_the_thing_elsewhere(world: ResourceModel) -> None:
    found = await _tried(world)
    used = found["close after_transfer"]
    assert used.setup[-1]["path"] == "/transfers"
    assert used.request["path_parameters"] == {"id": "{{account_id}}"}
    assert "change after_transfer" not in found


async def test_references_are_tried_that_name_nothing_and_twice_the_same(world: ResourceModel) -> None:
    found = await _tried(world)
    unknown = found["transfer unknown_source"]
    assert unknown.category == "not_found"
    assert unknown.request["body"]["content"]["source"] == 999999
    twice = found["transfer same_source_and_target"].request["body"]["content"]
    assert twice["source"] == twice["target"] == "{{account_id}}"
    another = found["transfer another_source"]
    assert another.request["body"]["content"]["source"] == "{{other_account_id_2}}"
    assert another.request["body"]["content"]["target"] == "{{other_account_id}}"
    assert another.setup[-1]["save"] == {"other_account_id_2": "/id"}


async def test_what_is_answered_as_always_becomes_no_test(world: ResourceModel) -> None:
    class Usual:
        async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
            return tuple(HttpAnswer(201) for _ in requests)

    assert await state_dependent_proposals(cast(BaselineFinder, Usual()), world, _others(world), 99) == ([], ())


async def test_a_small_budget_is_spent_on_every_kind_of_sequence_and_what_is_left_out_is_told(
    world: ResourceModel,
) -> None:
    found, cut = await state_dependent_proposals(cast(BaselineFinder, Refusing()), world, _others(world), 5)
    assert {one.name for one in found} == {
        "after_change",
        "with_a_taken_owner",
        "unknown_source",
        "of_one_with_other_values",
        "with_a_large_balance",
    }
    assert {label for label, _ in cut} >= {"PATCH /accounts/{id}", "POST /transfers"}
    assert all("at most 5 sequences" in reason for _, reason in cut)


async def test_the_whole_budget_goes_to_the_operations_that_are_asked_for(world: ResourceModel) -> None:
    sent: list[Sequence[Json]] = []

    class Counting(Refusing):
        async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
            sent.append(requests)
            return await super().send(requests)

    finder = cast(BaselineFinder, Counting())
    found, cut = await state_dependent_proposals(finder, world, _others(world), 2, {"transfer"})
    assert [one.operation.name for one in found] == ["transfer", "transfer"]
    assert len(sent) == 2
    assert [label for label, _ in cut] == ["POST /transfers"]


def test_two_of_a_kind_go_together_and_hold_enough(world: ResourceModel) -> None:
    first, second = (step["body"]["content"] for step in world.baselines["transfer"].setup)
    assert first["balance"] == second["balance"] >= 1000
    assert first["owner"] != second["owner"]


def test_a_request_with_a_key_is_read_after_it_was_sent_twice_and_has_another_key_the_second_time(
    world: ResourceModel,
) -> None:
    names = [after.name for change, _, _, after in readings_after_change(world) if change.operation.name == "transfer"]
    assert "after_transfer_twice" in names
    made = distinct_request(world.baselines["transfer"], world)
    assert made is not None
    [one, other] = [known["headers"]["Idempotency-Key"] for known in (world.baselines["transfer"].request, made[0])]
    assert one != other


def test_lists_are_paged_by_two_parameters_and_read_while_another_parent_has_members(world: ResourceModel) -> None:
    found = {f"{one.operation.name} {one.name}": one for one in filled_lists(world, _others(world))}
    assert found["list filled_by_offset_and_limit"].request["query"] == {"offset": 1, "limit": 1}
    own = found["notes lists_only_its_own"]
    noted = [step["path_parameters"]["id"] for step in own.setup if step["path"].endswith("notes")]
    assert noted == ["{{account_id}}", "{{other_account_id}}"]
    assert own.request["path_parameters"] == {"id": "{{account_id}}"}


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ("/accounts/1", [("etag", None), ("location", "/accounts/1")]),
        ("/accounts/2", [("etag", None), ("location", None)]),
    ],
)
def test_headers_are_pinned_where_they_are_the_same_twice(
    world: ResourceModel, there: str, told: list[tuple[str, Any]]
) -> None:
    operation = world.baselines["open"].operation
    proposal = Proposal(operation, "opens", "opens", "success", world.baselines["open"].request)
    [first, second] = [
        ObservedProposal(proposal, (HttpAnswer(201, {"location": place, "etag": tag, "date": "today"}, '{"id": 1}'),))
        for place, tag in (("/accounts/1", '"a"'), (there, '"b"'))
    ]
    seen = merge_observations(first, second)
    found = list(expectations(seen, world.api, SecretFilter({}, ()), shows=True))
    assert sorted((one["name"], one.get("value")) for one in found if one["kind"] == "header") == told
    assert {"body_equals": {"id": 1}} in [{one["kind"]: one.get("value")} for one in found]


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_header_that_one_of_two_answers_lacks_is_not_asked_for(world: ResourceModel, lacking: int) -> None:
    operation = world.baselines["open"].operation
    proposal = Proposal(operation, "opens", "opens", "success", world.baselines["open"].request)
    answers: list[dict[str, str]] = [{"next-page": "2", "etag": "a"}, {"next-page": "2", "etag": "a"}]
    del answers[lacking]["next-page"]
    first, second = (ObservedProposal(proposal, (HttpAnswer(201, told, '{"id": 1}'),)) for told in answers)

    found = list(expectations(merge_observations(first, second), world.api, SecretFilter({}, ()), shows=True))

    assert "next-page" not in [one.get("name") for one in found if one["kind"] == "header"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("x-total-count", "7", [("x-total-count", "7")]),
        ("next-page", "2", [("next-page", "2")]),
        ("x-account-id", "7", []),
        ("x-country", "CH", []),
        ("x-homepage", "/home", []),
        ("x-nextjs-cache", "HIT", []),
        ("x-next-cursor", "a-password-of-somebody", [("x-next-cursor", None)]),
        ("location", "/accounts/1?token=9f8e7d6c5b4a3928", [("location", None)]),
    ],
)
def test_headers_are_pinned_that_tell_of_the_answer_and_hold_no_secret(
    world: ResourceModel, name: str, text: str, told: list[tuple[str, Any]]
) -> None:
    operation = world.baselines["open"].operation
    proposal = Proposal(operation, "opens", "opens", "success", world.baselines["open"].request)
    answers = (HttpAnswer(201, {name: text}, '{"id": 1}'),)
    seen = merge_observations(ObservedProposal(proposal, answers), ObservedProposal(proposal, answers))
    found = expectations(seen, world.api, SecretFilter({}, ("a-password-of-somebody",)), shows=True)
    assert [(one["name"], one.get("value")) for one in found if one["kind"] == "header"] == told
