"""External servers behind a URL (T-12)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest

from testwright.core.errors import EnvironmentFault, ToolFailure, ToolTimeout
from testwright.tests.support.mcp import external_server
from testwright.tests.support.mcp.external_servers import opened
from testwright.tests.support.mcp.npm_tools import SERVER_EVERYTHING, node_environment, npm_tool
from testwright.tests.support.mcp.tool_session import make_services

CONTEXT = "get_codebase_context"
ASKED = {"query": "half of a number"}
TOKEN = "given-to-the-server-only"
PATIENCE = 120.0


class Site(ThreadingHTTPServer):
    """The server of `external_server.py` behind HTTP, as a team would host it.

    Attributes:
        mode: how it answers calls.
        seen: header sets of all requests.
        go_on: set when calls that hang may end.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mode = "good"
        self.seen: list[dict[str, str]] = []
        self.go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"


class _Handler(BaseHTTPRequestHandler):
    @property
    def site(self) -> Site:
        assert isinstance(self.server, Site)
        return self.server

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.site.seen.append({name.lower(): value for name, value in self.headers.items()})
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            self._send(401, b"")
            return
        called = message["method"] == "tools/call"
        if called and self.site.mode == "redirect":
            self.send_response(307)
            self.send_header("location", "http://example.com/mcp")
            self.send_header("content-length", "0")
            self.end_headers()
        elif called and self.site.mode == "hang":
            self.site.go_on.wait()
        elif called and self.site.mode == "endless":
            self._stream()
        elif called and self.site.mode == "broken":
            self._send(200, b'{"jsonrpc": "2.0", "id"')
        elif called and self.site.mode == "fails":
            self._send(500, b"")
        else:
            answer = external_server.answered(self.site.mode, "", message)
            self._send(202 if answer is None else 200, b"" if answer is None else json.dumps(answer).encode())

    def do_GET(self) -> None:
        self._send(405, b"")

    def do_DELETE(self) -> None:
        self._send(405, b"")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("connection", "close")
        self.end_headers()
        try:
            while not self.site.go_on.is_set():
                self.wfile.write(b" " * 65536)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the base class calls it so


@contextmanager
def served() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=lambda: site.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.go_on.set()
        site.shutdown()
        site.server_close()
        thread.join()


@pytest.fixture
def site():
    with served() as running:
        yield running


@pytest.fixture
def services(tmp_path):
    return make_services(tmp_path)


def entries(site: Site, **more):
    headers = {"Authorization": "Bearer ${SITE_TOKEN}", "X-Team": "${SITE_TEAM:-shop}"}
    return {"site": {"type": "http", "url": site.url, "headers": headers, "tools": [CONTEXT], **more}}


ENVIRONMENT = {**os.environ, "SITE_TOKEN": TOKEN}


@pytest.mark.feature("T-12")
async def test_a_url_serves_with_headers_from_variables(services, site):
    async with opened(services, entries(site), environment=ENVIRONMENT) as client:
        answers = await asyncio.gather(*(client.call(CONTEXT, ASKED) for _ in range(5)))
        [facts] = client.servers()
    assert answers[0]["snippets"][0]["path"] == "docs/help.md"
    assert (facts.transport, facts.tools, facts.state) == ("http", (CONTEXT,), "ready")
    assert {one["x-team"] for one in site.seen} == {"shop"}
    assert {one["authorization"] for one in site.seen} == {f"Bearer {TOKEN}"}


async def test_a_wrong_token_is_an_environment_fault_that_shows_the_status_and_not_the_token(services, site):
    with pytest.raises(EnvironmentFault, match=r"'site' cannot be used: .*HTTP status 401") as caught:
        async with opened(services, entries(site), environment={**ENVIRONMENT, "SITE_TOKEN": "a-wrong-token-123"}):
            pass
    assert "a-wrong-token-123" not in caught.value.message


async def test_a_url_without_a_server_is_an_environment_fault(services):
    with served() as gone:
        pass
    with pytest.raises(EnvironmentFault, match="'site' cannot be used"):
        async with opened(services, entries(gone), environment=ENVIRONMENT):
            pass


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("large", "more than the 1048576 that it may"),
        ("endless", "Failed to parse JSON response: the answer is larger than"),
        ("broken", "Failed to parse JSON response"),
        ("redirect", "not followed"),
        ("fails", "'site' answered outside its contract"),
        ("misfit", "does not fit get_codebase_context"),
    ],
)
@pytest.mark.feature("T-12")
async def test_an_answer_that_cannot_be_used_is_a_failure_and_the_session_goes_on(services, site, mode, said):
    async with opened(services, entries(site), environment=ENVIRONMENT) as client:
        site.mode = mode
        with pytest.raises(ToolFailure, match=said) as caught:
            await client.call(CONTEXT, ASKED)
        site.mode = "good"
        assert (await client.call(CONTEXT, ASKED))["files_indexed"] == 1
    assert caught.value.details["server"] == "site"
    assert client.servers()[0].restarts == 0


async def test_a_call_that_hangs_times_out(services, site):
    async with opened(services, entries(site, timeout=0.2), environment=ENVIRONMENT) as client:
        site.mode = "hang"
        with pytest.raises(ToolTimeout, match="'site' did not answer within"):
            await client.call(CONTEXT, ASKED)
        site.go_on.set()
    assert client.calls()[0].outcome == "timed_out"


@pytest.mark.feature("T-12")
async def test_a_server_that_disappears_is_given_up_and_built_in_tools_serve(services):
    with served() as site:
        async with opened(services, entries(site), environment=ENVIRONMENT) as client:
            await client.call(CONTEXT, ASKED)
            site.shutdown()
            site.server_close()
            answer = await client.call(CONTEXT, ASKED)
            facts = client.servers()[0]
    assert answer["snippets"][0]["path"] == "src/shop/cart.py"
    assert facts.state == "given up"
    assert "'site' was given up" in client.warnings()[-1]
    assert TOKEN not in client.warnings()[-1]


@pytest.fixture
def everything():
    """The URL of the reference server, on a port that it chose."""
    program, *args = npm_tool(SERVER_EVERYTHING)
    process = subprocess.Popen(
        [program, *args, "streamableHttp"],
        env={**node_environment(), "PORT": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{_port_of(process.pid)}/mcp"
    finally:
        process.kill()
        process.wait()


@pytest.mark.feature("T-12")
async def test_the_reference_server_of_everything_serves_over_http(services, everything):
    weather = {
        "name": "get-structured-content",
        "arguments": {"location": "{query}"},
        "answer": {"snippets": [], "files_indexed": "{answer.humidity}"},
    }
    async with opened(services, {"everything": {"url": everything, "tools": {CONTEXT: weather}}}) as client:
        answer = await client.call(CONTEXT, {"query": "Chicago"})
    assert answer["files_indexed"] > 0
    assert client.calls()[0].served_by == "everything"


def _port_of(pid: int) -> int:
    """The port on which a process listens, as soon as it does: it chose one that was free."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        listening = [
            connection
            for connection in psutil.Process(pid).net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        if listening:
            return listening[0].laddr.port
        time.sleep(0.05)
    raise AssertionError("the server does not listen")
