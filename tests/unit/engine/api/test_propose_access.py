"""Wrong passwords, unknown names, changed tokens, lists of others, and values that differ from what is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import Api, HttpAnswer, Json, ObservedProposal, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.execute import drop_setup
from testwright.engine.api.probe.explore import _unrefused_logins
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.propose_access import access_proposals
from testwright.engine.api.probe.propose_values import parameter_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.probe.sign_in.others import hides_from_others, read_by_others
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.baselines import add_baselines
from testwright.tests.support.projects.members import DOCUMENT

pytestmark = pytest.mark.feature("T-20")


def _json(content: Any) -> Json:
    return {"media_type": "application/json", "content": content}


LOGIN = {"method": "POST", "path": "/login", "body": _json({"email": "{{email}}", "password": "{{password}}"})}
SIGN_UP = {**LOGIN, "path": "/members"}


def _credentials() -> dict[str, Credential]:
    sign_in = SignIn((SIGN_UP, LOGIN), "/access_token")
    return {name: Credential(name, "bearer", "USER_PASSWORD", sign_in=sign_in) for name in ("user", "other_user")}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="members.py")
    found = ResourceModel(api, SampleValues(api.components), auth={"bearer": "user"}, users=_credentials())
    login = next(operation for operation in api.operations if operation.path == "/login")
    found.logins[login.name] = {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}
    answer = HttpAnswer(200, {}, '{"id": 1}')
    add_baselines(found, lambda one: (answer, {"note_id": "/id"} if one.label == "POST /notes" else {}))
    return found


def _of(world: ResourceModel, label: str) -> BaselineRequest:
    return next(known for known in world.baselines.values() if known.operation.label == label)


def _access(world: ResourceModel) -> dict[str, Proposal]:
    every = [one for known in world.baselines.values() for one in access_proposals(world, known, world.users)]
    return {proposal.name: proposal for proposal in every}


def test_a_login_is_asked_with_a_wrong_password_and_with_an_unknown_name(world: ResourceModel) -> None:
    found = _access(world)
    wrong, unknown = found["with_a_wrong_password"], found["with_an_unknown_name"]
    assert wrong.operation.label == unknown.operation.label == "POST /login"
    assert wrong.request["body"]["content"] == {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}-wrong"}
    assert unknown.request["body"]["content"] == {"email": "nobody-{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}


def test_a_login_by_a_pair_in_a_header_is_asked_with_a_wrong_password(world: ResourceModel) -> None:
    known = _of(world, "POST /login")
    headers = {"Authorization": "Basic {{USER_BASIC_EMAIL}}"}
    request = {"method": "POST", "path": "/login", "headers": headers}
    world.logins.clear()
    world.login_headers[known.operation.name] = headers
    world.baselines[known.operation.name] = replace(known, request=request)
    wrong = _access(world)["with_a_wrong_password"]
    assert wrong.request["headers"] == {"Authorization": "Basic {{USER_BASIC_EMAIL_WRONG}}"}
    assert (wrong.category, wrong.wants) == ("authentication", "refusal")


@pytest.mark.parametrize(
    ("status", "kind"), [(400, ""), (401, ""), (404, ""), (200, "not_secured"), (500, "server_error")]
)
def test_a_login_that_refuses_is_kept_and_one_that_breaks_or_lets_in_is_suspected(
    world: ResourceModel, status: int, kind: str
) -> None:
    seen = ObservedProposal(_access(world)["with_a_wrong_password"], (HttpAnswer(status, {}, "{}"),))
    verdict = find_violation(seen, world.api, world.samples)
    assert (verdict.kind if verdict else "") == kind


def test_a_refusal_of_a_login_that_no_request_got_is_listed(world: ResourceModel) -> None:
    login = replace(_of(world, "POST /login").operation, deliberate=frozenset({400}))
    api: Api = replace(world.api, operations=(login,))
    assert [label for label, reason in _unrefused_logins(api, world, ()) if "400" in reason] == ["POST /login"]
    seen = ObservedProposal(_access(world)["with_a_wrong_password"], (HttpAnswer(400),))
    assert list(_unrefused_logins(api, world, (seen,))) == []


async def test_a_token_is_sent_with_its_end_changed_and_never_written_down(world: ResourceModel) -> None:
    changed = _access(world)["with_a_token_whose_end_was_changed"]
    assert changed.setup[-1]["path"] == "/login"
    assert changed.setup[-1]["save"] == {"issued_token": "/access_token"}
    assert changed.request["headers"] == {"Authorization": "Bearer {{issued_token}}x"}
    answers = (HttpAnswer(200, {}, '{"access_token": "t0ken"}'), HttpAnswer(401))
    seen = ObservedProposal(changed, answers)

    class Refusing:
        async def answers(self, requests: Any) -> tuple[HttpAnswer, ...]:
            return (HttpAnswer(401),)

    [kept] = await drop_setup(cast(AppObserver, Refusing()), [seen], world.users)
    assert kept.proposal == changed


def _list_of_another(world: ResourceModel) -> tuple[Proposal, ObservedProposal]:
    """The reading of the list by another user than the one who filled it, and that it is refused to anonymous ones."""
    found = {one.operation.label: one for one in filled_lists(world, {}) if one.name == "made_by_another_user"}
    proposal = found["GET /notes"]
    refused = Proposal(proposal.operation, "n", "t", "authentication", {"method": "GET", "path": "/notes"})
    return proposal, ObservedProposal(refused, (HttpAnswer(401),))


def test_a_list_is_read_by_another_user_than_the_one_who_made_its_members(world: ResourceModel) -> None:
    proposal, anonymous = _list_of_another(world)
    assert proposal.request["auth"] == "other_user"
    assert [(step["path"], step["auth"]) for step in proposal.setup] == [("/notes", "user")]
    made = HttpAnswer(201, {}, '{"id": 7}')

    def listed(text: str) -> ObservedProposal:
        return ObservedProposal(proposal, (made, HttpAnswer(200, {}, text)))

    assert len(read_by_others([anonymous, listed('[{"id": 7}]')])) == 1
    assert not hides_from_others(listed('[{"id": 7}]'))
    for hidden in ("[]", '[{"id": 8}]'):
        assert read_by_others([anonymous, listed(hidden)]) == []
        assert hides_from_others(listed(hidden))


def test_a_list_that_shows_another_user_one_of_two_things_is_asserted_and_not_asked_about(world: ResourceModel) -> None:
    proposal, anonymous = _list_of_another(world)
    second = {**proposal.setup[0], "save": {"other_note_id": "/id"}}
    both = replace(proposal, setup=(*proposal.setup, second))
    stored = [HttpAnswer(201, {}, f'{{"id": {number}}}') for number in (7, 8)]
    shown = {
        text: ObservedProposal(both, (*stored, HttpAnswer(200, {}, text)))
        for text in ('[{"id": 8}]', '[{"id": 7}, {"id": 8}]')
    }
    assert {text: hides_from_others(seen) for text, seen in shown.items()} == dict(
        zip(shown, (True, False), strict=True)
    )
    assert [len(read_by_others([anonymous, seen])) for seen in shown.values()] == [0, 1]


def test_a_list_that_shows_what_was_put_elsewhere_or_one_page_is_asked_about_and_not_asserted(
    world: ResourceModel,
) -> None:
    proposal, anonymous = _list_of_another(world)
    stored = [HttpAnswer(201, {}, f'{{"id": {number}}}') for number in (7, 8)]
    first = proposal.setup[0]
    for path, query in (("/boards/1/notes", {}), ("/notes", {"limit": 1})):
        more = {**first, "save": {"other_note_id": "/id"}}
        setup = tuple({**step, "path": path} for step in (first, more))
        request = {**proposal.request, "query": query}
        asked = replace(proposal, setup=setup, request=request)
        leaks = ObservedProposal(asked, (*stored, HttpAnswer(200, {}, '[{"id": 8}]')))
        assert not hides_from_others(leaks)
        assert len(read_by_others([anonymous, leaks])) == 1
        assert hides_from_others(ObservedProposal(asked, (*stored, HttpAnswer(200, {}, "[]"))))


def test_an_update_of_optional_properties_changes_one_first(world: ResourceModel) -> None:
    change, made = _of(world, "PATCH /notes/{note_id}").operation, _of(world, "POST /notes").request
    request, setup = next(BaselineFinder(cast(AppObserver, None), world, {})._stories(change, 0, []))
    assert list(request["body"]["content"]) == ["title"]
    assert request["body"]["content"]["title"] != made["body"]["content"]["title"]
    assert [step["path"] for step in setup] == ["/notes"]


def test_a_query_parameter_is_sent_with_another_value_than_its_default() -> None:
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 100, "maximum": 100}}
    document = {"openapi": "3.1.0", "paths": {"/things": {"get": {"parameters": [limit], "responses": {}}}}}
    api = api_from_document(document, path="openapi.json")
    baseline = BaselineRequest(api.operations[0], {"method": "GET", "path": "/things"}, (), HttpAnswer(200))
    found = parameter_proposals(ResourceModel(api, SampleValues(api.components)), baseline)
    sent = next(one for one in found if one.name == "with_limit")
    assert sent.request["query"] == {"limit": 99}


async def test_what_a_refused_request_is_about_is_made_before_it(world: ResourceModel) -> None:
    note = world.baselines[_of(world, "POST /notes").operation.name]
    made = {**note.request, "save": {"note_id": "/id"}}
    request = {"method": "PATCH", "path": "/notes/{id}", "path_parameters": {"id": "{{note_id}}"}, "body": {}}
    refused = Proposal(note.operation, "n", "t", "validation", request, setup=(made,))
    seen = ObservedProposal(refused, (HttpAnswer(201, {}, '{"id": 7}'), HttpAnswer(422, {}, "{}")))

    class Refusing:
        async def answers(self, requests: Any) -> tuple[HttpAnswer, ...]:
            return (HttpAnswer(422, {}, "{}"),)

    [kept] = await drop_setup(cast(AppObserver, Refusing()), [seen], {})
    assert kept.proposal == refused
    anonymous = ObservedProposal(replace(refused, category="authentication"), seen.answers)
    [alone] = await drop_setup(cast(AppObserver, Refusing()), [anonymous], {})
    assert (alone.proposal.setup, alone.proposal.request["path_parameters"]) == ((), {"id": 7})


def test_a_plain_user_asks_with_the_whole_body_what_an_administrator_may(world: ResourceModel) -> None:
    made = _of(world, "POST /notes")
    asked = replace(made, request={**made.request, "auth": "admin"})
    world.baselines[made.operation.name] = asked
    found = {
        one.name: one for one in access_proposals(world, asked, {**_credentials(), "admin": _credentials()["user"]})
    }
    request = next(one.request for name, one in found.items() if name.endswith("as_a_plain_user"))
    assert request == {**made.request, "auth": "user"}
    assert request["body"]["content"]
