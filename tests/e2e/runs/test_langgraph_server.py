"""LangGraph's development server loads the template of `langgraph.json` and runs a request through its API."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import httpx2
import pytest

from testwright.tests.support.projects.files import make_project, tree

pytest.importorskip("langgraph_api", reason="the server comes with langgraph-cli[inmem]")

ROOT = Path(__file__).parents[3]
_SECONDS = 500
_STARTED = "Application started up"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = make_project(tmp_path / "project")
    shutil.copy(ROOT / "examples/langgraph/langgraph.json", root)
    return root


@pytest.fixture
def server(project: Path) -> Iterator[httpx2.Client]:
    """A client of the server, which works on the project."""
    port = free_port()
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--allow-blocking", "--no-browser", "--no-reload"]
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        cwd=project,
        env={**os.environ, **quiet},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        wait_for_start(process.stdout)
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=_SECONDS) as client:
            yield client
    finally:
        process.terminate()
        process.wait(60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_start(output: IO[str]) -> None:
    """Read until the server says that it has started; a thread reads what comes later, so that nothing blocks it."""
    said: list[str] = []
    for line in output:
        said.append(line)
        if _STARTED in line:
            threading.Thread(target=output.read, daemon=True).start()
            return
    pytest.fail("the server ended:\n" + "".join(said[-20:]))


@pytest.mark.feature("T-19")
def test_a_request_to_the_development_server_ends_with_the_report_and_tests(
    project: Path, server: httpx2.Client
) -> None:
    asked = {"request": "unit tests for small.names", "options": {"trials": 60, "mutants": 0}}
    answer = server.post("/runs/wait", json={"assistant_id": "planning", "input": asked})
    assert answer.status_code == 200, answer.text
    ended = answer.json()
    assert (ended["exit_reason"], ended["report"]["exit_code"]) == ("completed", 0)
    assert ended["report"]["totals"]["kept"] > 0
    assert "tests/generated/small/test_small_names.py" in tree(project)

    refused = {"request": "unit tests for small.names", "options": {"sandbox": "weak"}}
    answer = server.post("/runs/wait", json={"assistant_id": "planning", "input": refused})
    assert answer.json()["__error__"]["error"] == "SettingsError", "what is the server's is not a client's to choose"
