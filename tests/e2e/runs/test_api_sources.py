"""API tests, where their operations come from: a file, an address, a started program, and what is missing."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from testwright.app import api
from testwright.core.errors import RequestError
from testwright.core.exit_code import ExitCode
from testwright.tests.support.projects.files import FLAT_PYTEST, make_project
from testwright.tests.support.projects.small_server import BELLS, COMMAND, FILES

pytestmark = pytest.mark.feature("T-20", "T-02")
QUICK: dict[str, Any] = {"repeats": 1, "jobs": 1, "mutants": 0}


def bells(folder: Path) -> Path:
    return make_project(folder / "bells", {**FLAT_PYTEST, **FILES})


def specs(root: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(root.glob(".testwright/**/specs/*_api.json"))]


@contextmanager
def served(document: dict[str, Any]) -> Iterator[str]:
    """The address of a document that another server has."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/openapi.json"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_document_of_the_project_and_a_command_are_enough(tmp_path: Path) -> None:
    root = bells(tmp_path)
    report = await api.agenerate("API tests from api/bells.json", root=root, app_command=COMMAND, **QUICK)
    assert report.exit_code == 0
    assert report.totals.kept >= 1
    [spec] = specs(root)
    described = spec["target"]["description"]
    assert (described["path"], described["format"]) == ("api/bells.json", "openapi-3.2")
    line = (root / "api/bells.json").read_text().splitlines().index('      "get": {') + 1
    evidence = spec["cases"][0]["expect"][0]["evidence"]
    assert evidence == {"path": "api/bells.json", "lines": [line, line]}


async def test_an_address_and_a_command_are_enough(tmp_path: Path) -> None:
    with served(BELLS) as address:
        report = await api.agenerate(
            f"API tests from {address}", root=bells(tmp_path), app_command=COMMAND, run=False, **QUICK
        )
    assert report.exit_code == 0
    assert report.targets[0].cases >= 1


async def test_what_a_command_starts_is_asked_for_its_document(tmp_path: Path) -> None:
    root = bells(tmp_path)
    report = await api.agenerate("API tests", root=root, app_command=f"{COMMAND} --told", run=False, **QUICK)
    assert report.exit_code == 0
    assert report.targets[0].path == "serve.py"
    assert [operation["path"] for operation in specs(root)[0]["operations"]] == ["/bells"]


async def test_what_a_command_starts_and_tells_nothing_is_said(tmp_path: Path) -> None:
    report = await api.agenerate("API tests", root=bells(tmp_path), app_command=COMMAND, run=False, **QUICK)
    assert report.exit_code == ExitCode.ENVIRONMENT
    assert "answers no OpenAPI document" in str(report.targets[0].error)


@pytest.mark.parametrize("document", ["api/bells.json", "http://127.0.0.1:9/openapi.json"])
def test_a_document_with_nothing_to_start_says_how_to_say_it(tmp_path: Path, document: str) -> None:
    with pytest.raises(RequestError, match="nothing to start") as raised:
        api.plan(f"API tests from {document}", root=bells(tmp_path))
    assert raised.value.exit_code == ExitCode.USAGE
    assert "--app-command" in str(raised.value.advice)


def test_a_document_that_is_not_there_is_not_planned(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such file"):
        api.plan("API tests from nowhere.yaml", root=bells(tmp_path), app_command=COMMAND)
