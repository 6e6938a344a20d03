"""Sign-ups and logins are found by what they take and are called; a reproduction signs its users in first."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import Api, HttpAnswer, Json
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.reproduce import signed_in_lines
from testwright.engine.api.probe.sign_in.shapes import (
    basic_logins,
    ends_session,
    is_for_administrators,
    logins,
    part_of,
    sign_ups,
    user_body,
)
from testwright.engine.api.probe.sign_in.try_out import SeededUser, find_users, seeded_users
from testwright.engine.api.probe.sign_in.users import user_values
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.write.render_users import sign_in_functions, user_constants, user_imports
from testwright.tests.support.engine.answering import AnsweringApplication
from testwright.utils.redact import Redactor

pytestmark = pytest.mark.feature("T-20")


def taking(*names: str, media_type: str = "application/json") -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}
    return {"requestBody": {"content": {media_type: {"schema": schema}}}, "responses": {}}


def api_of(**paths: dict[str, Any]) -> Api:
    document = {"openapi": "3.1.0", "paths": {f"/{path.replace('__', '/')}": item for path, item in paths.items()}}
    return api_from_document(document, path="openapi.json")


def labels(found: list[Any]) -> list[str]:
    return [operation.label for operation in found]


def test_a_login_and_a_sign_up_are_told_apart_from_each_other_and_from_other_forms() -> None:
    api = api_of(
        users={"post": taking("email", "password", "full_name")},
        auth__token={"post": taking("username", "password", media_type="application/x-www-form-urlencoded")},
        reset_password={"post": taking("email", "password")},
        notes={"post": taking("title")},
    )
    samples = SampleValues(api.components)
    assert labels(logins(api, samples)) == ["POST /auth/token"]
    assert labels(sign_ups(api, samples)) == ["POST /users"]


@pytest.mark.parametrize(
    ("field", "part"),
    [
        ("username", "name"),
        ("userName", "name"),
        ("email_address", "email"),
        ("password_confirm", "password"),
        ("confirmPassword", "password"),
        ("current_password", ""),
        ("title", ""),
    ],
)
def test_a_field_holds_a_part_of_a_user(field: str, part: str) -> None:
    assert part_of(field) == part


def test_a_user_may_be_wrapped_in_an_object() -> None:
    inner = {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string"}}}
    schema = {"type": "object", "properties": {"user": inner}}
    item = {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {}}
    api = api_of(users__login={"post": item})
    samples = SampleValues(api.components)
    [login] = logins(api, samples)
    assert user_body(login, samples, {}) == {"user": {"email": "{{email}}", "password": "{{password}}"}}


def test_an_existing_user_is_named_by_a_setting_or_by_two_variables() -> None:
    variables = {"ADMIN_EMAIL": "boss@example.com", "ADMIN_PASSWORD": "one", "MAIL_PASSWORD": "two"}
    named = seeded_users("ada:ADA_WORD", {"ADA_WORD": "three"}, variables)
    assert named == (
        SeededUser("ada", "ADA_WORD", "three"),
        SeededUser("boss@example.com", "ADMIN_PASSWORD", "one"),
    )


def test_a_client_signs_in_for_itself_where_no_password_is_taken() -> None:
    form = "application/x-www-form-urlencoded"
    api = api_of(oauth__token={"post": taking("grant_type", "client_id", "client_secret", media_type=form)})
    samples = SampleValues(api.components)
    [login] = logins(api, samples)
    assert user_body(login, samples, {}) == {
        "grant_type": "client_credentials",
        "client_id": "{{name}}",
        "client_secret": "{{password}}",
    }
    of_users = api_of(token={"post": taking("username", "password", "client_id", "client_secret", media_type=form)})
    samples = SampleValues(of_users.components)
    [login] = logins(of_users, samples)
    body = user_body(login, samples, {})
    assert (body["username"], body["password"]) == ("{{name}}", "{{password}}")
    assert "{{" not in body["client_id"] + body["client_secret"]
    variables = {"REPORTS_CLIENT_ID": "reports", "REPORTS_CLIENT_SECRET": "one", "MAIL_CLIENT_SECRET": "two"}
    assert seeded_users("", {}, variables) == (SeededUser("reports", "REPORTS_CLIENT_SECRET", "one"),)


def test_a_reproduction_signs_up_and_in_and_is_shown_whole(tmp_path: Any) -> None:
    def posted(path: str) -> dict[str, Any]:
        content = {"email": "{{email}}", "password": "{{password}}"}
        return {"method": "POST", "path": path, "body": {"media_type": "application/json", "content": content}}

    sign_in = SignIn((posted("/users"), posted("/login")), "/token")
    credentials = {"user": Credential("user", "bearer", "USER_PASSWORD", sign_in=sign_in)}
    text = signed_in_lines([{"method": "GET", "path": "/me", "auth": "user"}], credentials)
    assert Redactor.from_environment({}).text(text) == text
    fake = tmp_path / "curl"
    fake.write_text('#!/bin/sh\necho "$@" >> calls\necho \'{"token": "t1"}\'\n')
    fake.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=tmp_path, env=environment, check=True)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.count("@example.com") for call in calls] == [1, 1, 0]
    assert calls[-1].endswith("/me -H Authorization: Bearer t1")


BASIC_LOGIN = {"method": "POST", "path": "/tokens", "headers": {"Authorization": "Basic {{basic}}"}}


def test_a_token_may_be_given_for_a_name_and_a_password_in_a_header() -> None:
    schemes = {"pair": {"type": "http", "scheme": "basic"}, "token": {"type": "http", "scheme": "bearer"}}
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/tokens": {"post": {"security": [{"pair": []}], "responses": {}}},
            "/tokens/refresh": {"post": {"security": [{"pair": []}], "responses": {}}},
            "/notes": {"post": {"security": [{"pair": []}], "responses": {}}},
            "/sessions": {"post": {"security": [{"token": []}], "responses": {}}},
        },
        "components": {"securitySchemes": schemes},
    }
    assert labels(basic_logins(api_from_document(document, path="openapi.json"))) == ["POST /tokens"]


def test_the_pair_is_the_users_own_wherever_it_is_written() -> None:
    user = {"kind": "bearer", "variable": "USER_PASSWORD", "sign_in": {"requests": [BASIC_LOGIN], "pointer": "/token"}}
    assert 'USER_BASIC = base64.b64encode(f"{USER_NAME}:{USER_PASSWORD}".encode()).decode()' in user_constants(
        {"user": user}, {}, "asked(USER_BASIC)"
    )
    assert 'USER_BASIC_WRONG = base64.b64encode(f"{USER_NAME}:{USER_PASSWORD}-wrong".encode()).decode()' in (
        user_constants({"user": user}, {}, "asked(USER_BASIC_WRONG)")
    )
    assert "import base64" in user_imports({"user": user})
    values = user_values("user", SignIn((), "", "boss", "one"))
    assert base64.b64decode(values["basic"]) == b"boss:one"
    assert base64.b64decode(values["basic_wrong"]) == b"boss:one-wrong"


def test_a_reproduction_logs_in_by_the_pair(tmp_path: Any) -> None:
    credentials = {"user": Credential("user", "bearer", "W", sign_in=SignIn((BASIC_LOGIN,), "/token", "boss", "one"))}
    text = signed_in_lines([{"method": "GET", "path": "/me", "auth": "user"}], credentials)
    assert Redactor.from_environment({}).text(text) == text
    fake = tmp_path / "curl"
    fake.write_text('#!/bin/sh\necho "$@" >> calls\necho \'{"token": "t1"}\'\n')
    fake.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "W": "one"}
    subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=tmp_path, env=environment, check=True)
    login, reading = (tmp_path / "calls").read_text().splitlines()
    assert login.endswith(f"Authorization: Basic {base64.b64encode(b'boss:one').decode()}")
    assert reading.endswith("Authorization: Bearer t1")


def test_a_variable_that_ends_as_a_users_password_is_told_by_its_own_name() -> None:
    known = SignIn((BASIC_LOGIN,), "/token", "boss", "one")
    credentials = {"user": Credential("user", "bearer", "FIRST_USER_PASSWORD", sign_in=known)}
    text = signed_in_lines([{"method": "GET", "path": "/me", "auth": "user"}], credentials)
    assert "USER_PHRASE=$FIRST_USER_PASSWORD" in text


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        *((name, True) for name in ("logout", "sign_off", "logout_all")),
        *((name, False) for name in ("login", "sessions", "create_blog_offer", "assign_officer", "dialog_output")),
    ],
)
def test_what_signs_somebody_out_is_known_by_its_name(name: str, ends: bool) -> None:
    [operation] = api_of(**{name: {"post": {"responses": {}}}}).operations
    assert ends_session(operation) is ends


def test_the_sign_up_of_administrators_comes_after_that_of_users() -> None:
    api = api_of(
        register__admin={"post": taking("username", "password")},
        accounts__register={"post": taking("username", "password")},
    )
    found = sign_ups(api, SampleValues(api.components))
    assert labels(found) == ["POST /accounts/register", "POST /register/admin"]
    assert [is_for_administrators(one) for one in found] == [False, True]


def test_users_who_sign_up_in_other_ways_have_functions_of_their_own() -> None:
    users = {
        "user": {"kind": "bearer", "sign_in": {"pointer": "/token"}, "variable": "P"},
        "admin": {"kind": "bearer", "sign_in": {"pointer": "/token"}, "variable": "P"},
    }
    calls = {
        name: [f'api.post("/{path}", json={{"name": name}})', 'api.post("/login", json={"name": name})']
        for name, path in (("user", "register"), ("admin", "register-admin"))
    }
    text = "\n".join(sign_in_functions(users, calls))
    assert '"admin": signed_up_as_admin(api, ADMIN_NAME),' in text
    assert "def signed_up(api, name):" in text
    assert "def signed_up_as_admin(api, name):" in text


def desk(request: Json) -> HttpAnswer:
    """What an application answers where everybody signs up as they like and logs in."""
    if request["path"] == "/reports":
        return HttpAnswer(200 if "user" in request else 401)
    return HttpAnswer(200, {}, '{"token": "made-up-token"}' if request["path"] == "/login" else "{}")


@pytest.mark.parametrize(
    ("others", "users"),
    [((), {"user", "other_user"}), (("register",), {"user", "other_user", "admin"})],
)
def test_administrators_sign_up_by_another_sign_up_than_users_do(others: tuple[str, ...], users: set[str]) -> None:
    form = {"post": taking("username", "password")}
    api = api_of(reports={"get": {"responses": {}}}, login=form, admin__register=form, **dict.fromkeys(others, form))
    world = ResourceModel(api, SampleValues(api.components))
    found = asyncio.run(find_users(cast(AppObserver, AnsweringApplication(desk)), world))
    assert set(found) == users
