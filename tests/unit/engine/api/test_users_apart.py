"""What belongs to one user: passwords and tokens are written nowhere, and what others may do with the rest is told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import crash_in
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.model.model import Api, HttpAnswer, Json, ObservedProposal, Operation, Proposal, RequestBody
from testwright.engine.api.probe.defects import suspected_defects
from testwright.engine.api.probe.explore import ApiExploration
from testwright.engine.api.probe.judge import ContractViolation, find_violation, lacks_refusal
from testwright.engine.api.probe.sign_in.failure import SignInFailure
from testwright.engine.api.probe.sign_in.others import (
    changed_by_another,
    marks_of,
    read_by_others,
    refused_to_anonymous,
    shown_to_others,
    taken_by_others,
)
from testwright.engine.api.probe.sign_in.private import user_passwords, user_tokens
from testwright.engine.api.values.data import SampleValues, SecretFilter

pytestmark = pytest.mark.feature("T-20")
CREATE: Json = {"method": "POST", "path": "/notes", "auth": "user"}


def asked(method: str, status: int, category: Any = "authorization", auth: str = "other_user") -> ObservedProposal:
    operation = Operation("", f"{method}_note", method, "/notes/{id}", responses={"200": None})
    request = {"method": method, "path": "/notes/{id}", **({"auth": auth} if auth else {})}
    proposal = Proposal(operation, "asked", "it is asked", category, request, (CREATE,))
    return ObservedProposal(proposal, (HttpAnswer(201), HttpAnswer(status)))


def test_passwords_and_tokens_of_users_are_secret_wherever_they_occur() -> None:
    login: Json = {"method": "POST", "path": "/login"}
    sign_in = SignIn((login,), "/key", "boss", "correcthorse9")
    proposal = Proposal(Operation("", "log_in", "POST", "/login"), "succeeds", "it succeeds", "success", login)
    answer = HttpAnswer(200, {"set-cookie": "sid=0a1b2c3d4e5f; Path=/"}, '{"key": "9f86d081884c7d65"}')
    seen = (ObservedProposal(proposal, (answer,)),)
    credentials = {"user": Credential("user", "bearer", "P", sign_in=sign_in)}
    found = cast(ApiExploration, SimpleNamespace(credentials=credentials, seen=seen))
    privacy = SecretFilter({}, user_passwords(found), user_tokens(found))
    for secret in ("correcthorse9", "9f86d081884c7d65", "0a1b2c3d4e5f"):
        assert secret not in privacy.text(f"the answer is {secret}")
        assert privacy.places({"phrase": secret}) == {"/phrase"}


def test_a_change_by_another_user_is_suspected_and_a_reading_is_asked_about() -> None:
    refusals = [asked(method, 401, "authentication", "") for method in ("GET", "DELETE")]
    guarded = refused_to_anonymous(refusals)
    assert changed_by_another(asked("DELETE", 204), guarded) is not None
    assert changed_by_another(asked("DELETE", 403), guarded) is None
    assert changed_by_another(asked("GET", 200), guarded) is None
    assert len(read_by_others([*refusals, asked("GET", 200)])) == 1


def test_what_everybody_may_change_is_no_suspicion() -> None:
    assert changed_by_another(asked("DELETE", 204), frozenset()) is None


def _listed(text: str = "[]", auth: str = "other_user", path: str = "/notes/{slug}/comments") -> ObservedProposal:
    seen = asked("GET", 200, auth=auth)
    operation = replace(seen.proposal.operation, path=path)
    return replace(
        seen,
        proposal=replace(seen.proposal, operation=operation),
        answers=(HttpAnswer(201), HttpAnswer(200, {}, text)),
    )


def _commented(status: int = 201) -> ObservedProposal:
    operation = Operation("", "comment", "POST", "/notes/{id}/comments", responses={"201": None})
    request: Json = {"method": "POST", "path": "/notes/{id}/comments", "auth": "other_user"}
    proposal = Proposal(operation, "asked", "it is asked", "authorization", request, (CREATE,))
    return ObservedProposal(proposal, (HttpAnswer(201), HttpAnswer(status)))


def test_what_is_added_below_a_thing_that_others_may_read_belongs_to_who_adds_it() -> None:
    guarded = frozenset({"comment", "DELETE_note"})
    for read in (_listed(), _listed(auth=""), _listed(auth="", path="/notes/{slug}")):
        shown = shown_to_others([read])
        assert changed_by_another(_commented(), guarded, shown) is None
        assert changed_by_another(asked("DELETE", 204), guarded, shown) is not None


def test_what_is_made_of_a_thing_that_others_may_read_belongs_to_who_makes_it() -> None:
    operation = Operation("", "item", "POST", "/items", responses={"201": None})
    making = {**CREATE, "save": {"note_id": "/id"}}
    request: Json = {"method": "POST", "path": "/items", "auth": "other_user"}
    proposal = Proposal(operation, "asked", "it is asked", "authorization", request, (making,))
    seen = ObservedProposal(proposal, (HttpAnswer(201, {}, '{"id": 7}'), HttpAnswer(201, {}, '{"note": {"id": 7}}')))
    guarded = frozenset({"item"})
    assert changed_by_another(seen, guarded) is not None
    assert changed_by_another(seen, guarded, shown_to_others([_listed("{}", auth="", path="/notes/{slug}")])) is None


def _liked(method: str, body: bool = False) -> ObservedProposal:
    seen = _commented()
    like = Operation("", f"{method}_like", method, "/notes/{id}/like", responses={"200": None})
    if body:
        like = replace(like, body=RequestBody("application/json", {"type": "object"}, required=True))
    request = {**seen.proposal.request, "method": method, "path": like.path}
    return replace(seen, proposal=replace(seen.proposal, operation=like, request=request))


def test_a_mark_is_taken_away_by_who_has_set_it_and_is_none_where_something_is_said_with_it() -> None:
    guarded = frozenset({"POST_like", "DELETE_like"})
    shown = shown_to_others([_listed(auth="", path="/notes/{slug}")])
    marks = marks_of([_liked("POST"), _liked("DELETE")])
    assert [changed_by_another(_liked(method), guarded, shown, marks) for method in ("POST", "DELETE")] == [None, None]
    said = marks_of([_liked("POST", body=True), _liked("DELETE")])
    assert changed_by_another(_liked("DELETE"), guarded, shown, said) is not None
    assert changed_by_another(_liked("DELETE"), guarded, frozenset(), marks) is not None


def test_a_mark_that_is_set_again_and_again_is_one_as_well() -> None:
    assert marks_of([_liked("PUT"), _liked("DELETE")]) == marks_of([_liked("POST"), _liked("DELETE")])


def test_whether_another_user_takes_away_the_mark_of_its_owner_is_asked() -> None:
    owners = {**_liked("POST").proposal.request, "auth": "user"}
    taken = _liked("DELETE")
    taken = replace(taken, proposal=replace(taken.proposal, setup=(*taken.proposal.setup, owners)))
    taken = replace(taken, answers=(*taken.answers[:-1], HttpAnswer(200), taken.answers[-1]))
    refused = _refused_to_anonymous(taken.proposal.operation)
    [question] = taken_by_others([refused, _liked("POST"), taken])
    assert "DELETE /notes/{id}/like" in question
    assert taken_by_others([refused, _liked("POST"), _liked("DELETE")]) == []


def _refused_to_anonymous(operation: Operation) -> ObservedProposal:
    request: Json = {"method": operation.method, "path": operation.path}
    proposal = Proposal(operation, "without", "without credentials", "authentication", request)
    return ObservedProposal(proposal, (HttpAnswer(401),))


def test_what_may_be_read_without_a_sign_in_is_there_for_others() -> None:
    read = _listed("{}", auth="user", path="/notes/{slug}")
    assert shown_to_others([read]) == frozenset()
    optional = replace(read.proposal.operation, security=(("bearer",), ()))
    assert len(shown_to_others([replace(read, proposal=replace(read.proposal, operation=optional))])) == 1


def test_that_another_user_reads_a_thing_does_not_allow_to_change_it() -> None:
    guarded = frozenset({"comment"})
    for read in (asked("GET", 403), asked("GET", 200), _listed("{}"), _listed(path="/notes/{id}/tags")):
        assert changed_by_another(_commented(), guarded, shown_to_others([read])) is not None
    assert shown_to_others([asked("DELETE", 204)]) == frozenset()


@pytest.mark.parametrize(
    ("status", "category", "gap"),
    [(422, "validation", True), (400, "validation", True), (409, "validation", False), (422, "success", False)],
)
def test_refused_values_that_a_document_does_not_allow_are_a_gap_of_the_document(status, category, gap) -> None:
    operation = Operation("", "add_note", "POST", "/notes", responses={"201": None})
    proposal = Proposal(operation, "asked", "it is asked", category, {"method": "POST"}, wants="refusal")
    assert lacks_refusal(ObservedProposal(proposal, (HttpAnswer(status),))) is gap


@pytest.mark.parametrize(("found_by", "gap"), [("Schemathesis", True), ("", False)])
def test_what_another_program_made_may_be_refused_without_a_word_of_it_in_the_document(found_by, gap) -> None:
    operation = Operation("", "add_note", "POST", "/notes", responses={"201": None})
    proposal = Proposal(operation, "fuzzed", "it is asked", "boundary", {"method": "POST"}, found_by=found_by)
    assert lacks_refusal(ObservedProposal(proposal, (HttpAnswer(422),))) is gap


def test_credentials_that_are_refused_are_a_gap_of_the_document_in_every_category() -> None:
    assert lacks_refusal(asked("GET", 401, "success", "user"))
    assert not lacks_refusal(asked("GET", 401, "success", ""))


def test_secrets_are_taken_out_before_a_text_is_cut() -> None:
    secret = "correct-horse-battery"
    operation = Operation("", "read", "GET", "/a", responses={"200": None})
    proposal = Proposal(operation, "asked", "it is asked", "success", {"method": "GET", "path": "/a"})
    seen = ObservedProposal(proposal, (HttpAnswer(500, {}, "x" * 285 + secret),))
    verdict = find_violation(seen, Api("Shop", (operation,), {}, {}), SampleValues({}))
    assert verdict is not None
    [defect] = suspected_defects([verdict], {}, "start it", SecretFilter({}, [secret]).text)
    assert secret[:4] not in defect["observed"]
    assert len(defect["observed"]) <= 300


def test_what_every_operation_takes_for_the_same_reason_is_one_defect() -> None:
    found: list[ContractViolation] = []
    for name in ("notes", "books", "songs"):
        operation = Operation("", f"add_{name}", "POST", f"/{name}", responses={"201": None})
        proposal = Proposal(
            operation,
            "no_body_at_all",
            "it refuses no body at all",
            "validation",
            {"method": "POST", "path": f"/{name}"},
            wants="refusal",
            breaks="no body at all",
        )
        verdict = find_violation(
            ObservedProposal(proposal, (HttpAnswer(201),)), Api("Shop", (operation,), {}, {}), SampleValues({})
        )
        assert verdict is not None
        found.append(verdict)
    [defect] = suspected_defects(found, {}, "start it")
    assert defect["title"] == "3 requests are taken with no body at all"
    assert "POST /songs" in defect["observed"]


TRACE = """
Traceback (most recent call last):
  File "./src/shop/web.py", line 9, in read
    return owner(session)
  File "./src/shop/owners.py", line {line}, in owner
    return session.get(User, key)
  File "./.venv/lib/site-packages/orm.py", line 77, in get
    raise AttributeError(name)
AttributeError: 'str' object has no attribute 'hex'
"""


def test_server_errors_that_one_place_raises_are_one_defect_and_others_are_told_apart() -> None:
    found: list[ContractViolation] = []
    for name, line in (("notes", 4), ("books", 4), ("songs", 4), ("pages", 40)):
        operation = Operation("", f"read_{name}", "GET", f"/{name}", responses={"200": None})
        request = {"method": "GET", "path": f"/{name}"}
        proposal = Proposal(operation, "succeeds", "with valid values", "success", request)
        answer = HttpAnswer(500, {}, "Internal Server Error", crash=crash_in(TRACE.format(line=line)))
        api = Api("Shop", (operation,), {}, {})
        verdict = find_violation(ObservedProposal(proposal, (answer,)), api, SampleValues({}))
        assert verdict is not None
        found.append(verdict)
    shared, alone = suspected_defects(found, {}, "start it")
    assert shared["title"] == "3 operations answer 500 for one reason: AttributeError in src/shop/owners.py:4"
    assert "GET /songs" in shared["observed"]
    assert alone["observed"].endswith("(src/shop/owners.py:40: AttributeError: 'str' object has no attribute 'hex')")


def _errors_at(crashes: list[tuple[str, str]]) -> list[Json]:
    """The defects of one operation each that has a server error, with the broken constraint."""
    found: list[ContractViolation] = []
    for number, (cause, crash) in enumerate(crashes):
        operation = Operation("", f"make_{number}", "POST", f"/things_{number}", responses={"201": None})
        request = {"method": "POST", "path": operation.path}
        proposal = Proposal(operation, f"refuses_{number}", "with a value", "validation", request, cause=cause)
        seen = ObservedProposal(proposal, (HttpAnswer(500, {}, "oops", crash=crash),))
        verdict = find_violation(seen, Api("Shop", (operation,), {}, {}), SampleValues({}))
        assert verdict is not None
        found.append(verdict)
    return suspected_defects(found, {}, "start it")


def test_a_place_that_breaks_at_several_constraints_is_one_defect() -> None:
    crash = "app.py:30: TypeError: int() argument must be a string"
    causes = ("null", "type", "missing", "a negative number")
    [defect] = _errors_at([(cause, crash) for cause in causes])
    assert defect["title"] == "4 operations answer 500 for one reason: TypeError in app.py:30"


def test_other_places_that_break_at_one_value_are_other_defects_unless_it_is_the_value_that_is_not_taken() -> None:
    assert len(_errors_at([("null", f"app.py:{line}: TypeError: wrong") for line in range(4)])) == 4
    crash = "ValueError: A string literal cannot contain NUL (0x00) characters."
    assert len(_errors_at([("a NUL character", f"app.py:{line}: {crash}") for line in range(4)])) == 1


def test_output_without_a_place_in_the_project_tells_no_crash() -> None:
    assert crash_in("") == ""
    assert crash_in(TRACE.replace("./src", "/usr/lib").format(line=1)) == ""


def test_an_undeclared_refusal_of_a_secured_operation_is_a_gap_of_the_document_also_where_nobody_signed_in() -> None:
    seen = asked("GET", 401, "success", "")
    operation = replace(seen.proposal.operation, security=(("token",),))
    assert lacks_refusal(replace(seen, proposal=replace(seen.proposal, operation=operation)))


def test_an_answer_that_has_no_body_by_its_status_breaks_no_schema() -> None:
    operation = Operation("", "reset", "POST", "/reset", responses={"204": {"type": "object"}})
    proposal = Proposal(operation, "succeeds", "it succeeds", "success", {"method": "POST", "path": "/reset"})
    seen = ObservedProposal(proposal, (HttpAnswer(204),))
    assert find_violation(seen, Api("Shop", (operation,), {}, {}), SampleValues({})) is None


def test_a_refused_sign_up_is_shown_without_its_secrets_and_only_then_cut() -> None:
    secret = "s3cret-value-of-the-application"
    answer = f"500 {'x' * 285} {secret} and the rest"
    shown = SignInFailure("POST /users", answer, works=False).note(SecretFilter({}, (secret,)).text)
    # Cut at 300 letters first, half of the secret would be left.
    assert "s3cret" not in shown
    assert "x [redacte" in shown
    assert "the rest" not in shown
    assert shown.endswith('sign_in = "NAME:VARIABLE" below [tool.testwright].')
