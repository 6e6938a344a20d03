"""Events of a session are kept for a client that returns: bounded, in order, for this session only."""

import asyncio

import pytest
from mcp.server.streamable_http import GET_STREAM_KEY
from mcp.types import JSONRPCNotification, JSONRPCResponse

from testwright.mcp.serving.transport.resume import ResumableStreams

pytestmark = pytest.mark.feature("T-11")


def news(text):
    return JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params={"data": text})


def answer(request_id):
    return JSONRPCResponse(jsonrpc="2.0", id=request_id, result={})


class Client:
    """Who comes back, with what it is sent."""

    def __init__(self):
        self.heard = []

    async def __call__(self, event):
        message = event.message
        self.heard.append((message.params or {})["data"] if isinstance(message, JSONRPCNotification) else "answer")


async def test_only_what_came_after_on_the_same_stream_is_sent_until_its_answer():
    streams, client = ResumableStreams(10_000), Client()
    streams.enter(None)
    seen = await streams.store_event("1", None)
    for stream, message in [("1", news("a")), ("2", news("of another call")), ("1", news("b")), ("1", answer(1))]:
        await streams.store_event(stream, message)
    assert await streams.replay_events_after(seen, client) is None
    assert client.heard == ["a", "b", "answer"]


async def test_what_comes_while_it_listens_is_sent_in_order():
    streams, client = ResumableStreams(10_000), Client()
    streams.enter(None)
    seen = await streams.store_event("1", news("before"))
    listening = asyncio.create_task(streams.replay_events_after(seen, client))
    for message in (news("a"), news("b"), answer(1)):
        await streams.store_event("1", message)
    assert await listening is None
    assert client.heard == ["a", "b", "answer"]


async def test_a_sessions_own_notifications_go_on_with_the_sdk():
    streams, client = ResumableStreams(10_000), Client()
    streams.enter(None)
    seen = await streams.store_event(GET_STREAM_KEY, news("before"))
    await streams.store_event(GET_STREAM_KEY, news("a"))
    assert await streams.replay_events_after(seen, client) == GET_STREAM_KEY
    assert client.heard == ["a"]


async def test_the_oldest_events_go_when_a_session_has_kept_enough():
    streams, client = ResumableStreams(500), Client()
    record = streams.enter(None)
    first = latest = await streams.store_event("1", news("x" * 100))
    for _ in range(50):
        latest = await streams.store_event("1", news("x" * 100))
    await streams.store_event("1", answer(1))
    assert record.size <= 500
    assert await streams.replay_events_after(first, client) is None
    assert client.heard == []
    await streams.replay_events_after(latest, client)
    assert client.heard == ["answer"]


async def test_another_session_gets_nothing():
    streams, client = ResumableStreams(10_000), Client()
    mine = streams.enter(None)
    streams.register("mine", mine)
    seen = await streams.store_event("1", None)
    await streams.store_event("1", answer(1))
    streams.enter(None)
    assert await streams.replay_events_after(seen, client) is None
    assert client.heard == []
    assert streams.enter("mine") is mine
    await streams.replay_events_after(seen, client)
    assert client.heard == ["answer"]
