"""The HTTP middleware, called as uvicorn calls it: Host, Origin, token, size and speed of bodies."""

import asyncio
import json

import pytest

from testwright.core.errors import SettingsError
from testwright.mcp.serving.transport.body_limits import BodyLimitMiddleware
from testwright.mcp.serving.transport.options import HttpOptions, check_reachable_by
from testwright.mcp.serving.transport.request_guard import RequestGuard

pytestmark = pytest.mark.feature("T-11")
TOKEN = "a-token-of-this-test-1234"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


class Exchange:
    """One request given to an ASGI app.

    Args:
        chunks: the body as it arrives; nothing ever comes after the last one when `ends` is False.
    """

    def __init__(self, chunks=(PING,), *, ends=True, path="/mcp", method="POST", headers=()):
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "client": ("127.0.0.1", 5),
            "headers": [(name.encode(), value.encode()) for name, value in headers],
        }
        self.waiting = [
            {"type": "http.request", "body": chunk, "more_body": not ends or n < len(chunks) - 1}
            for n, chunk in enumerate(chunks)
        ]
        self.sent = []

    async def receive(self):
        if not self.waiting:
            await asyncio.Event().wait()
        return self.waiting.pop(0)

    async def send(self, message):
        self.sent.append(message)

    @property
    def status(self):
        return self.sent[0]["status"]

    @property
    def headers(self):
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def error(self):
        return json.loads(self.sent[1]["body"])["error"]


async def echo(scope, receive, send):
    """Answers 200 with the body it was given."""
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


async def guarded(exchange, address="127.0.0.1", **options):
    await RequestGuard(echo, HttpOptions(**options), address)(exchange.scope, exchange.receive, exchange.send)
    return exchange


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8000", "localhost", "localhost.:80", "LOCALHOST:1", "[::1]:8000", "127.9.9.9", "tools.example:9"],
)
async def test_names_of_this_machine_and_allowed_ones_are_taken(host):
    assert (await guarded(Exchange(headers=[("host", host)]), allowed_hosts=("Tools.Example",))).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "")],
        [("host", "evil.example")],
        [("host", "127.0.0.1.evil.example:80")],
        [("host", "localhost.evil.example")],
        [("host", "evil@127.0.0.1")],
        [("host", "192.168.1.5:8000")],
        [("host", "127.0.0.1:port")],
        [("host", "127.0.0.1/path")],
        [("host", "local\thost")],
        [("host", "127.0.0.1 evil.example")],
        [("host", "localhost"), ("host", "evil.example")],
    ],
)
async def test_every_other_host_is_misdirected(headers):
    refused = await guarded(Exchange(headers=headers))
    assert refused.status == 421
    assert "--allowed-host" in refused.error["message"]


async def test_beyond_loopback_addresses_are_accepted_but_no_unknown_name():
    options = {"host": "0.0.0.0", "token": TOKEN}
    known = ("authorization", f"Bearer {TOKEN}")
    by_address = Exchange(headers=[("host", "192.168.1.5:8000"), known])
    assert (await guarded(by_address, "0.0.0.0", **options)).status == 200
    by_name = Exchange(headers=[("host", "evil.example"), known])
    assert (await guarded(by_name, "0.0.0.0", **options)).status == 421


@pytest.mark.parametrize(
    "origin", ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:5", "https://tools.example"]
)
async def test_pages_of_this_machine_and_allowed_ones_may_call(origin):
    headers = [("host", "localhost:8000"), ("origin", origin)]
    assert (await guarded(Exchange(headers=headers), allowed_origins=("https://tools.example/",))).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://tools.example.evil",
        "file://",
        "http://localhost.evil",
        "",
        "http://local\thost",
    ],
)
async def test_every_other_page_is_refused(origin):
    headers = [("host", "localhost:8000"), ("origin", origin)]
    refused = await guarded(Exchange(headers=headers), allowed_origins=("https://tools.example",))
    assert refused.status == 403
    assert "--allowed-origin" in refused.error["message"]


async def test_a_page_of_the_same_origin_may_call_beyond_loopback():
    headers = [("host", "10.0.0.5:8000"), ("authorization", f"Bearer {TOKEN}")]
    for origin, status in [("http://10.0.0.5:8000", 200), ("http://10.0.0.6:8000", 403), ("http://localhost:1", 403)]:
        exchange = Exchange(headers=[*headers, ("origin", origin)])
        assert (await guarded(exchange, "10.0.0.5", host="10.0.0.5", token=TOKEN)).status == status


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("authorization", "Bearer wrong-token-of-same-l")],
        [("authorization", f"Basic {TOKEN}")],
        [("authorization", TOKEN)],
        [("authorization", f"Bearer {TOKEN}x")],
        [("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer other")],
        [("x-token", TOKEN)],
    ],
)
async def test_without_the_right_token_nothing_is_served_on_any_method(method, headers, caplog):
    exchange = Exchange(method=method, headers=[("host", "localhost"), *headers])
    refused = await guarded(exchange, token=TOKEN)
    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith("Bearer ")
    assert TOKEN not in caplog.text + json.dumps(refused.error)


@pytest.mark.parametrize("kind", ["Bearer", "bearer"])
async def test_with_the_right_token_the_request_is_served(kind):
    headers = [("host", "localhost"), ("authorization", f"{kind} {TOKEN}")]
    assert (await guarded(Exchange(headers=headers), token=TOKEN)).status == 200


async def test_the_protocol_has_one_path_which_refused_clients_do_not_learn():
    at_root = Exchange(path="/", headers=[("host", "localhost")])
    assert "/mcp" in (await guarded(at_root)).error["message"]
    stranger = Exchange(path="/", headers=[("host", "localhost")])
    assert (await guarded(stranger, token=TOKEN)).status == 401


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.5", "::", "fe80::1%eth0"])
def test_listening_beyond_loopback_needs_a_token(address):
    with pytest.raises(SettingsError, match="no token") as refused:
        check_reachable_by(HttpOptions(host=address), address)
    assert "--token-env" in refused.value.advice
    check_reachable_by(HttpOptions(host=address, token=TOKEN), address)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.5.5.5", "::1"])
def test_loopback_needs_none(address):
    check_reachable_by(HttpOptions(host=address), address)


@pytest.mark.parametrize("wrong", [{"token": "tiny-token"}, {"token": "blanks in the middle"}, {"token": "é" * 20}])
def test_a_weak_token_is_refused_and_never_shown(wrong):
    with pytest.raises(SettingsError) as refused:
        HttpOptions(**wrong)
    assert wrong["token"] not in str(refused.value) + refused.value.advice
    assert TOKEN not in repr(HttpOptions(token=TOKEN))


@pytest.mark.parametrize("wrong", [{"port": 70_000}, {"body_limit_bytes": 0}, {"idle_seconds": float("inf")}])
def test_numbers_that_make_no_sense_are_refused(wrong):
    with pytest.raises(SettingsError, match=r"is no port|is \d|is inf"):
        HttpOptions(**wrong)


async def bodied(exchange, **options):
    bodies = BodyLimitMiddleware(echo, HttpOptions(**options))
    await bodies(exchange.scope, exchange.receive, exchange.send)
    return exchange


async def test_a_body_in_pieces_arrives_whole():
    served = await bodied(Exchange([PING[:5], PING[5:9], PING[9:]]), body_limit_bytes=len(PING))
    assert (served.status, served.sent[1]["body"]) == (200, PING)


@pytest.mark.parametrize(
    ("chunks", "headers"),
    [
        ([PING, b"x"], []),
        ([PING + b" "], [("content-length", str(len(PING) + 1))]),
        ([], [("content-length", "99999999999")]),
        ([], [("content-length", str(len(PING) + 1)), ("expect", "100-continue")]),
        ([PING] * 20, []),
    ],
    ids=["in pieces", "declared", "declared huge", "asks before it sends", "without an end in sight"],
)
async def test_a_body_above_the_limit_is_refused(chunks, headers):
    refused = await bodied(Exchange(chunks, ends=len(chunks) < 20, headers=headers), body_limit_bytes=len(PING))
    assert refused.status == 413
    assert f"{len(PING)} bytes" in refused.error["message"]
    assert refused.headers["connection"] == "close"


async def test_bodies_that_are_sent_slowly_do_not_fill_the_memory_together():
    half = b"x" * 100_000
    bodies = BodyLimitMiddleware(echo, HttpOptions(bodies_limit_bytes=250_000, body_seconds=60))
    slow = [Exchange([half], ends=False) for _ in range(2)]
    waiting = [asyncio.ensure_future(bodies(one.scope, one.receive, one.send)) for one in slow]
    await asyncio.sleep(0)
    refused, small = Exchange([half], ends=False), Exchange([PING])
    for one in (refused, small):
        await bodies(one.scope, one.receive, one.send)
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert small.status == 200
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    later = Exchange([PING[:-1] + b" " * 100_000, b"}"])
    await bodies(later.scope, later.receive, later.send)
    assert later.status == 200


async def test_a_body_that_is_late_is_refused():
    refused = await bodied(Exchange([PING[:5]], ends=False), body_seconds=0.05)
    assert (refused.status, refused.error["message"]) == (408, "the body did not arrive within 0.05 seconds")


async def test_a_client_that_disconnects_before_its_body_is_complete_gets_no_answer():
    exchange = Exchange([PING[:5]], ends=False)
    exchange.waiting.append({"type": "http.disconnect"})
    assert (await bodied(exchange)).sent == []


async def test_a_body_that_is_no_message_is_explained():
    refused = await bodied(Exchange([b"[]"]))
    assert (refused.status, refused.error["code"]) == (400, -32600)


async def test_requests_without_a_body_are_let_through():
    listening = Exchange([b""], method="GET")
    assert (await bodied(listening)).status == 200
