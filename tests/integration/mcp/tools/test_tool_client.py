"""Calls of tools through the client (T-12)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.server import MCPServer

from testwright.core.errors import SandboxUnavailable, StoreFull, ToolFailure, ToolInputError, ToolTimeout, UsageError
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.json_schema import closed_object
from testwright.mcp.toolbox.tool_spec import ToolSpec
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services

NUMBER = closed_object(number={"type": "integer"})


@pytest.fixture
def toolbox(tmp_path):
    services = make_services(tmp_path)

    def build(**tools: Callable[..., Awaitable[dict[str, Any]]]) -> MCPServer:
        def tool(name: str, act: Callable[..., Awaitable[dict[str, Any]]]) -> ToolSpec:
            async def run(services, /, **arguments):
                return await act(**arguments)

            return ToolSpec(name, NUMBER, NUMBER, run, f"Does {name}.")

        return build_toolbox(services, [tool(name, act) for name, act in tools.items()])

    return build


async def echo(number: int) -> dict[str, Any]:
    return {"number": number}


def failing(error: Exception) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def act(number: int) -> dict[str, Any]:
        raise error

    return act


@pytest.mark.feature("T-12")
async def test_a_call_gives_the_structured_answer_and_is_recorded(toolbox):
    async with ToolClient(toolbox(echo=echo)) as client:
        assert await client.call("echo", {"number": 7}) == {"number": 7}
        (call,) = client.calls()
    assert (call.tool, call.served_by, call.outcome, call.cached) == ("echo", "built-in", "ok", False)
    assert call.seconds >= 0


@pytest.mark.feature("T-12", "T-16")
async def test_calls_from_several_tasks_run_at_the_same_time(toolbox):
    both_are_here = asyncio.Barrier(2)

    async def meet(number: int) -> dict[str, Any]:
        await both_are_here.wait()
        return {"number": number}

    async with ToolClient(toolbox(meet=meet)) as client:
        answers = await asyncio.gather(client.call("meet", {"number": 1}), client.call("meet", {"number": 2}))
    assert answers == [{"number": 1}, {"number": 2}]


@pytest.mark.feature("T-12")
async def test_arguments_that_do_not_fit_are_refused_before_the_call(toolbox):
    async with ToolClient(toolbox(echo=echo)) as client:
        with pytest.raises(ToolInputError) as caught:
            await client.call("echo", {"nmber": "7"})
        assert client.calls()[0].outcome == "refused"
    errors = caught.value.details["errors"]
    assert isinstance(errors, list)
    assert [error["path"] for error in errors] == ["$.number", "$.nmber"]


@pytest.mark.feature("T-12")
async def test_a_tool_that_does_not_answer_in_time_is_cancelled(toolbox):
    cancelled = asyncio.Event()

    async def never(number: int) -> dict[str, Any]:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return {}

    async with ToolClient(toolbox(never=never)) as client:
        with pytest.raises(ToolTimeout, match="never did not answer"):
            await client.call("never", {"number": 1}, timeout_seconds=0.01)
        await cancelled.wait()
        assert client.calls()[0].outcome == "timed_out"


async def test_a_call_whose_task_is_cancelled_stops_the_tool_and_nothing_else(toolbox):
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def never(number: int) -> dict[str, Any]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return {}

    async with ToolClient(toolbox(never=never, echo=echo)) as client:
        call = asyncio.create_task(client.call("never", {"number": 1}))
        await begun.wait()
        call.cancel()
        await asyncio.wait({call})
        assert call.cancelled()
        await stopped.wait()
        assert await client.call("echo", {"number": 2}) == {"number": 2}


@pytest.mark.parametrize(
    "error",
    [
        SandboxUnavailable("no sandbox", advice="install one"),
        StoreFull("the disk is full"),
        ToolFailure("no such file"),
    ],
)
async def test_an_error_of_a_tool_keeps_its_type_message_and_advice(toolbox, error):
    async with ToolClient(toolbox(act=failing(error))) as client:
        with pytest.raises(type(error)) as caught:
            await client.call("act", {"number": 1})
    assert type(caught.value) is type(error)
    assert (caught.value.message, caught.value.advice) == (error.message, error.advice)
    assert caught.value.details["tool"] == "act"


async def test_any_other_error_is_a_tool_failure(toolbox):
    async with ToolClient(toolbox(act=failing(UsageError("not so")))) as client:
        with pytest.raises(ToolFailure, match="not so") as caught:
            await client.call("act", {"number": 1})
    assert caught.value.details["error_type"] == "UsageError"


async def test_an_answer_outside_the_output_schema_is_a_failure(toolbox):
    async def lie(number: int) -> dict[str, Any]:
        return {"number": "seven"}

    async with ToolClient(toolbox(lie=lie)) as client:
        with pytest.raises(ToolFailure, match="outside its contract"):
            await client.call("lie", {"number": 1})


async def test_an_unknown_tool_is_a_failure_that_names_the_known_ones(toolbox):
    async with ToolClient(toolbox(echo=echo)) as client:
        with pytest.raises(ToolFailure, match="no tool 'ehco'") as caught:
            await client.call("ehco", {})
    assert "echo" in caught.value.advice


async def test_outside_its_context_a_client_calls_nothing(toolbox):
    client = ToolClient(toolbox(echo=echo))
    with pytest.raises(ToolFailure, match="outside"):
        await client.call("echo", {"number": 1})
    async with client:
        pass
    with pytest.raises(ToolFailure, match="outside"):
        await client.call("echo", {"number": 1})


async def test_a_client_may_be_closed_by_another_task_than_opened_it(toolbox):
    client = ToolClient(toolbox(echo=echo))
    await asyncio.create_task(client.__aenter__())
    assert await asyncio.create_task(client.call("echo", {"number": 3})) == {"number": 3}
    await asyncio.create_task(client.__aexit__(None, None, None))
