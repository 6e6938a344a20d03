"""The helper beside tests of an application that a command starts; real processes on free ports."""

from __future__ import annotations

import http.client
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.write.render import helper_source

pytestmark = pytest.mark.feature("T-20")
SERVER = """
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

if "--broken" in sys.argv:
    sys.exit(f"there is no configuration for {os.environ.get('DB_PASSWORD')}")
NOTES = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        if self.path == "/last":
            os._exit(1)
        NOTES.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.path == "/never":
            time.sleep(60)
        self.answer(201, NOTES[-1])

    def do_GET(self):
        who = self.headers.get("X-User")
        self.answer(200, {"notes": NOTES, "who": who, "mood": os.environ.get("MOOD"), "path": self.path})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def helper(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("project")
    (root / "serve.py").write_text(SERVER)
    (root / "api_command.py").write_text(helper_source("api_command"))
    found = importlib.util.spec_from_file_location("api_command", root / "api_command.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def application_of(helper: Any, *more: str, **options: Any) -> Any:
    root = Path(helper.__file__).parent
    return helper.Application(["python", "serve.py", "{port}", *more], root=root, **{"ready": "/up", **options})


@pytest.fixture(scope="module")
def started(helper: Any) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOD", "that of the shell")
        with application_of(helper, sign_in=lambda _: {"user": {"X-User": "ada"}}) as application:
            yield application


def test_a_reset_starts_the_application_anew_after_a_change(started: Any) -> None:
    assert started.post("/notes", json={"text": "milk"}).succeeded().status == 201
    assert started.get("/notes").json["notes"] == [{"text": "milk"}]
    started.reset()
    assert started.get("/notes", query={"all": True, "of": ["a", "b"]}).json == {
        "notes": [],
        "who": None,
        # Nothing of a developer's shell reaches it.
        "mood": None,
        "path": "/notes?all=true&of=a&of=b",
    }


def test_users_send_what_they_have_of_signing_in(started: Any) -> None:
    assert started.as_user("user").get("/notes").json["who"] == "ada"
    assert started.as_user("user").get("/notes", headers={"X-User": "eve"}).json["who"] == "eve"


def test_an_application_that_does_not_start_says_why_without_its_secrets(helper: Any) -> None:
    secret = {"DB_PASSWORD": "correct-horse"}
    with pytest.raises(RuntimeError, match=r"there is no configuration for \*\*\*"):
        application_of(helper, "--broken", environment=secret).start()


def test_tests_after_a_request_that_ended_the_application_have_it_anew(started: Any) -> None:
    started.post("/notes", json={"text": "milk"})
    with pytest.raises((OSError, http.client.HTTPException)):
        started.post("/last", json={})
    started.reset()
    assert started.get("/notes").json["notes"] == []


def test_an_application_that_ended_by_itself_is_started_again(started: Any) -> None:
    started.get("/notes")
    started._process.kill()
    started._process.wait()
    assert started.get("/notes").status == 200


def test_a_change_whose_answer_came_too_late_is_reset(
    helper: Any, started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started.reset()
    started.get("/notes")
    with monkeypatch.context() as patch:
        patch.setattr(helper, "ANSWER_SECONDS", 0.2)
        with pytest.raises(TimeoutError):
            started.post("/never", json={"text": "milk"})
    started.reset()
    assert started.get("/notes").json["notes"] == []


def test_users_sign_in_once_more_after_they_could_not(helper: Any) -> None:
    tries = []

    def sign_in(_: Any) -> dict[str, Any]:
        tries.append(1)
        assert len(tries) > 1, "the first login is refused"
        return {"user": {"X-User": "ada"}}

    with application_of(helper, sign_in=sign_in) as application:
        with pytest.raises(AssertionError, match="the first login is refused"):
            application.as_user("user").get("/notes")
        assert application.as_user("user").get("/notes").json["who"] == "ada"


def test_a_command_that_there_is_not_leaves_no_folder_behind(
    helper: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(FileNotFoundError):
        helper.Application(["no-such-command"], root=tmp_path).start()
    assert list(tmp_path.iterdir()) == []
