"""Flows in which one module of a project serves on the loopback device and another asks it."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from typing import Any

import pytest

from testwright.engine.integration.flows.loopback import SERVER_HELPER, server_statements
from testwright.engine.integration.model.servers import Server, address_kind, binding, servers_in, uses_network
from testwright.engine.integration.modules.targets import find_seams
from testwright.engine.python.explore.explore import ExplorationBudget
from testwright.engine.python.facts.analyse import facts_from_source
from testwright.engine.python.project.layout import ModulePlace, find_layout
from testwright.engine.rendering import render_files
from testwright.mcp.tools.validate_code import check_code
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.engine.flow_specs import held, specified_twice
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.message_board import BOARD, CLIENT, SERVER
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

ENTRY = "src/board/client.py"
TEST_PATH = "tests/generated/integration/test_board_client_flows.py"


def facts_of(source):
    return facts_from_source(source.encode(), ModulePlace(path="src/app/web.py", module="app.web", import_root="src"))


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """The spec of the board's client, made twice. Read only."""
    yield from held(
        specified_twice(tmp_path_factory.mktemp("loopback"), BOARD, ENTRY, ExplorationBudget(trials=24, quiet=24))
    )


@pytest.mark.feature("T-20", "B-06")
def test_two_explorations_of_a_client_give_the_same_spec(explored):
    assert explored.spec == explored.again


@pytest.mark.feature("T-20", "T-08")
def test_a_flow_through_a_request_is_told_as_one(explored):
    assert check_spec(explored.spec, "integration")["errors"] == []
    assert {"from": "client", "to": "server", "through": "requests"} in explored.spec["target"]["edges"]
    assert {"from": "server", "to": "notes", "through": "calls"} in explored.spec["target"]["edges"]
    (service,) = [one for one in explored.spec["services"] if one["kind"] == "http"]
    assert (service["name"], service["stand_in"], service["fixture"]) == ("serving", "real", "running")
    for case in explored.spec["cases"]:
        assert {"from": "client", "to": "server"} in case["crosses"]
        assert case["arrange"]["fixtures"] == ["running"]
        assert "port=0" in "".join(case["arrange"]["statements"])


def test_what_the_server_kept_is_read_back_on_its_own_side(explored):
    written = [case for case in explored.spec["cases"] if "board.write" in case["act"]["steps"][-1]["expression"]]
    assert any(one.get("actual") == "notes.all()" for case in written for one in case["expect"])


def test_no_expectation_holds_a_port(explored):
    for case in explored.spec["cases"]:
        assert not any("port" in one.get("actual", "") or "127.0.0.1" in one.get("value", "") for one in case["expect"])


@pytest.mark.feature("T-20", "B-04", "T-10")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_the_rendered_file_serves_asks_and_stops(explored, tmp_path, framework):
    (file,) = render_files(explored.spec, framework, TEST_PATH)
    assert check_code(file.contents, TEST_PATH, framework)["errors"] == []
    make_project(tmp_path, {**BOARD, TEST_PATH: file.contents})
    module = ["pytest", "-q", "-p", "no:cacheprovider"] if framework == "pytest" else ["unittest", "-v"]
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error::ResourceWarning", "-m", *module, TEST_PATH]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ResourceWarning" not in done.stderr


def test_a_client_reaches_the_servers_of_other_modules_only(tmp_path):
    seams = find_seams(make_project(tmp_path, BOARD), find_layout(tmp_path))
    assert seams.servers == [Server("board.server", "make_server", "made")]
    assert seams.reached("board.client", "Board.write") == {"board.server", "board.notes"}
    assert "board.client" not in seams.reached("board.server", "make_server")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (
            "import socketserver\nclass Echo(socketserver.StreamRequestHandler):\n    def handle(self): pass\n",
            [("Echo", "handler", False)],
        ),
        (
            "from http.server import BaseHTTPRequestHandler\nclass Page(BaseHTTPRequestHandler):\n    pass\n",
            [("Page", "handler", True)],
        ),
        ("def app(environ, start_response):\n    return []  # start_response\n", [("app", "wsgi", True)]),
        (
            "import socketserver\nclass Echo(socketserver.TCPServer):\n    def __init__(self, address): pass\n",
            [("Echo", "made", False)],
        ),
        (
            "from http.server import HTTPServer\ndef serve(port: int):\n    made = HTTPServer(('', port), None)\n"
            "    return made\n",
            [("serve", "made", True)],
        ),
        # It always listens on the same port: two tests at a time could not run.
        ("from http.server import HTTPServer\ndef serve():\n    return HTTPServer(('', 80), None)\n", []),
        ("def make_server(port):\n    return port\n", []),
    ],
)
def test_what_can_serve_is_read_from_the_code(source, found):
    assert [(one.name, one.form, one.http) for one in servers_in(facts_of(source), source)] == found


def test_addresses_are_known_by_the_names_of_parameters():
    names = ("url", "base_url", "server_uri", "endpoint", "host", "server_host", "port", "path", "name")
    assert [address_kind(name) for name in names] == ["url"] * 4 + ["host"] * 2 + ["port"] + [""] * 2
    (maker,) = facts_of("def make(server_address, bind, port: int = 80, title='x'): pass").functions
    assert binding(maker) == {"server_address": "('127.0.0.1', 0)", "bind": "'127.0.0.1'", "port": "0"}
    assert uses_network(CLIENT)
    assert not uses_network("import json\n# no urllib here\n")
    assert servers_in(facts_of(SERVER), SERVER) == (Server("app.web", "make_server", "made"),)


@pytest.mark.parametrize("form", ["handler", "wsgi"])
def test_a_server_answers_inside_the_block_and_is_gone_after_it(tmp_path, monkeypatch, form):
    source = (
        "from http.server import BaseHTTPRequestHandler\n\n\n"
        "class page(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(204)\n"
        "        self.end_headers()\n    def log_message(self, *_):\n        pass\n"
        if form == "handler"
        else "def page(environ, start_response):\n    start_response('204 No Content', [])\n    return []\n"
    )
    (tmp_path / f"loopback_{form}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made = server_statements(Server(f"loopback_{form}", "page", form), None, lambda called, fixed: [])
    assert made is not None
    statements, imports = made
    with contextlib.ExitStack() as running:
        names: dict[str, Any] = {"running": running, "contextlib": contextlib, "threading": threading}
        for one in (SERVER_HELPER, *sorted(imports), *statements):
            exec(one, names)
        host, port = names["host"], names["port"]
        with urllib.request.urlopen(f"http://{host}:{port}/", timeout=30) as answer:
            assert answer.status == 204
    with pytest.raises(ConnectionRefusedError), socket.create_connection((str(host), int(port)), timeout=30):
        pass


def test_a_server_that_cannot_be_made_gives_no_flow():
    assert server_statements(Server("app.web", "make", "made"), None, lambda called, fixed: None) is None
