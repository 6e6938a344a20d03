"""What a real endpoint answered, recorded once and replayed without it.

`Recorder` stands on 127.0.0.1 between testwright and an endpoint and notes every exchange, refused ones too. Keys are
passed on and never noted, also where an endpoint repeats them. `replayed` is a scripted endpoint that gives the noted
answers in their order; `Cassette.differences` says whether it was asked byte for byte what the real one was asked.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from testwright.tests.support.agents.scripted_openai import JSON, Asked, Reply, ScriptedOpenAI, raw
from testwright.utils.canonical import canonical_json, pretty_json

_PASSED_ON = ("authorization", "content-type")
_REDACTED = "[redacted]"
_LEFT_OUT = ("id", "created", "system_fingerprint")
"""Of an answer: what says nothing of it, but names its endpoint's machine or hour."""
_INSTALLED = re.compile(r"/[^\s\"'\\]*/(?=site-packages/)")
"""Where a server is installed, as its error messages tell."""


@dataclass(frozen=True)
class Cassette:
    """What was recorded of one flow.

    Attributes:
        flow, model: what was run, and the model's name on the wire.
        exchanges: `asked` (the request's JSON, and the digest of its bytes) and `answered`, in their order.
        outcome: how the run ended, as plain data.
    """

    flow: str
    model: str
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """Exchanges that were answered with status 200; the others were refused, and nothing was paid for them."""
        return sum(exchange["answered"]["status"] == 200 for exchange in self.exchanges)

    def save(self, path: Path) -> None:
        """Write the file. Messages and answer forms that occur again are written once, as `parts`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        parts: list[Any] = []
        exchanges = [{**exchange, "asked": _folded(exchange["asked"], parts)} for exchange in self.exchanges]
        known = {"flow": self.flow, "model": self.model, "outcome": self.outcome}
        text = pretty_json({**known, "exchanges": exchanges, "parts": [canonical_json(part) for part in parts]})
        path.write_text(text, encoding="utf-8")

    def differences(self, asked: Sequence[Asked]) -> list[str]:
        """Where requests are not, byte for byte, those that were recorded; empty when all are."""
        found = [] if len(asked) == len(self.exchanges) else [f"{len(asked)} requests, not {len(self.exchanges)}"]
        for number, (now, then) in enumerate(zip(asked, self.exchanges, strict=False)):
            if digest(now.raw) != then["digest"]:
                found.append(f"request {number}: {_first_difference(now.body, then['asked'])}")
        return found


class Recorder:
    """Passes requests on to an endpoint; a context manager.

    Args:
        endpoint: its base URL, up to `/v1`.
        also: fields that are sent on with every request and not noted, such as a limit that only this server knows.
    """

    def __init__(self, endpoint: str, *, also: Mapping[str, Any] | None = None) -> None:
        self.exchanges: list[dict[str, Any]] = []
        self._also = dict(also or {})
        self._client = httpx2.Client(base_url=endpoint.rstrip("/") + "/", timeout=1200)
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
        asked = json.loads(body)
        sent = json.dumps({**asked, **self._also}).encode() if self._also else body
        answer = self._client.post("chat/completions", content=sent, headers=headers)
        secrets = [value.removeprefix("Bearer ") for name, value in headers.items() if name == "authorization"]
        noted = {
            "status": answer.status_code,
            "type": answer.headers.get("content-type", JSON),
            "body": _INSTALLED.sub("", _without(secrets, _plain(answer.text))),
        }
        known = json.loads(_without(secrets, json.dumps(asked)))
        self.exchanges.append({"asked": known, "digest": digest(body), "answered": noted})
        return answer

    def cassette(self, flow: str, model: str, outcome: Mapping[str, Any]) -> Cassette:
        """What was noted."""
        return Cassette(flow, model, list(self.exchanges), dict(outcome))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    recorder: Recorder


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyrefly: ignore[bad-override-mutable-attribute] - the only server that makes these handlers

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


def recorded(path: Path) -> Cassette:
    """A cassette that was saved."""
    told = json.loads(path.read_text("utf-8"))
    parts = [json.loads(one) for one in told.pop("parts")]
    exchanges = [{**one, "asked": _unfolded(one["asked"], parts)} for one in told.pop("exchanges")]
    return Cassette(**told, exchanges=exchanges)


def replayed(cassette: Cassette) -> ScriptedOpenAI:
    """An endpoint that answers as the recorded one did, and fails the test when more or less is asked."""
    return ScriptedOpenAI([_reply(exchange["answered"]) for exchange in cassette.exchanges])


def digest(body: bytes) -> str:
    """The digest of a request's bytes."""
    return hashlib.sha256(body).hexdigest()


def _folded(asked: Mapping[str, Any], parts: list[Any]) -> dict[str, Any]:
    """A request with the numbers of its parts in their place; parts that are new are added."""

    def number(part: Any) -> int:
        if part not in parts:
            parts.append(part)
        return parts.index(part)

    folded = {**asked, "messages": [number(message) for message in asked["messages"]]}
    return {**folded, "response_format": number(asked["response_format"])} if "response_format" in asked else folded


def _unfolded(asked: Mapping[str, Any], parts: Sequence[Any]) -> dict[str, Any]:
    whole = {**asked, "messages": [parts[message] for message in asked["messages"]]}
    return {**whole, "response_format": parts[asked["response_format"]]} if "response_format" in asked else whole


def _reply(answered: dict[str, Any]) -> Reply:
    return raw(answered["body"], status=answered["status"], content_type=answered["type"])


def _without(secrets: Sequence[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, _REDACTED) if secret else text
    return text


def _plain(text: str) -> str:
    """An answer's body without what tells when and where it was made; a stream stays as it came."""
    try:
        body = json.loads(text)
    except ValueError:
        return text
    if not isinstance(body, dict) or "choices" not in body:
        return text
    return json.dumps({key: value for key, value in body.items() if key not in _LEFT_OUT}, ensure_ascii=False)


def _first_difference(now: Any, then: Any, path: str = "$") -> str:
    """Where two requests differ first, for people."""
    if isinstance(now, dict) and isinstance(then, dict):
        for key in [*then, *(one for one in now if one not in then)]:
            if now.get(key) != then.get(key):
                return _first_difference(now.get(key), then.get(key), f"{path}.{key}")
    if isinstance(now, list) and isinstance(then, list):
        for at, (one, other) in enumerate(zip(now, then, strict=False)):
            if one != other:
                return _first_difference(one, other, f"{path}[{at}]")
    if isinstance(now, str) and isinstance(then, str):
        at = next((at for at, (one, other) in enumerate(zip(now, then, strict=False)) if one != other), 0)
        return f"{path} at {at}: {now[max(0, at - 40) : at + 80]!r} is not {then[max(0, at - 40) : at + 80]!r}"
    return f"{path}: {str(now)[:120]} is not {str(then)[:120]}" if now != then else "only its bytes"
