"""What is told of a server error, whenever the server prints it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from testwright.sandbox.worker_files import worker_arguments
from testwright.tests.support.engine.worker_files import worker_module

pytestmark = pytest.mark.feature("T-20")
SERVER = """
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500)  # prints a line of the access log
        self.send_header("Content-Length", "0")
        self.end_headers()
        if self.path == "/trace":
            threading.Thread(target=tell_late).start()
        if self.path == "/busy":
            threading.Thread(target=tell_after_work).start()


def tell_after_work():
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    print("Traceback (most recent call last):\\n  File 'a.py'\\nKeyError: 'id'", file=sys.stderr, flush=True)


def tell_late():
    time.sleep(0.1)
    try:
        {}["id"]
    except KeyError:
        first, *rest = traceback.format_exc().splitlines(keepends=True)
        for part in (first, "".join(rest)):
            print(part, end="", file=sys.stderr, flush=True)
            time.sleep(0.1)


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    root = tmp_path_factory.mktemp("server")
    (root / "serve.py").write_text(SERVER)
    launcher = [sys.executable, *worker_arguments("http.launch_shifted", "0")]
    made = worker_module("http.api_process").Application
    with made(command=["python", "serve.py", "{port}"], root=root, launcher=launcher) as started:
        yield started


def told(application: Any, seconds: float, path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    sending = worker_module("http.send_requests")
    monkeypatch.setattr(sending, "TRACE_SECONDS", seconds)
    [answer] = sending.run(application, {"requests": [{"method": "GET", "path": path}]})["answers"]
    return answer["output"]


def test_a_traceback_that_comes_late_and_in_parts_is_told_whole(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = told(application, 20.0, "/trace", monkeypatch)
    assert "GET /trace" in output
    assert output.endswith("KeyError: 'id'")


def test_without_a_traceback_what_was_printed_in_time_is_told(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert told(application, 0.1, "/log", monkeypatch).endswith("500 -")


def test_a_traceback_is_waited_for_while_the_application_is_at_work(
    application: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module("http.send_requests"), "WORK_SECONDS", 60.0)
    assert told(application, 0.05, "/busy", monkeypatch).endswith("KeyError: 'id'")


def test_a_process_that_waits_is_not_at_work_and_one_that_computes_is() -> None:
    at_work = worker_module("suites.starvation").is_tree_at_work
    program = "import sys\nsys.stdin.read(1)\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waits:
        assert waits.stdin is not None
        assert waits.stdout is not None
        try:
            while at_work(waits.pid):  # it starts
                pass
            waits.stdin.write(b".")
            waits.stdin.flush()
            waits.stdout.readline()
            assert at_work(waits.pid)
            assert at_work(os.getpid())
        finally:
            waits.kill()
    assert not at_work(waits.pid)
    assert not at_work(None)


@pytest.mark.parametrize(
    ("end", "whole"),
    [
        ("", False),
        ('\n  File "a.py", line 1, in f', False),
        ("\n  File \"a.py\", line 1, in f\n    {}['id']\nKeyError: 'id'", True),
        ("\n  File \"a.py\", line 1, in f\nKeyError: 'id'\n\nDuring handling, another exception occurred:", False),
    ],
)
def test_a_traceback_is_whole_once_its_exception_is_named(end: str, whole: bool) -> None:
    sending = worker_module("http.send_requests")
    assert sending.ends_traceback(f"GET /a 500\nTraceback (most recent call last):{end}") is whole
