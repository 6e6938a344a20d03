"""What a real endpoint answered, recorded once and replayed without it.

`Recorder` stands on 127.0.0.1 between testwright and an endpoint and notes every exchange; keys are passed on and never
noted. `replayed` is a scripted endpoint that gives the noted answers in their order.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from testwright.tests.support.scripted_openai import JSON, Reply, ScriptedOpenAI, raw
from testwright.utils.canonical import pretty_json

_PASSED_ON = ("authorization", "content-type")


class Recorder:
    """Passes requests on to an endpoint; a context manager.

    Args:
        endpoint: its base URL, up to `/v1`.
    """

    def __init__(self, endpoint: str) -> None:
        self.exchanges: list[dict[str, Any]] = []
        self._client = httpx2.Client(base_url=endpoint.rstrip("/") + "/", timeout=600)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.recorder = self
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.05), daemon=True)

    @property
    def base_url(self) -> str:
        """To be given as --base-url."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._client.close()

    def pass_on(self, body: bytes, headers: dict[str, str]) -> httpx2.Response:
        """Ask the endpoint, and note what was said."""
        answer = self._client.post("chat/completions", content=body, headers=headers)
        noted = {"status": answer.status_code, "type": answer.headers.get("content-type", JSON), "body": answer.text}
        self.exchanges.append({"asked": json.loads(body), "answered": noted})
        return answer

    def save(self, path: Path) -> None:
        """Write the cassette."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pretty_json({"exchanges": self.exchanges}), encoding="utf-8")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    recorder: Recorder


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # type: ignore[assignment] - the only server that makes these handlers

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name: value for name in _PASSED_ON if (value := self.headers.get(name))}
        answer = self.server.recorder.pass_on(body, headers)
        self.send_response(answer.status_code)
        self.send_header("content-type", answer.headers.get("content-type", JSON))
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)


def recorded(path: Path) -> list[dict[str, Any]]:
    """The exchanges of a cassette."""
    return json.loads(path.read_text("utf-8"))["exchanges"]


def replayed(path: Path) -> ScriptedOpenAI:
    """An endpoint that answers as the recorded one did, and fails the test when more or less is asked."""
    return ScriptedOpenAI([_reply(one["answered"]) for one in recorded(path)])


def _reply(answered: dict[str, Any]) -> Reply:
    return raw(answered["body"], status=answered["status"], content_type=answered["type"])
