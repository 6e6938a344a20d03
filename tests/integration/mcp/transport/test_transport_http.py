"""Over HTTP the server survives misbehaving clients, ends their calls, and shuts down in order."""

import json
import os
import socket
import threading

import httpx2 as httpx
import pytest

from testwright.core.errors import EnvironmentFault, SettingsError
from testwright.mcp.serving.transport.http_server import serve_http
from testwright.mcp.serving.transport.options import HttpOptions
from testwright.tests.support.mcp.processes import over_http, trial_command
from testwright.tests.support.mcp.raw_messages import HEADERS, RawSession, call, events, initialize, request
from testwright.tests.support.mcp.trial_server import trial_server

pytestmark = pytest.mark.feature("T-11")
TOKEN = "a-token-of-this-test-1234"
LIMIT = 100_000
NEWEST = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture(scope="module")
def served():
    """A server that clients of several tests share: what one does must not hurt the next."""
    options = {"token": TOKEN, "body_limit_bytes": LIMIT, "abandoned_seconds": 0.05}
    with over_http(trial_command(), json.dumps(options)) as one:
        yield one
        assert one.process.poll() is None
        assert TOKEN not in "\n".join(one.log.lines)


@pytest.fixture
def session(served):
    with RawSession(served.url, {"authorization": f"Bearer {TOKEN}"}) as one:
        yield one


@pytest.fixture
def free():
    with over_http(trial_command(), "{}") as one:
        yield one


def sum_of(session, a, b):
    return session.ask(call("add", {"a": a, "b": b}, f"{a}+{b}"))["result"]["structuredContent"]["result"]


def test_without_its_token_nothing_is_served_and_with_it_everything(served, session):
    for wrong in ({}, {"authorization": "Bearer wrong"}):
        refused = httpx.post(served.url, json=initialize(), headers={**HEADERS, **wrong})
        assert (refused.status_code, refused.headers["www-authenticate"][:6]) == (401, "Bearer")
    assert sum_of(session, 1, 2) == 3


def test_a_strange_name_or_page_is_refused_over_the_wire(session):
    session.client.headers["host"] = "evil.example"
    assert session.client.post(session.url, json=call("add")).status_code == 421
    session.client.headers["host"] = "localhost"
    assert session.client.post(session.url, json=call("add"), headers={"origin": "http://a.b"}).status_code == 403
    assert sum_of(session, 2, 2) == 4


def test_a_body_above_the_limit_gets_its_answer_although_the_client_sent_all_of_it(session):
    refused = session.client.post(session.url, json=call("add", {"a": "x" * LIMIT}))
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, -32600)
    refused = session.client.post(session.url, content=(b"x" * 50_000 for _ in range(4)))
    assert refused.status_code == 413
    assert sum_of(session, 3, 2) == 5


@pytest.mark.parametrize(
    ("raw", "code"), [(b"{broken", -32700), (b"[]", -32600), (b"[{},{}]", -32600), (b"\xff", -32700), (b"", -32700)]
)
def test_bodies_that_are_no_message_are_answered(session, raw, code):
    refused = session.client.post(session.url, content=raw)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)


def test_requests_of_no_session_get_an_error(session):
    unknown = {"mcp-session-id": "no-such-session"}
    assert session.client.post(session.url, json=call("add"), headers=unknown).status_code == 404
    assert session.client.put(session.url, json=call("add")).status_code == 405
    assert session.client.post(session.url, json=call("add"), headers={"accept": "text/html"}).status_code == 406
    assert session.client.post(session.url, json=call("add"), headers={"content-type": "text/html"}).status_code == 400
    assert sum_of(session, 4, 2) == 6


def test_a_session_ended_by_its_client_accepts_no_request(session):
    assert session.client.delete(session.url).status_code == 200
    assert session.client.post(session.url, json=call("add")).status_code == 404


def test_many_sessions_call_at_the_same_time(served):
    answers = []

    def one_client(number):
        with RawSession(served.url, {"authorization": f"Bearer {TOKEN}"}) as session:
            answers.extend(sum_of(session, number, n) - n for n in range(5))

    clients = [threading.Thread(target=one_client, args=(number,)) for number in range(20)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert sorted(answers) == sorted(number for number in range(20) for _ in range(5))


def test_a_call_whose_client_has_left_is_stopped_unless_it_comes_back(served, session):
    waiting = len([line for line in served.log.lines if line == "waiting"])
    with session.client.stream("POST", session.url, json=call("wait", request_id=7)) as stream:
        assert stream.status_code == 200
        served.log.wait_for("waiting", times=waiting + 1)
    served.log.wait_for("no longer waiting", times=waiting + 1)
    with RawSession(served.url, {"authorization": f"Bearer {TOKEN}"}) as another:
        assert sum_of(another, 5, 2) == 7


def test_in_the_protocol_without_sessions_a_call_ends_with_its_connection(served):
    waiting = len([line for line in served.log.lines if line == "waiting"])
    message = call("wait", request_id=8)
    message["params"]["_meta"] = NEWEST
    body = json.dumps(message).encode()
    head = {
        **HEADERS,
        "host": "localhost",
        "authorization": f"Bearer {TOKEN}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "wait",
        "content-length": str(len(body)),
    }
    with connected(served.url) as raw:
        raw.sendall(f"POST /mcp HTTP/1.1\r\n{lines(head)}\r\n".encode() + body)
        served.log.wait_for("waiting", times=waiting + 1)
    served.log.wait_for("no longer waiting", times=waiting + 1)


def test_a_connection_without_a_complete_request_is_closed():
    with (
        over_http(trial_command(), '{"header_seconds": 0.2}') as hasty,
        connected(hasty.url) as silent,
        connected(hasty.url) as slow,
    ):
        slow.sendall(b"POST /mcp HTTP/1.1\r\nhost: local")
        assert closed_by_peer(silent)
        assert closed_by_peer(slow)


def test_what_is_no_http_is_answered_and_closed(served):
    with connected(served.url) as raw:
        raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("answered", ["before", "after"])
def test_a_client_resumes_and_gets_the_answer_its_broken_connection_lost(free, answered):
    with RawSession(free.url) as session, RawSession(free.url) as other:
        with session.client.stream("POST", session.url, json=call("pass_gate", request_id=9)) as broken:
            first = next(line for line in broken.iter_lines() if line.startswith("id:"))
            free.log.wait_for("at the gate")
        resumed = {"last-event-id": first.removeprefix("id:").strip()}
        with other.client.stream("GET", free.url, headers=resumed) as foreign:
            assert foreign.read() == b""
        if answered == "before":
            other.ask(call("open_gate"))
        with session.client.stream("GET", session.url, headers=resumed) as stream:
            if answered == "after":
                other.ask(call("open_gate"))
            [answer] = events(stream.read().decode())
    assert (answer["id"], answer["result"]["structuredContent"]) == (9, {"result": "passed"})


def test_a_resumed_stream_ends_with_its_session(free):
    with RawSession(free.url) as session:
        with session.client.stream("POST", session.url, json=call("wait", request_id=9)) as broken:
            first = next(line for line in broken.iter_lines() if line.startswith("id:"))
            free.log.wait_for("waiting")
        resumed = {"last-event-id": first.removeprefix("id:").strip()}
        with session.client.stream("GET", session.url, headers=resumed) as stream:
            assert session.client.delete(session.url).status_code == 200
            assert "result" not in stream.read().decode()
        free.log.wait_for("no longer waiting")


def test_on_the_first_signal_calls_finish_and_listening_streams_end(free, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = call("read_fifo", {"path": str(pipe)}, 3)
    with (
        RawSession(free.url) as session,
        RawSession(free.url) as other,
        session.client.stream("POST", session.url, json=message) as called,
        other.client.stream("GET", other.url) as listening,
    ):
        free.log.wait_for("at the pipe")
        free.process.terminate()
        assert listening.read() == b""
        with pytest.raises(httpx.ConnectError):
            RawSession(free.url)
        pipe.write_text("the last word")
        answer = events(called.read().decode())[-1]
    assert answer["result"]["structuredContent"] == {"result": "the last word"}
    assert free.process.wait(60) == 0


def test_on_the_first_signal_calls_that_never_end_are_cancelled_in_time():
    with (
        over_http(trial_command(), '{"shutdown_seconds": 1}') as impatient,
        RawSession(impatient.url) as session,
        session.client.stream("POST", session.url, json=call("wait")),
    ):
        impatient.log.wait_for("waiting")
        assert impatient.stop() == 0
        impatient.log.wait_for("no longer waiting")


def test_on_the_second_signal_calls_are_cancelled_at_once():
    with (
        over_http(trial_command(), '{"shutdown_seconds": 100000}') as patient,
        RawSession(patient.url) as session,
        session.client.stream("POST", session.url, json=call("wait")),
        session.client.stream("GET", session.url) as listening,
    ):
        patient.log.wait_for("waiting")
        patient.process.terminate()
        assert listening.read() == b""
        assert patient.stop() == 0
        patient.log.wait_for("no longer waiting")


def test_on_the_first_signal_listening_streams_of_the_newest_protocol_end():
    asked = request("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": NEWEST}, 1)
    headers = {**HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen"}
    with (
        over_http(trial_command(), '{"shutdown_seconds": 100000}') as patient,
        httpx.stream("POST", patient.url, json=asked, headers=headers, timeout=120) as stream,
    ):
        lines_of_it = stream.iter_lines()
        assert any("acknowledged" in line for line in lines_of_it)
        assert patient.stop() == 0
        assert [line for line in lines_of_it if line.startswith("data: {") and "acknowledged" in line] == []


def test_there_are_only_so_many_sessions_and_an_idle_one_makes_room():
    with (
        over_http(trial_command(), '{"max_sessions": 1, "idle_seconds": 0.2}') as small,
        httpx.Client(headers=HEADERS, timeout=60) as client,
    ):
        first = client.post(small.url, json=initialize()).headers["mcp-session-id"]
        # Nothing is slept for: each try is a request, until the first session has been idle for long enough.
        while (second := client.post(small.url, json=initialize())).status_code == 503:
            assert "Too many open sessions" in second.text
        assert second.status_code == 200
        assert client.post(small.url, json=call("add"), headers={"mcp-session-id": first}).status_code == 404


async def test_an_address_that_is_taken_or_none_of_ours_is_explained():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(EnvironmentFault, match="cannot listen on") as refused:
            await serve_http(trial_server(), HttpOptions(port=taken.getsockname()[1]))
        assert "another port" in refused.value.advice
    with pytest.raises(SettingsError, match="no address of this machine"):
        await serve_http(trial_server(), HttpOptions(host="no such name"))
    with pytest.raises(SettingsError, match="no token"):
        await serve_http(trial_server(), HttpOptions(host="0.0.0.0"))


def connected(url):
    place = httpx.URL(url)
    return socket.create_connection((place.host, place.port), timeout=60)


def closed_by_peer(connection):
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def lines(headers):
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())
