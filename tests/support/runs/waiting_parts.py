"""A project of modules that each wait for a model, and that model: it answers after a while, and counts."""

from __future__ import annotations

import hashlib
import json
import re
import select
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from testwright.tests.support.projects.files import OWN_PYTEST, make_project
from testwright.tests.support.runs.paid_runs import case

VARIABLES = {"TESTWRIGHT_API_KEY": "none", "TESTWRIGHT_TRIALS": "200", "TESTWRIGHT_MUTANTS": "0"}
"""The key, an embedded engine that does not try long, and no mutants: waiting is the subject."""

_MODULE = '''"""Parts."""


def part_{number}(number: int) -> int:
    """Part of an even number.

    Raises:
        ValueError: the number is odd.
    """
    if number % 2:
        raise ValueError("odd")
    return number // 2
'''


def parts_project(root: Path, modules: int) -> Path:
    """A project of so many modules with a function each."""
    files = {f"src/parts/part_{number}.py": _MODULE.format(number=number) for number in range(modules)}
    return make_project(root, {**OWN_PYTEST, "src/parts/__init__.py": "", **files})


class WaitingModel:
    """An OpenAI-compatible endpoint on 127.0.0.1; a context manager.

    Args:
        latency: seconds before each answer.

    Attributes:
        answered: how often each request was answered to a client that was still there, by a digest of its messages.
        broken_off: requests whose client had gone before they were answered.
    """

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.answered: Counter[str] = Counter()
        self.broken_off = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self

    @property
    def base_url(self) -> str:
        """To be given as --base-url."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def paid_twice(self) -> list[str]:
        """Requests that were answered more than once."""
        return [asked for asked, times in self.answered.items() if times > 1]

    def note(self, asked: str | None) -> None:
        """Count an answer; None for a request whose client had gone."""
        with self._lock:
            if asked is None:
                self.broken_off += 1
            else:
                self.answered[asked] += 1

    def __enter__(self) -> WaitingModel:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    model: WaitingModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are killed are what this is for."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server  # pyrefly: ignore[bad-override-mutable-attribute] - the only server that makes these handlers

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing."""

    def do_POST(self) -> None:
        """Answer with two cases of the module that was asked about."""
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.model.latency)
        if self._is_deserted():
            self.server.model.note(None)
            return
        body = json.dumps(_completion(asked.decode())).encode()
        self.server.model.note(hashlib.sha256(json.dumps(json.loads(asked)["messages"]).encode()).hexdigest())
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _is_deserted(self) -> bool:
        """Whether the client has closed its end: whoever was killed does not get, and does not pay, the answer."""
        if not select.select([self.connection], [], [], 0)[0]:
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            return True


def _completion(asked: str) -> dict[str, Any]:
    found = re.search(r"part_\d+", asked)
    name = found.group(0) if found else "part_0"
    cases = [
        case(f"{name}_four", f"{name}(4)", value="2"),
        case(f"{name}_odd", f"{name}(3)", exception="ValueError"),
    ]
    spec = {"imports": [f"from parts.{name} import {name}"], "cases": cases}
    return {
        "id": "one",
        "object": "chat.completion",
        "created": 0,
        "model": "waiting",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": json.dumps(spec)}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
    }
