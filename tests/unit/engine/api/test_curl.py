"""The shell lines of a defect send exactly what was sent: an application that tells what it got answers both alike."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from testwright.engine.api.document.auth import Credential, with_credentials
from testwright.engine.api.probe.curl import curl_lines, numbers_bare
from testwright.sandbox.worker_files import worker_arguments
from testwright.tests.support.engine.worker_files import worker_module

pytestmark = [
    pytest.mark.feature("B-02"),
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="curl and bash show it"),
]

ECHO = """
import json

MADE = {"id": 7, "name": "it's \\u00fc & \\"so\\"", "token": "t-1", "deep": {"a/b": ["x", "y z"]}}


def app(environ, start_response):
    size = int(environ.get("CONTENT_LENGTH") or 0)
    got = {
        "method": environ["REQUEST_METHOD"],
        "path": environ["PATH_INFO"],
        "query": environ["QUERY_STRING"],
        "body": environ["wsgi.input"].read(size).decode(),
        "type": environ.get("CONTENT_TYPE") if size else None,
        "headers": {k: v for k, v in environ.items() if k.startswith(("HTTP_X_", "HTTP_AUTH", "HTTP_COOKIE"))},
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(MADE if got["path"] == "/made" else got).encode()]
"""
CREDENTIALS = {
    "bearer": Credential("bearer", "bearer", "BEARER", value="se cret$"),
    "basic": Credential("basic", "basic", "BASIC", value="user:pass word"),
    "header": Credential("header", "api_key_header", "HEADER", "X-Key", "k'ey"),
    "query": Credential("query", "api_key_query", "QUERY", "key", "plain-key"),
    "cookie": Credential("cookie", "api_key_cookie", "COOKIE", "session", "c00kie"),
}
MADE = {"method": "POST", "path": "/made", "body": {"media_type": "application/json", "content": {"n": "'\"$x`"}}}
FORM = "application/x-www-form-urlencoded"
STORIES: dict[str, list[dict[str, Any]]] = {
    "plain": [{"method": "GET", "path": "/a"}],
    "odd characters in path and query": [
        {
            "method": "DELETE",
            "path": "/a/{b}/$metadata",
            "path_parameters": {"b": "x y/`$z`\"'"},
            "query": {"q": "a&b=$c [1]", "many": ["1", "2"], "yes": True, "set": "{a,b}"},
        }
    ],
    "a way up": [{"method": "GET", "path": "/a/../b"}],
    "quotes in a body": [{**MADE, "path": "/body"}],
    "a raw body": [
        {
            "method": "PUT",
            "path": "/b",
            "body": {"media_type": "application/json", "content": "{not 'json' $x", "raw": True},
        }
    ],
    "a text that looks like a file": [
        {"method": "POST", "path": "/b", "body": {"media_type": "text/plain", "content": "@/etc/hostname"}}
    ],
    "what was made": [
        {**MADE, "save": {"made_id": "/id"}},
        {
            "method": "PATCH",
            "path": "/made/{id}/x",
            "path_parameters": {"id": "{{made_id}}"},
            "body": {"media_type": "application/json", "content": {"id": "{{made_id}}", "text": "it's {{made_id}}"}},
        },
    ],
    "several things that were made": [
        {**MADE, "save": {"made_id": "/id", "token": "/token", "name": "/deep/a~1b/1"}},
        {
            "method": "POST",
            "path": "/b",
            "headers": {"X-Token": "Bearer {{token}}"},
            "cookies": {"t": "{{token}}"},
            "body": {"media_type": "application/json", "content": {"id": "{{made_id}}", "names": ["{{name}}"]}},
        },
    ],
    **{f"signed in by {name}": [{"method": "GET", "path": "/a", "auth": name}] for name in CREDENTIALS},
    "signed in by two at once": [{"method": "GET", "path": "/a", "auth": ["bearer", "header", "query"]}],
    "a cookie besides the one to sign in": [
        {"method": "GET", "path": "/a", "cookies": {"theme": "da$rk"}, "auth": "cookie"}
    ],
    "a form": [
        {**MADE, "save": {"made_id": "/id"}},
        {
            "method": "POST",
            "path": "/b",
            "body": {"media_type": FORM, "content": {"a b": "it's & $x", "n": ["1", "2"], "id": "{{made_id}}"}},
        },
    ],
    "signed in by query besides another": [{"method": "GET", "path": "/a", "query": {"b": 1}, "auth": "query"}],
}


@pytest.fixture(scope="module")
def observe() -> ModuleType:
    return worker_module("http.send_requests")


@pytest.fixture(scope="module")
def echo(observe: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    root = tmp_path_factory.mktemp("echo")
    (root / "echo.py").write_text(ECHO, encoding="utf-8")
    launcher = [sys.executable, *worker_arguments("http.launch_shifted", "0")]
    with worker_module("http.api_process").Application(
        "echo:app", root=root, import_roots=["."], launcher=launcher
    ) as api:
        yield api


@pytest.mark.parametrize("story", STORIES)
def test_the_shell_sends_what_was_sent(story: str, echo: Any, observe: ModuleType, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    answers = [observe.send(echo, with_credentials(one, CREDENTIALS), names) for one in STORIES[story]]
    text = curl_lines([numbers_bare(one, names) for one in STORIES[story]], CREDENTIALS)
    secrets = {credential.variable: credential.value for credential in CREDENTIALS.values()}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        env={**os.environ, "API_BASE_URL": echo.base_url, **secrets},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{text}\n{done.stderr}"
    got = json.loads(done.stdout.rpartition("\n")[2])
    wanted = json.loads(answers[-1]["text"])
    if wanted["type"] == "application/json" and "{not" not in wanted["body"]:
        got["body"], wanted["body"] = json.loads(got["body"]), json.loads(wanted["body"])
    assert got == wanted, text
    assert not any(credential.value in text for credential in CREDENTIALS.values()), "no secret stands in the lines"


def test_a_form_with_a_file_has_the_same_parts(echo: Any, observe: ModuleType) -> None:
    content = {"title": "it's", "file": {"filename": "a.txt", "content": "one two"}, "tags": ["x", "y"]}
    request = {"method": "POST", "path": "/b", "body": {"media_type": "multipart/form-data", "content": content}}
    sent = json.loads(observe.send(echo, request, {})["text"])
    environment = {**os.environ, "API_BASE_URL": echo.base_url}
    command = ["bash", "-c", curl_lines([request], {})]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert parts(json.loads(done.stdout.rpartition("\n")[2])) == parts(sent)
    assert parts(sent) == [
        ("title", None, "it's"),
        ("file", "a.txt", "one two"),
        ("tags", None, "x"),
        ("tags", None, "y"),
    ]


def parts(got: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    """Name, file name and text of each part of a form."""
    whole = message_from_string(f"Content-Type: {got['type']}\r\n\r\n{got['body']}")
    return [
        (
            str(node.get_param("name", header="content-disposition")),
            node.get_filename(),
            str(node.get_payload()).rstrip("\r\n"),
        )
        for node in whole.walk()
        if not node.is_multipart()
    ]


def test_a_request_that_hung_is_given_up_by_its_line_too() -> None:
    assert "--max-time 15" in curl_lines([{"method": "GET", "path": "/hang"}], {}, seconds=15)
