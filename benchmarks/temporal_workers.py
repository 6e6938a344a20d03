"""How much faster workers on Temporal are where modules wait for a model, and what Temporal costs where they do not.

    python benchmarks/temporal_workers.py [--modules 6] [--latency 10] [--workers 1 2]

Each module has one function and one request to a model that answers after `--latency` seconds. Each worker executes one
step at a time, so that the speed-up is that of workers. With `--latency 0` the embedded engine does all the work, and
the run in one process (`--jobs 1`) stands beside that of one worker. Times are from the first step's start to the last
one's end, as the run's events have them; processes have loaded everything before.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from testwright.tests.support.projects.files import OWN_PYTEST, ROOT, make_project
from testwright.tests.support.runs.paid_runs import case
from testwright.tests.support.runs.temporal_server import temporal_server, worker

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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--modules", type=int, default=6)
    parser.add_argument("--latency", type=float, default=10.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    with _model(given.latency) as base_url:
        if not given.latency:
            print(f"one process: {_measured(given, 0, base_url):.1f} s")
        first = 0.0
        for count in given.workers:
            seconds = _measured(given, count, base_url)
            first = first or seconds
            print(f"{count} workers: {seconds:.1f} s, {first / seconds:.2f} times as fast", flush=True)


def _measured(given: argparse.Namespace, count: int, base_url: str) -> float:
    """Seconds between the first step's start and the last one's end, with so many workers; 0 for one process."""
    variables = {"TESTWRIGHT_API_KEY": "none", "TESTWRIGHT_TRIALS": "200", "TESTWRIGHT_MUTANTS": "0"}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        files = {f"src/parts/part_{n}.py": _MODULE.format(number=n) for n in range(given.modules)}
        root = make_project(Path(folder) / "project", {**OWN_PYTEST, "src/parts/__init__.py": "", **files})
        command = [
            sys.executable,
            str(ROOT / "main.py"),
            "run",
            "unit tests for the whole project",
            "--root",
            str(root),
        ]
        command += ["--run-id", "r", "--apply", "--jobs", str(max(1, count))]
        if given.latency:
            command += ["--model", "spec=openai:waiting", "--base-url", base_url]
        if count:
            server = stack.enter_context(temporal_server())
            for _ in range(count):
                stack.enter_context(worker(server, "--jobs", "1", **variables))
            command += ["--on", server.address]
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"the run ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        lines = (root / ".testwright/runs/r/events.jsonl").read_text("utf-8").splitlines()
        events = [event for event in map(json.loads, lines) if str(event["step_id"]).startswith("generate_")]
        at = {
            kind: [event["at"] for event in events if event["type"] == kind] for kind in ("step_started", "step_ended")
        }
        return max(at["step_ended"]) - min(at["step_started"])


class _Waiting(BaseHTTPRequestHandler):
    """Answers each request for a spec after a while."""

    latency = 0.0

    def do_POST(self) -> None:
        """Answer with two cases of the module that was asked about."""
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        found = re.search(r"part_(\d+)", text)
        name = found.group(0) if found else "part_0"
        cases = [
            case(f"{name}_four", f"{name}(4)", value="2"),
            case(f"{name}_odd", f"{name}(3)", exception="ValueError"),
        ]
        spec = {"imports": [f"from parts.{name} import {name}"], "cases": cases}
        time.sleep(self.latency)
        message = {"role": "assistant", "content": json.dumps(spec)}
        answer: dict[str, Any] = {
            "id": "one",
            "object": "chat.completion",
            "created": 0,
            "model": "waiting",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing."""


class _model:  # noqa: N801 - used as a function
    def __init__(self, latency: float) -> None:
        handler = type("Waiting", (_Waiting,), {"latency": latency})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


if __name__ == "__main__":
    main()
