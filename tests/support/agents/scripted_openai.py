"""An OpenAI-compatible endpoint on 127.0.0.1 that answers from a script (P-12): real sockets, no patched client.

    with ScriptedOpenAI([answer({"steps": []}), error(429, headers={"retry-after": "0"}), answer("text")]) as server:
        ...  # base_url=server.base_url
        server.requests[0].body["messages"]

Each request takes the first unused reply whose `when` it contains (a reply without `when` fits any request), so that
steps worked on at the same time get their own answers. Leaving the block raises ScriptError when more was asked than
the script has, or when a reply was never asked for.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from testwright.tests.support.agents.scripted_agents import ScriptError

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Asked:
    """One request on the wire."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The request's JSON."""
        return json.loads(self.raw)

    @property
    def text(self) -> str:
        """All messages' text, in order."""
        return "\n".join(str(message.get("content")) for message in self.body.get("messages", []))

    @property
    def roles(self) -> list[str]:
        """The messages' roles, in order."""
        return [message["role"] for message in self.body["messages"]]


@dataclass(frozen=True)
class Usage:
    """What the endpoint says it counted."""

    tokens_in: int = 100
    tokens_out: int = 50
    tokens_cached: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {
            "prompt_tokens": self.tokens_in,
            "completion_tokens": self.tokens_out,
            "total_tokens": self.tokens_in + self.tokens_out,
            "prompt_tokens_details": {"cached_tokens": self.tokens_cached},
        }


@dataclass(frozen=True)
class Reply:
    """One reply of the script; made by the functions below.

    Attributes:
        act: writes the reply to the handler.
        when: text that the request's messages must contain for this reply to be its answer.
    """

    act: Callable[[_Handler, Asked], None]
    when: str | None = None

    def on(self, when: str) -> Reply:
        """The same reply, only for requests that contain `when`."""
        return replace(self, when=when)


def answer(
    content: Any,
    *,
    finish: str | None = "stop",
    usage: Usage | None = Usage(),
    refusal: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
    model: str = "scripted",
) -> Reply:
    """A whole answer, streamed when the request asks for a stream. A content that is no text becomes JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    calls = [_tool_call(index, call) for index, call in enumerate(tool_calls)]
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    if calls:
        message["tool_calls"] = calls

    def act(handler: _Handler, asked: Asked) -> None:
        if asked.body.get("stream"):
            counted = usage if asked.body.get("stream_options", {}).get("include_usage") else None
            events = [*_deltas(message, model), _chunk({}, model, finish)]
            if counted is not None:
                events.append({**_chunk({}, model, None), "choices": [], "usage": counted.to_dict()})
            handler.stream([b": a comment line\n\n", *map(_event, events), b"data: [DONE]\n\n"])
            return
        body = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            **({"usage": usage.to_dict()} if usage is not None else {}),
        }
        handler.reply(200, json.dumps(body).encode())

    return Reply(act)


def error(
    status: int,
    message: str = "scripted failure",
    *,
    code: str | None = None,
    kind: str = "error",
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """An error as OpenAI sends them."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return raw(json.dumps(body), status=status, headers=headers)


def raw(
    body: str | bytes, *, status: int = 200, content_type: str = JSON, headers: Mapping[str, str] | None = None
) -> Reply:
    """Any bytes as the whole reply."""
    data = body.encode() if isinstance(body, str) else body
    return Reply(lambda handler, asked: handler.reply(status, data, content_type, headers or {}))


def events(*parts: dict[str, Any] | str) -> Reply:
    """A stream of exactly these events; a text is sent as the event's data as it is. No `[DONE]` is added."""
    return Reply(lambda handler, asked: handler.stream([_event(part) for part in parts]))


def truncated_stream(content: str) -> Reply:
    """A stream that ends cleanly after some text: no finish_reason, no usage, no `[DONE]`."""
    return events(*_deltas({"role": "assistant", "content": content}, "scripted"))


def delta(content: str, *, finish: str | None = None) -> dict[str, Any]:
    """One event of a stream, for `events`."""
    return _chunk({"content": content}, "scripted", finish)


def reset() -> Reply:
    """The connection is reset before a byte of the reply."""
    return Reply(lambda handler, asked: handler.reset())


def reset_midway(content: str = "{") -> Reply:
    """The connection is reset in the middle of the body."""
    return Reply(lambda handler, asked: handler.reset_after(content.encode()))


def hang() -> Reply:
    """No reply at all until the server is closed."""
    return Reply(lambda handler, asked: handler.hang())


def drip() -> Reply:
    """A stream of comment lines that never says anything, until the client goes away or the server is closed."""
    return Reply(lambda handler, asked: handler.drip())


class ScriptedOpenAI:
    """The endpoint; a context manager.

    Args:
        replies: the script.
        all_asked: whether a reply that was never asked for is an error; not so where a deadline may be faster.
    """

    def __init__(self, replies: Sequence[Reply], *, all_asked: bool = True) -> None:
        self._all_asked = all_asked
        self._lock = threading.Lock()
        self._unused = list(replies)
        self._too_many: list[str] = []
        self._awaited = (0, threading.Event())
        self.requests: list[Asked] = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.script = self
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.05), daemon=True)

    @property
    def base_url(self) -> str:
        """To be given as --base-url."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedOpenAI:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()
        if kind is None:
            self.finish()

    def close(self) -> None:
        """Stop serving; replies that hang end."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def finish(self) -> None:
        """Raise ScriptError unless exactly the script was asked for."""
        if self._too_many:
            raise ScriptError(f"{len(self._too_many)} requests more than the script has: {self._too_many}")
        if self._unused and self._all_asked:
            raise ScriptError(f"{len(self._unused)} replies of the script were never asked for")

    @contextmanager
    def asked(self, number: int) -> Iterator[threading.Event]:
        """An event that is set once so many requests in all have come."""
        self._awaited = (number, threading.Event())
        yield self._awaited[1]

    def extend(self, *replies: Reply) -> None:
        """More replies, behind the others."""
        with self._lock:
            self._unused.extend(replies)

    def next_reply(self, asked: Asked) -> Reply | None:
        """The reply to a request; None when the script has none."""
        with self._lock:
            self.requests.append(asked)
            if len(self.requests) >= self._awaited[0]:
                self._awaited[1].set()
            for place, one in enumerate(self._unused):
                if one.when is None or one.when in asked.text:
                    return self._unused.pop(place)
            self._too_many.append(asked.text[-300:])
            return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    script: ScriptedOpenAI

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyrefly: ignore[bad-override-mutable-attribute] - the only server that makes these handlers

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Quiet."""

    def do_POST(self) -> None:
        raw_body = self.rfile.read(int(self.headers.get("content-length", 0)))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, raw_body)
        if not self.path.endswith("/chat/completions"):
            self.reply(404, b'{"error": {"message": "no such path"}}')
            return
        found = self.server.script.next_reply(asked)
        if found is None:
            message = {"error": {"message": "the script has no answer to this", "code": "script_used_up"}}
            self.reply(400, json.dumps(message).encode())
            return
        found.act(self, asked)

    def reply(
        self, status: int, body: bytes, content_type: str = JSON, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, parts: Sequence[bytes]) -> None:
        self._begin_stream()
        for part in parts:
            self._piece(part)
        self.wfile.write(b"0\r\n\r\n")

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def reset_after(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", JSON)
        self.send_header("content-length", str(len(body) + 1000))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def hang(self) -> None:
        self.close_connection = True
        self.server.script.closing.wait(120)

    def drip(self) -> None:
        self.close_connection = True
        self._begin_stream()
        while not self.server.script.closing.wait(0.05):
            self._piece(b": still thinking\n\n")

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", EVENTS)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _piece(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


def _event(part: dict[str, Any] | str) -> bytes:
    text = part if isinstance(part, str) else json.dumps(part)
    return f"data: {text}\n\n".encode()


def _chunk(content: dict[str, Any], model: str, finish: str | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "delta": content, "finish_reason": finish}],
    }


def _deltas(message: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    """A message as a provider streams it: the role, the text in pieces, tool calls in fragments by index."""
    text = message["content"] or ""
    half = len(text) // 2
    parts: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    parts += [{"content": piece} for piece in (text[:half], text[half:]) if piece]
    if message.get("refusal"):
        parts.append({"refusal": message["refusal"]})
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        middle = len(function["arguments"]) // 2
        first = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
        parts.append({"tool_calls": [first]})
        for piece in (function["arguments"][:middle], function["arguments"][middle:]):
            parts.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    return [_chunk(part, model, None) for part in parts]


def _tool_call(index: int, call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(call.get("arguments", {}))
    return {"id": f"call_{index}", "type": "function", "function": {"name": call["name"], "arguments": arguments}}


__all__ = [
    "Asked",
    "Reply",
    "ScriptError",
    "ScriptedOpenAI",
    "Usage",
    "answer",
    "delta",
    "drip",
    "error",
    "events",
    "hang",
    "raw",
    "reset",
    "reset_midway",
    "truncated_stream",
]
