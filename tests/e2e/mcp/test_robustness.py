"""`python main.py mcp serve --http` with malformed, unauthorized, many and disappearing clients."""

import asyncio
import json
import subprocess
from contextlib import asynccontextmanager

import httpx2 as httpx
import psutil
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from testwright.mcp.toolbox.tool_spec import CACHED_META
from testwright.tests.support.mcp.processes import PRODUCT, product_over_http
from testwright.tests.support.mcp.raw_messages import HEADERS, RawSession, call, request
from testwright.tests.support.mcp.serving import project_with_endless_test

pytestmark = pytest.mark.feature("T-11")
TOKEN = "a-token-of-this-test-1234"
SECRET = "nobody outside may read this"
BODY_LIMIT = 4 * 1024 * 1024
ENDLESS = {"test_path": "tests/test_endless.py", "options": {"test_seconds": 600, "wall_seconds": 3600}}
SPEC = {
    "schema_version": "1.0.0",
    "test_type": "unit",
    "title": "Bounds",
    "language": "python",
    "framework": "pytest",
    "target": {"path": "src/small/numbers.py"},
    "imports": ["from small.numbers import clamp"],
    "cases": [],
    "suspected_defects": [],
    "not_reached": [],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    outside = tmp_path_factory.mktemp("robust")
    root = project_with_endless_test(outside / "small")
    (outside / "secret.py").write_text(f'"""{SECRET}"""\n\n\ndef secret():\n    return 1\n')
    (root / "src" / "small" / "link.py").symlink_to(outside / "secret.py")
    (root / "linked").symlink_to(outside)
    return root


@pytest.fixture(scope="module")
def served(project):
    """One server for the whole module: what a test does to it must not hurt the next."""
    with product_over_http(project, "--token-env", "ROBUST_TOKEN", env={"ROBUST_TOKEN": TOKEN}) as one:
        yield one
        assert one.process.poll() is None
        log = "\n".join(one.log.lines)
        assert TOKEN not in log
        assert "Traceback" not in log
        assert one.stop() == 0


@pytest.fixture
def session(served):
    with RawSession(served.url, {"authorization": f"Bearer {TOKEN}"}) as one:
        yield one
        assert valid(one.ask(call("validate_test_spec", {"spec_json": SPEC, "schema_type": "unit"}, "good")))


def valid(answer):
    return "valid" in answer["result"]["structuredContent"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{broken", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 50_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, 5, "junk"]', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "junk"}', -32602),
    ],
)
def test_malformed_messages_get_an_error_that_names_the_fault(session, raw, code):
    refused = session.client.post(session.url, content=raw)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)


def test_a_body_above_the_limit_is_refused(session):
    refused = session.client.post(session.url, content=b'{"jsonrpc": "2.0", "x": "' + b"x" * BODY_LIMIT + b'"}')
    assert (refused.status_code, str(BODY_LIMIT) in refused.json()["error"]["message"]) == (413, True)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer a-token-of-this-test-1235"}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "rebound.example"}, 421),
        ({"authorization": f"Bearer {TOKEN}", "origin": "https://rebound.example"}, 403),
    ],
)
def test_unauthorized_clients_get_nothing(served, session, headers, status):
    assert httpx.post(served.url, json=request("tools/list"), headers={**HEADERS, **headers}).status_code == status


def test_unknown_methods_tools_and_arguments_are_errors_that_help(session):
    assert session.ask(request("tools/guess", request_id=2))["error"]["code"] == -32601
    assert "no_such_tool" in json.dumps(session.ask(call("no_such_tool", request_id=3)))
    wrong = session.ask(call("validate_test_spec", {"spec": 1}, 4))["result"]
    assert wrong["isError"]
    assert "spec_json" in wrong["content"][0]["text"]
    assert "error" in session.ask(request("resources/read", {"uri": "testwright://runs/none/report.md"}, 5))
    assert "error" in session.ask(request("prompts/get", {"name": "no_such_prompt"}, 6))


@pytest.mark.parametrize(
    "path",
    [
        "../secret.py",
        "src/small/../../../secret.py",
        "src/small/link.py",
        "linked/secret.py",
        "/etc/passwd",
        "{outside}",
    ],
)
def test_paths_cannot_leave_the_root(session, project, path):
    path = path.replace("{outside}", str(project.parent / "secret.py"))
    attempts = [
        call("get_ast_analysis", {"file_path": path}, 1),
        call("run_tests", {"test_path": path}, 2),
        call("lint_code", {"file_path": path}, 3),
        call("generate_test_spec", {"test_type": "unit", "target": path}, 4),
        call("generate_tests_from_spec", {"spec_path": path}, 5),
        call("analyze_test_results", {"results_path": path}, 6),
    ]
    for attempt in attempts:
        answer = session.ask(attempt)
        assert answer["result"]["isError"], (attempt, answer)
        assert SECRET not in json.dumps(answer)


@pytest.mark.parametrize("path", ["..%2F..%2Fsecret.py", "../../secret.py", "tests/../../../secret.py"])
def test_resources_cannot_leave_a_run(session, path):
    answer = session.ask(request("resources/read", {"uri": f"testwright://runs/any/{path}"}, 7))
    assert "error" in answer
    assert SECRET not in json.dumps(answer)


@asynccontextmanager
async def connected(served):
    headers = {"authorization": f"Bearer {TOKEN}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(served.url, http_client=http)) as client,
    ):
        yield client


async def test_two_hundred_calls_at_once_are_all_answered(served):
    async def one(client, number):
        spec = {**SPEC, "title": f"Bounds {number}"}
        return await client.call_tool("validate_test_spec", {"spec_json": spec, "schema_type": "unit"})

    async with connected(served) as first, connected(served) as second:
        answers = await asyncio.gather(*(one((first, second)[n % 2], n) for n in range(200)))
    assert [answer for answer in answers if answer.is_error or "valid" not in answer.structured_content] == []


async def test_a_thousand_validations_of_one_spec_cost_one(served):
    asked = {"spec_json": {**SPEC, "title": "A thousand"}, "schema_type": "unit"}
    async with connected(served) as client:
        answers = []
        for _ in range(5):
            answers += await asyncio.gather(*(client.call_tool("validate_test_spec", asked) for _ in range(200)))
    assert len({json.dumps(answer.structured_content) for answer in answers}) == 1
    real = [answer for answer in answers if not (answer.meta or {}).get(CACHED_META)]
    assert (len(answers), len(real)) == (1000, 1)


def once_it_runs(served, stream):
    """The processes that a call has started, as soon as its progress finds some."""
    for _ in stream.iter_lines():
        if ours := served.children():
            return ours
    raise AssertionError("the call ended by itself")


def test_a_client_that_ends_its_session_in_mid_call_stops_the_calls_processes(served, session):
    with RawSession(served.url, {"authorization": f"Bearer {TOKEN}"}) as leaving:
        asked = call("run_tests", ENDLESS, 1)
        asked["params"]["_meta"] = {"progressToken": 1}
        with leaving.client.stream("POST", leaving.url, json=asked) as stream:
            ours = once_it_runs(served, stream)
            assert session.client.delete(leaving.url, headers=dict(leaving.client.headers)).status_code == 200
        psutil.wait_procs(ours)
    assert session.ask(call("list_runs", request_id=2))["result"]["structuredContent"]["runs"] == []


def test_a_client_that_vanishes_in_mid_call_of_the_newest_protocol_stops_its_processes(served, session):
    asked = call("run_tests", ENDLESS, 1)
    asked["params"]["_meta"] = {
        "progressToken": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {
        **HEADERS,
        "authorization": f"Bearer {TOKEN}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "run_tests",
    }
    with httpx.stream("POST", served.url, json=asked, headers=headers, timeout=120) as stream:
        ours = once_it_runs(served, stream)
    psutil.wait_procs(ours)
    assert not any(one.is_running() for one in ours)


def test_two_signals_during_a_call_leave_no_process(project):
    asked = call("run_tests", ENDLESS, 1)
    asked["params"]["_meta"] = {"progressToken": 1}
    with (
        product_over_http(project) as stopped,
        RawSession(stopped.url) as session,
        session.client.stream("GET", session.url) as listening,
        session.client.stream("POST", session.url, json=asked) as stream,
    ):
        ours = once_it_runs(stopped, stream)
        stopped.process.terminate()
        assert listening.read() == b""
        assert stopped.stop() == 0
        psutil.wait_procs(ours)
    assert not any(one.is_running() for one in ours)


def test_it_does_not_listen_beyond_loopback_without_a_token(project):
    refused = subprocess.run(
        [*PRODUCT, "--http", "0.0.0.0:0", "--root", str(project)], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "--token-env" in refused.stderr
    assert refused.stdout == ""
