"""What runs on this machine already is reached by the programs of a run that names it, and by no other."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from testwright.sandbox.browsers.relayed import RelayedSandbox
from testwright.tests.support.engine.sandboxes import needed_sandbox, python_program

pytestmark = pytest.mark.feature("T-20")
ASK = """
import json, urllib.request
def ask(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.read().decode()
    except OSError:
        return None
print(json.dumps([ask(f"http://127.0.0.1:{port}/") for port in PORTS]))
"""


class Bakery(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"rye " * 25_000)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass


@pytest.fixture
def ports() -> Iterator[list[int]]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Bakery) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [server.server_port for server in servers]
    for server in servers:
        server.shutdown()
        server.server_close()


async def test_the_named_address_answers_and_its_neighbour_does_not(tmp_path: Path, ports: list[int]) -> None:
    program = python_program(ASK.replace("PORTS", repr(ports)), tmp_path)
    sandbox = RelayedSandbox(needed_sandbox("bubblewrap"), f"http://127.0.0.1:{ports[0]}")
    there = await sandbox.run(replace(program, opens_site=True))
    assert json.loads(there.stdout) == ["rye " * 25_000, None], there.stderr
    without = await sandbox.run(program)
    assert json.loads(without.stdout) == [None, None], without.stderr


async def test_a_failure_ends_the_relay_though_a_connection_is_open(tmp_path: Path, ports: list[int]) -> None:
    hold = f"import socket; held = socket.create_connection(('127.0.0.1', {ports[0]})); print(input())"
    sandbox = RelayedSandbox(needed_sandbox("bubblewrap"), f"http://127.0.0.1:{ports[0]}")
    program = replace(python_program(hold, tmp_path), opens_site=True)

    async def failing() -> None:
        async with sandbox.session(program) as session:
            await session.send(b"held")
            assert await session.receive(60) == b"held"
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        await failing()


async def test_a_session_ends_with_its_program_though_the_relay_would_go_on(tmp_path: Path, ports: list[int]) -> None:
    sandbox = RelayedSandbox(needed_sandbox("bubblewrap"), f"http://127.0.0.1:{ports[0]}")
    program = replace(python_program("print(input()[::-1])", tmp_path), opens_site=True)
    async with sandbox.session(program) as session:
        await session.send(b"eyr")
        assert [await session.receive(60), await session.receive(60)] == [b"rye", None]
        assert (await session.ended()).exit_code == 0


async def test_an_address_at_which_nothing_answers_is_an_ended_connection(tmp_path: Path, ports: list[int]) -> None:
    nobody = replace(python_program(ASK.replace("PORTS", "[18999]"), tmp_path), opens_site=True)
    done = await RelayedSandbox(needed_sandbox("bubblewrap"), "http://127.0.0.1:18999").run(nobody)
    assert json.loads(done.stdout) == [None], done.stderr
