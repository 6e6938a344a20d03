"""What applications of each framework tell of themselves: documents, or what their handlers read; and where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.app_document import extract_document
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import ApiDescription
from testwright.engine.api.probe.explore import ApiExploration, explore_api
from testwright.engine.api.probe.sign_in.prepare import CredentialSources
from testwright.engine.api.write.compose import compose_spec
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.small_frameworks import DJANGO, FASTAPI, FLASK, STARLETTE

pytestmark = pytest.mark.feature("T-20", "B-05")


async def described(folder: Path, files: dict[str, str], application: str, **environment: str) -> ApiDescription:
    async with prepared(folder, files) as target:
        return await extract_document(target, AppLaunch(application, import_roots=("src",), environment=environment))


def operations(found: ApiDescription) -> set[str]:
    return {f"{method.upper()} {path}" for path, item in found.document["paths"].items() for method in item}


def body(found: ApiDescription, path: str, method: str = "post", kind: str = "application/json") -> Any:
    return found.document["paths"][path][method]["requestBody"]["content"][kind]["schema"]


def queries(found: ApiDescription, path: str) -> dict[str, Any]:
    told = found.document["paths"][path]["get"].get("parameters", [])
    return {one["name"]: one["schema"] for one in told if one["in"] == "query"}


async def test_handlers_of_flask_tell_bodies_queries_and_credentials(tmp_path: Path) -> None:
    found = await described(tmp_path, FLASK, "tasks.app:app", TASKS_TOKEN="t")
    assert not found.documented
    assert operations(found) == {
        "POST /tasks",
        "GET /tasks",
        "GET /tasks/{number}",
        "DELETE /tasks/{number}",
        "POST /labels",
    }
    assert body(found, "/tasks") == {
        "type": "object",
        "required": ["title"],
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 20},
            "level": {"type": "string", "enum": ["low", "high"], "default": "low"},
            "minutes": {"type": "integer", "minimum": 1, "default": 5},
        },
    }
    assert body(found, "/labels")["required"] == ["text", "colour"]
    assert queries(found, "/tasks") == {"level": {"type": "string"}, "limit": {"type": "integer", "default": 10}}
    assert found.document["paths"]["/tasks/{number}"]["delete"]["security"] == [{"Authorization": []}]
    assert "security" not in found.document["paths"]["/tasks/{number}"]["get"]


async def test_each_handler_is_told_with_its_file_and_lines(tmp_path: Path) -> None:
    found = await described(tmp_path, FLASK, "tasks.app:app", TASKS_TOKEN="t")
    lines = FLASK["src/tasks/labels.py"].splitlines()
    first = lines.index('@labels.post("")') + 1
    assert found.places["POST", "/labels"] == ("src/tasks/labels.py", (first, len(lines)))
    assert found.places["POST", "/tasks"][0] == "src/tasks/app.py"


async def test_classes_of_starlette_tell_their_methods(tmp_path: Path) -> None:
    found = await described(tmp_path, STARLETTE, "rooms.app:app")
    assert operations(found) == {"GET /v1/rooms", "POST /v1/rooms", "GET /v1/rooms/{number}"}
    assert body(found, "/v1/rooms") == {
        "type": "object",
        "required": ["name", "beds"],
        "properties": {"name": {"type": "string"}, "beds": {"type": "integer", "maximum": 4}},
    }
    assert queries(found, "/v1/rooms")["beds"] == {"type": "integer", "default": 0}


async def test_functions_of_django_tell_their_methods(tmp_path: Path) -> None:
    found = await described(tmp_path, DJANGO, "shelf.wsgi:application")
    assert operations(found) == {
        "GET /books/",
        "POST /books/",
        "GET /books/{number}/",
        "DELETE /books/{number}/",
        "POST /stamps/",
    }
    assert body(found, "/books/") == {
        "type": "object",
        "required": ["title"],
        "properties": {"title": {"type": "string", "maxLength": 30}, "pages": {"type": "integer", "default": 100}},
    }
    assert body(found, "/stamps/", kind="application/x-www-form-urlencoded")["required"] == ["colour"]
    assert list(queries(found, "/books/")) == ["word"]


async def test_an_endpoint_behind_a_router_and_a_decorator_is_told_where_it_is(tmp_path: Path) -> None:
    found = await described(tmp_path, FASTAPI, "depot.main:app")
    lines = FASTAPI["src/depot/crates.py"].splitlines()
    first = lines.index('@router.get("/{number}")') + 1
    assert found.documented
    assert found.form == "openapi-3.1"
    assert found.places["GET", "/v1/crates/{number}"] == ("src/depot/crates.py", (first, len(lines)))


async def explored(folder: Path, files: dict[str, str], launch: AppLaunch, secrets: list[str]) -> ApiExploration:
    async with prepared(folder, files) as target:
        found = await extract_document(target, launch)
        api = api_from_document(found.document, path="src/tasks/app.py", documented=False, places=found.places)
        return await explore_api(target, api, launch, sources=CredentialSources(secrets))


async def test_every_operation_of_a_flask_application_is_reached(tmp_path: Path) -> None:
    launch = AppLaunch("tasks.app:app", import_roots=("src",), environment={"TASKS_TOKEN": "test-tasks-token"})
    exploration = await explored(tmp_path, FLASK, launch, ["TASKS_TOKEN"])
    assert exploration.unreached == ()
    spec = compose_spec(exploration, framework="pytest", target={"name": "tasks"}, launch=launch, start="")
    places = {case["expect"][0]["evidence"]["path"] for case in spec["cases"]}
    assert places == {"src/tasks/app.py", "src/tasks/labels.py"}
    names = " ".join(case["id"] for case in spec["cases"])
    assert "title_too_long" in names
    assert "without_credentials" in names


WITHOUT_WRAPS = """
from flask import Flask, abort, request

app = Flask(__name__)


def signed_in(function):
    def wrapper(*args, **kwargs):
        if "Authorization" not in request.headers:
            abort(401)
        return function(*args, **kwargs)
    return wrapper


def note():
    return {"text": request.json["text"]}


app.add_url_rule("/notes", "note", signed_in(note), methods=["POST"])
"""


async def test_handlers_are_read_through_decorators_that_do_not_say_what_they_wrap(tmp_path: Path) -> None:
    found = await described(tmp_path, {"src/notes.py": WITHOUT_WRAPS}, "notes:app")
    assert body(found, "/notes")["required"] == ["text"]
    assert found.document["paths"]["/notes"]["post"]["security"] == [{"Authorization": []}]
    first = WITHOUT_WRAPS.splitlines().index("def note():") + 1
    assert found.places["POST", "/notes"] == ("src/notes.py", (first, first + 1))


WITH_SERVICE = {
    "src/passwords/__init__.py": "",
    "src/passwords/app.py": """from flask import Flask, request

from services.users import users

app = Flask(__name__)


@app.put("/password")
def change():
    data = request.json
    users.change(data)
    users.note("changed", data)
    return "", 204
""",
    "src/services/__init__.py": "",
    "src/services/users.py": """class Users:
    def change(self, passwords):
        return passwords["old_password"], passwords.get("new_password")

    @staticmethod
    def note(what, data):
        return what, data.get("reason")


users = Users()
""",
}


async def test_what_a_service_reads_of_the_body_it_is_given_is_found(tmp_path: Path) -> None:
    found = await described(tmp_path, WITH_SERVICE, "passwords.app:app")
    schema = body(found, "/password", "put")
    assert list(schema["properties"]) == ["old_password", "new_password", "reason"]
    assert schema["required"] == ["old_password"]


OPTIONAL = """
from typing import Annotated

from fastapi import Depends, FastAPI
from fastapi.security import OAuth2PasswordBearer

app = FastAPI()
needed = OAuth2PasswordBearer(tokenUrl="/login")
optional = OAuth2PasswordBearer(tokenUrl="/login", auto_error=False)


def somebody(token: Annotated[str | None, Depends(optional)]):
    return token


@app.get("/notes")
def notes(token: Annotated[str, Depends(needed)]):
    return []


@app.get("/news")
def news(who: Annotated[str | None, Depends(somebody)]):
    return []
"""


async def test_signing_in_that_may_be_optional_in_the_code_is_marked_in_the_document(tmp_path: Path) -> None:
    found = await described(tmp_path, {"src/notes.py": OPTIONAL}, "notes:app")
    for path, marked in (("/news", True), ("/notes", None)):
        assert found.document["paths"][path]["get"]["security"] == [{"OAuth2PasswordBearer": []}]
        assert found.document["paths"][path]["get"].get("x-optional-sign-in") is marked
