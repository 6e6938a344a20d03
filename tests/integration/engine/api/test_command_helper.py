"""The helper beside tests of an application that a command starts; real processes on free ports."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from testwright.engine.api.write.render import helper_source

pytestmark = pytest.mark.feature("T-20")
SERVER = """
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

if "--broken" in sys.argv:
    sys.exit("there is no configuration")
NOTES = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        NOTES.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
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
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    root = tmp_path_factory.mktemp("project")
    (root / "serve.py").write_text(SERVER)
    (root / "api_command.py").write_text(helper_source("api_command"))
    found = importlib.util.spec_from_file_location("api_command", root / "api_command.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    users = {"user": {"X-User": "ada"}}
    command = ["python", "serve.py", "{port}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOD", "that of the shell")
        with module.Application(command, root=root, ready="/up", sign_in=lambda _: users) as application:
            application.another = lambda *more: module.Application([*command, *more], root=root)
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


def test_an_application_that_does_not_start_says_why(started: Any) -> None:
    with pytest.raises(RuntimeError, match="there is no configuration"):
        started.another("--broken").start()
