"""Applications that the test client of their framework asks as a started server would, and those that it cannot."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.probe.client_trial import ClientTrial, try_test_client
from testwright.engine.api.write.render import render_api
from testwright.sandbox.worker.http.try_client import _MANY
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output
from testwright.utils.schema_registry import CORE_SCHEMA, load_schema

pytestmark = pytest.mark.feature("T-20")
PROOF = {"origin": "observed", "evidence": {"path": "src/desk/web.py", "lines": [1, 2]}}
STORE = """
import itertools

NOTES = {}
numbers = itertools.count(1)
"""
WEB = """
import os
from fastapi import FastAPI
from .store import NOTES, numbers

app = FastAPI()
PREFIX = os.environ.get("DESK_PREFIX", "none")


@app.post("/notes", status_code=201)
def write(note: dict):
    number = next(numbers)
    NOTES[number] = note["text"]
    return {"number": number, "by": os.environ.get("DESK_AUTHOR")}


@app.get("/notes")
def read():
    return list(NOTES.values())


@app.get("/prefix")
def prefix():
    return {"prefix": PREFIX}


@app.post("/log", status_code=201)
def log():
    with open(os.path.join(os.path.dirname(__file__), "log.txt"), "a") as stream:
        stream.write("asked")
    return {}
"""
FLASK = """
import secrets

from flask import Flask, abort, request


def make():
    app, names, tokens = Flask(__name__), [], {}

    @app.post("/login")
    def log_in():
        names.append(request.json["email"])
        token = secrets.token_hex(8)
        tokens[token] = names[-1]
        return {"token": token}

    @app.get("/me")
    def me():
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in tokens:
            abort(401)
        return {"number": names.index(tokens[token]), "upper": request.args.get("upper")}

    return app
"""
STORED = """
import secrets
import sqlite3

from flask import Flask, request


def make():
    app = Flask(__name__)

    def stored(statement, *values):
        with sqlite3.connect("users.db") as database:
            return database.execute(statement, values).fetchall()

    stored("CREATE TABLE IF NOT EXISTS users (email TEXT, token TEXT)")

    @app.post("/login")
    def log_in():
        token = secrets.token_hex(8)
        stored("INSERT INTO users VALUES (?, ?)", request.json["email"], token)
        return {"token": token}

    @app.get("/me")
    def me():
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        (number,) = stored("SELECT rowid - 1 FROM users WHERE token = ?", token)[0]
        return {"number": number, "upper": request.args.get("upper")}

    return app
"""
PLAIN = """
import json

COUNTS = {"asked": 0}


def app(environ, start_response):
    COUNTS["asked"] += 1
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(COUNTS).encode()]
"""
KEPT = """
import sqlite3
from fastapi import FastAPI

opened = sqlite3.connect("rows.db", check_same_thread=False)
opened.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
app = FastAPI()


@app.post("/words", status_code=201)
def add(word: dict):
    with opened:
        opened.execute("INSERT INTO words VALUES (?)", (word["text"],))
    return {"number": opened.execute("SELECT count(*) FROM words").fetchone()[0]}
"""
SETTINGS = """
SECRET_KEY = "long-enough-for-a-test-and-no-secret-of-anybody"
ROOT_URLCONF = "desk.pages"
INSTALLED_APPS = ["desk", "django.contrib.auth", "django.contrib.contenttypes"]
MIDDLEWARE = ["django.middleware.csrf.CsrfViewMiddleware"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "developers.sqlite3"}}
"""
MODELS = """
from django.db import models


class Page(models.Model):
    text = models.CharField(max_length=20)
"""
PAGES = """
import json

from django.contrib.auth import get_user_model
from django.http import JsonResponse
from django.urls import path

from .models import Page


def pages(request):
    Page.objects.create(text=json.loads(request.body)["text"])
    return JsonResponse({"number": Page.objects.count(), "last": Page.objects.last().pk}, status=201)


def superusers(request):
    return JsonResponse({"names": [one.get_username() for one in get_user_model().objects.all()]})


def members(request):
    users = get_user_model().objects
    if request.method == "POST":
        name = json.loads(request.body)["name"]
        if users.filter(username=name):
            return JsonResponse({}, status=409)
        users.create_user(name)
        return JsonResponse({"token": name})
    return JsonResponse({"number": users.count(), "asked": "Authorization" in request.headers})


urlpatterns = [path("words", pages), path("superusers", superusers), path("members", members)]
"""
DJANGO = """
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
"""
FILES = {
    "src/desk/settings.py": SETTINGS,
    "src/desk/models.py": MODELS,
    "src/desk/pages.py": PAGES,
    "src/desk/site.py": DJANGO,
    "src/desk/kept.py": KEPT,
    "src/desk/__init__.py": "",
    "src/desk/store.py": STORE,
    "src/desk/web.py": WEB,
    "src/desk/members.py": FLASK,
    "src/desk/stored.py": STORED,
    "src/desk/plain.py": PLAIN,
}
WRITE = {"method": "POST", "path": "/notes", "body": {"media_type": "application/json", "content": {"text": "milk"}}}


def case(name: str, act: dict[str, Any], body: Any, *before: dict[str, Any], status: int = 200) -> dict[str, Any]:
    return {
        "id": f"tc_{name}",
        "title": f"It {name}",
        "operation": {"method": act["method"], "path": act["path"]},
        "arrange": {"requests": list(before)},
        "act": {"request": act},
        "expect": [
            {"kind": "status", "statuses": [status], **PROOF},
            {"kind": "body_equals", "value": body, **PROOF},
        ],
    }


WRITES = case("writes", WRITE, {"number": 1, "by": "Ada"}, status=201)
READS = case("reads", {"method": "GET", "path": "/notes"}, ["milk", "milk"], WRITE, WRITE)
EMPTY = case("is_empty", {"method": "GET", "path": "/notes"}, [])
PREFIX = case("has_a_prefix", {"method": "GET", "path": "/prefix"}, {"prefix": "desk"})
LOGS = case("logs", {"method": "POST", "path": "/log"}, {}, status=201)


LOG_IN = {
    "method": "POST",
    "path": "/login",
    "body": {"media_type": "application/json", "content": {"email": "{{email}}", "password": "{{password}}"}},
}
USER = Credential("user", "bearer", "", sign_in=SignIn((LOG_IN,), "/token"))
ME = {"method": "GET", "path": "/me", "query": {"upper": True}}
KNOWN = case("knows_who_asks", {**ME, "auth": "user"}, {"number": 0, "upper": "true"})
PAGE = case("adds", {**WRITE, "path": "/words"}, {"number": 1, "last": 1}, status=201)
COUNTED = case("counts", {"method": "GET", "path": "/"}, {"asked": 1})
SUPERUSER = {
    "DJANGO_SUPERUSER_EMAIL": "boss@example.com",
    "DJANGO_SUPERUSER_PASSWORD": "no secret of anybody",
    "DJANGO_SUPERUSER_USERNAME": "boss",
}
BOSS = case("tells", {"method": "GET", "path": "/superusers"}, {"names": ["boss"]})
MEMBER = {
    "method": "POST",
    "path": "/members",
    "body": {"media_type": "application/json", "content": {"name": "{{name}}"}},
}
SIGNED_UP = Credential("user", "bearer", "", sign_in=SignIn((MEMBER,), "/token"))
COUNTS = case("counts", {"method": "GET", "path": "/members", "auth": "user"}, {"number": 1, "asked": True})
ADDED = case("adds", {**WRITE, "path": "/words"}, {"number": 1}, status=201)


def spec(environment: dict[str, str], *cases: dict[str, Any], place: str = "desk.web:app") -> dict[str, Any]:
    application = {"import": place, "environment": environment}
    target = {"name": "Desk", "application": application, "import_roots": ["src"]}
    found = {"test_type": "api", "title": "API tests for Desk", "target": target, "cases": list(cases)}
    return {**found, "auth": {"user": USER.entry()}} if "make()" in place else found


def signed_up(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "auth": {"user": SIGNED_UP.entry()}}


SPECS = {
    "late": spec({"DESK_AUTHOR": "Ada"}, WRITES, READS, EMPTY),
    "early": spec({"DESK_PREFIX": "desk"}, PREFIX),
    "writing": spec({}, LOGS),
    "flask": spec({}, KNOWN, place="desk.members:make()"),
    "stored": spec({}, KNOWN, place="desk.stored:make()"),
    "plain": spec({}, COUNTED, {**COUNTED, "id": "tc_counts_again"}, place="desk.plain:app"),
    "kept": spec({}, ADDED, {**ADDED, "id": "tc_adds_again"}, place="desk.kept:app"),
    "django": spec({}, PAGE, {**PAGE, "id": "tc_adds_again"}, place="desk.site:application"),
    "superuser": spec(SUPERUSER, BOSS, {**BOSS, "id": "tc_tells_again"}, place="desk.site:application"),
    "members": signed_up(
        spec({}, *({**COUNTS, "id": f"tc_counts_{at}"} for at in range(_MANY)), place="desk.site:application")
    ),
    "other": spec({}, case("says_other_things", {"method": "GET", "path": "/notes"}, ["bread"])),
}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ClientTrial]:
    async def tried() -> dict[str, ClientTrial]:
        async with prepared(tmp_path_factory.mktemp("tried"), FILES) as target:
            found: dict[str, ClientTrial] = {}
            for name, one in SPECS.items():
                application = one["target"]["application"]
                launch = AppLaunch(application["import"], import_roots=("src",), environment=application["environment"])
                users = {"user": SIGNED_UP if name == "members" else USER} if "auth" in one else {}
                found[name] = await try_test_client(target, launch, one, users)
            return found

    return asyncio.run(tried())


def test_what_requests_change_is_found_with_all_its_names(trials: dict[str, ClientTrial]) -> None:
    state = [["desk.store:NOTES", "desk.web:NOTES"], ["desk.store:numbers", "desk.web:numbers"]]
    assert trials["late"] == ClientTrial({"kind": "fastapi", "state": state, "unset": ["DESK_PREFIX"]})


def test_variables_that_an_import_reads_are_set_before_it(trials: dict[str, ClientTrial]) -> None:
    assert trials["early"] == ClientTrial({"kind": "fastapi", "early_environment": True, "unset": ["DESK_AUTHOR"]})


def test_a_database_in_the_working_folder_is_restored_for_each_test(trials: dict[str, ClientTrial]) -> None:
    assert trials["kept"] == ClientTrial({"kind": "fastapi", "database": "rows.db", "packages": ["desk"]})


def test_flask_and_other_applications_of_wsgi_have_a_client(trials: dict[str, ClientTrial]) -> None:
    assert trials["flask"] == ClientTrial({"kind": "flask"})
    once = {"kind": "flask", "own_folder": True, "signed_in_once": True}
    assert trials["stored"] == ClientTrial(once)
    assert trials["plain"] == ClientTrial({"kind": "httpx", "state": [["desk.plain:COUNTS"]]})


def test_django_undoes_what_a_test_stores_in_its_own_database(trials: dict[str, ClientTrial]) -> None:
    client = trials["django"].client or {}
    assert {name: client.get(name) for name in ("kind", "settings", "transactions")} == {
        "kind": "django",
        "settings": "desk.settings",
        "transactions": True,
    }


def test_the_superuser_whom_variables_name_is_left_to_the_fixtures(trials: dict[str, ClientTrial]) -> None:
    assert (trials["superuser"].client or {}).get("superuser") is True


def test_a_spec_may_hold_whatever_a_trial_tells_of_a_client(trials: dict[str, ClientTrial]) -> None:
    client = load_schema(CORE_SCHEMA)["$defs"]["application"]["properties"]["client"]
    for trial in trials.values():
        assert set(trial.client or {}) <= set(client["properties"])


def test_who_signs_up_to_django_for_a_few_cases_does_so_for_many(trials: dict[str, ClientTrial]) -> None:
    assert trials["members"].reason == ""
    assert (trials["members"].client or {}).get("transactions") is True


def test_an_application_that_changes_the_project_is_started(trials: dict[str, ClientTrial]) -> None:
    assert trials["writing"].client is None
    assert "changes files outside its working folder" in trials["writing"].reason


def test_an_application_that_answers_otherwise_is_started(trials: dict[str, ClientTrial]) -> None:
    reason = "more than 0 of 1 requests are answered otherwise than by the started application"
    assert trials["other"] == ClientTrial(reason=reason)


@pytest.mark.parametrize("name", ["late", "early", "flask", "stored", "plain", "kept", "django", "superuser"])
def test_the_tests_pass_under_a_bare_pytest(trials: dict[str, ClientTrial], tmp_path: Path, name: str) -> None:
    one = SPECS[name]
    application = {**one["target"]["application"], "client": trials[name].client}
    whole = {**one, "target": {**one["target"], "application": application}}
    files = {file.path: file.contents for file in render_api(whole, "pytest", "tests/test_desk_api.py")}
    assert list(files) == ["tests/test_desk_api.py"]
    root = make_project(tmp_path / "desk", {**FILES, **files, "pytest.ini": "[pytest]\npythonpath = src\n"})
    # What the shell has of variables that the application reads does not reach it.
    shell = {"DESK_AUTHOR": "somebody else", "DESK_PREFIX": "shell"}
    assert f"{len(one['cases'])} passed" in pytest_output(root, "tests", variables=shell)
    assert not any((root / name).exists() for name in ("rows.db", "developers.sqlite3"))


@pytest.mark.parametrize("name", ["late", "flask", "stored", "kept", "django", "superuser"])
def test_the_tests_pass_under_unittest(trials: dict[str, ClientTrial], tmp_path: Path, name: str) -> None:
    one = SPECS[name]
    application = {**one["target"]["application"], "client": trials[name].client}
    whole = {**one, "target": {**one["target"], "application": application}}
    files = {file.path: file.contents for file in render_api(whole, "unittest", "tests/test_desk_api.py")}
    assert list(files) == ["tests/test_desk_api.py"]
    root = make_project(tmp_path / "desk", {**FILES, **files})
    environment = {**os.environ, "PYTHONPATH": "src", "DESK_AUTHOR": "somebody else"}
    command = [sys.executable, "-m", "unittest", "discover", "-s", "tests"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert f"Ran {len(one['cases'])} test" in done.stderr
    assert done.returncode == 0, done.stderr
    assert not any((root / left).exists() for left in ("rows.db", "developers.sqlite3"))
