"""Over stdio only the protocol reaches stdout, and malformed input does not stop the server."""

import json

import pytest

from testwright.mcp.serving.transport.messages import check_message
from testwright.tests.support.mcp.processes import Served, over_stdio, trial_command
from testwright.tests.support.mcp.raw_messages import INITIALIZED, call, initialize, request

DEEP = b"[" * 150 + b"]" * 150
pytestmark = pytest.mark.feature("T-11")


@pytest.fixture
def served():
    with over_stdio(trial_command(), "stdio") as one:
        yield opened(one)


@pytest.fixture(scope="module")
def lasting():
    with over_stdio(trial_command(), "stdio") as one:
        yield opened(one)


def opened(served: Served) -> Served:
    served.send(initialize("opening"))
    served.answer("opening")
    served.send(INITIALIZED)
    return served


def test_what_tools_and_their_children_print_goes_to_stderr(served):
    served.send(call("shout", {"text": "noise"}, 2))
    assert served.answer(2)["result"]["structuredContent"] == {"result": "shouted"}
    served.log.wait_for("noise", times=3)
    served.process.stdin.close()
    assert served.process.stdout.read() == ""
    assert served.process.wait(60) == 0


def test_lines_that_are_no_message_are_answered_and_cost_nothing_else(lasting):
    lasting.send("{broken")
    assert lasting.receive()["error"]["code"] == -32700
    lasting.send(json.dumps([request("ping"), request("ping")]))
    assert "one JSON-RPC object at a time" in lasting.receive()["error"]["message"]
    lasting.send("")
    lasting.send({"jsonrpc": "2.0", "id": 8})
    assert lasting.receive() == {
        "jsonrpc": "2.0",
        "id": 8,
        "error": {"code": -32600, "message": 'a request names its "method", a response has a "result" or "error"'},
    }
    lasting.send(call("add", {"a": 1, "b": 2}, "good"))
    assert lasting.answer("good")["result"]["structuredContent"] == {"result": 3}


def test_a_message_above_the_limit_is_refused_and_the_next_is_served(lasting):
    lasting.send(call("add", {"a": 1, "b": "x" * 300_000}, 5))
    refused = lasting.receive()
    assert refused["id"] is None
    assert "larger than the 100000 bytes" in refused["error"]["message"]
    lasting.send(call("add", {"a": 1, "b": 2}, 6))
    assert lasting.answer(6)["result"]["structuredContent"] == {"result": 3}


def test_unknown_methods_and_tools_are_errors_that_say_so(lasting):
    lasting.send(request("tools/guess", request_id=2))
    assert lasting.answer(2)["error"]["code"] == -32601
    lasting.send(call("no_such_tool", request_id=3))
    assert "no_such_tool" in json.dumps(lasting.answer(3))
    lasting.send(call("explode", request_id=4))
    assert "secret detail" not in json.dumps(lasting.answer(4))


@pytest.mark.parametrize("end", ["its stdin is closed", "its stdout is closed", "it is asked to stop"])
def test_a_client_that_leaves_in_mid_call_stops_the_call_and_the_server(served, end):
    served.send(call("wait", request_id=2))
    served.log.wait_for("waiting")
    if end == "its stdin is closed":
        served.process.stdin.close()
    elif end == "its stdout is closed":
        served.process.stdout.close()
        served.send(request("ping", request_id=3))
    else:
        served.process.terminate()
    served.log.wait_for("no longer waiting")
    assert served.process.wait(60) == 0


def test_a_cancelled_call_is_stopped_while_others_go_on(lasting):
    lasting.send(call("wait", request_id=2))
    lasting.log.wait_for("waiting")
    lasting.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "enough"}}
    )
    lasting.log.wait_for("no longer waiting")
    lasting.send(call("add", {"a": 1, "b": 1}, 3))
    assert lasting.answer(3)["result"]["structuredContent"] == {"result": 2}


@pytest.mark.parametrize(
    ("raw", "code", "request_id"),
    [
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'"ping"', -32600, None),
        (b'{"id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 5}', -32600, "a"),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}', -32602, "a"),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {"x": "\\udcff"}}', -32602, "a"),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32602, None),
        (
            b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": ' + DEEP + b"}}",
            -32602,
            7,
        ),
    ],
)
def test_each_malformed_message_gets_its_error(raw, code, request_id):
    refused = check_message(raw)
    assert refused is not None
    assert (refused.code, refused.request_id) == (code, request_id)
    assert json.loads(refused.body())["error"]["message"] == refused.message


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "?"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "\\ud83d\\ude00"}}',
    ],
)
def test_requests_notifications_and_responses_are_taken(raw):
    assert check_message(raw) is None
