"""Sends raw MCP messages to a server, also in a session over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2 as httpx

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
LATEST_WITH_SESSIONS = "2025-11-25"
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_WAIT_SECONDS = 120.0


def request(method: str, params: dict[str, Any] | None = None, request_id: Any = 1) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}


def call(tool: str, arguments: dict[str, Any] | None = None, request_id: Any = 1) -> dict[str, Any]:
    """A call of a tool."""
    return request("tools/call", {"name": tool, "arguments": arguments or {}}, request_id)


def initialize(request_id: Any = 1) -> dict[str, Any]:
    """The request that opens a session of the protocol with sessions."""
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": LATEST_WITH_SESSIONS, "capabilities": {}, "clientInfo": client}
    return request("initialize", params, request_id)


class RawSession:
    """A session over HTTP.

    Args:
        headers: sent with every request, besides those the protocol asks for.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.client = httpx.Client(headers={**HEADERS, **(headers or {})}, timeout=_WAIT_SECONDS)
        opened = self.client.post(self.url, json=initialize())
        assert opened.status_code == 200, opened.text
        self.client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        self.client.headers["mcp-protocol-version"] = LATEST_WITH_SESSIONS
        assert self.client.post(self.url, json=INITIALIZED).status_code == 202

    def __enter__(self) -> RawSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, out of its event stream."""
        answered = self.client.post(self.url, json=message)
        assert answered.status_code == 200, answered.text
        return next(
            event for event in events(answered.text) if event.get("id") == message["id"] and "method" not in event
        )


def events(text: str) -> list[dict[str, Any]]:
    """The messages in the text of an event stream."""
    data = (line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:"))
    return [json.loads(one) for one in data if one]
