"""The product's server factory, transport and middleware, with what the conformance suite asks for by name.

`python -m testwright.tests.support.mcp.conformance_server` listens on a free port of loopback and says which.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.server import MCPServer
from mcp.types import Completion, EmptyResult, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams

from testwright.mcp.sdk import new_server
from testwright.mcp.serving.transport.http_server import serve_http
from testwright.mcp.serving.transport.options import HttpOptions
from testwright.tests.support.mcp import conformance_fixtures as fixtures
from testwright.tests.support.mcp.conformance_rounds import diagnostic_tools, round_prompts, round_tools


def conformance_server() -> MCPServer[Any]:
    """The factory's server with the fixtures; level and subscriptions are accepted and change nothing."""
    server = new_server(
        "conformance",
        version="1",
        tools=[*fixtures.fixture_tools(), *round_tools(), *diagnostic_tools()],
        prompts=[*fixtures.fixture_prompts(), *round_prompts()],
        resources=fixtures.fixture_resources(),
        templates=fixtures.fixture_templates(),
    )

    @server.completion()
    async def complete(*_: Any) -> Completion:
        return Completion(values=["paris", "park", "party"], total=3, has_more=False)

    async def accept(*_: Any) -> EmptyResult:
        return EmptyResult()

    low = server._lowlevel_server
    low.add_request_handler("logging/setLevel", SetLevelRequestParams, accept)
    low.add_request_handler("resources/subscribe", SubscribeRequestParams, accept)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, accept)
    return server


if __name__ == "__main__":
    asyncio.run(serve_http(conformance_server(), HttpOptions()))
