"""5,000 calls from the tools' schemas and against them, and frames of any kind: every error is one that was meant."""

import json
import os
import random
from collections import Counter

import pytest
from mcp import Client, MCPError

from testwright.mcp.toolbox.tool_spec import ERROR_META
from testwright.tests.support.mcp.fuzzing import broken, fitting, frames
from testwright.tests.support.mcp.processes import PRODUCT, over_stdio
from testwright.tests.support.mcp.raw_messages import INITIALIZED, call, initialize, request
from testwright.tests.support.mcp.serving import data, quick_project, real_server

pytestmark = pytest.mark.feature("T-11")
CALLS, OVER_STDIO, FRAMES = 5000, 300, 500
COSTLY = {
    "generate_tests",
    "generate_test_spec",
    "generate_tests_from_spec",
    "run_tests",
    "run_build",
    "plan_tests",
    "resume_run",
    "analyze_test_results",
    "get_openapi_spec",
}
"""Tools whose good calls take long: few of those are made."""
FEW = 3


def calls(tools, count, seed):
    """Names and arguments: each tool in turn, mostly broken ones."""
    rng, good = random.Random(seed), Counter()
    for number in range(count):
        tool = tools[number % len(tools)]
        arguments = fitting(rng, tool.input_schema)
        is_good = rng.random() < 0.3 and (tool.name not in COSTLY or good[tool.name] < FEW)
        if is_good:
            good[tool.name] += 1
        else:
            arguments = broken(rng, arguments)
            # What is left out might leave a good call.
            arguments["surplus"] = None if tool.name in COSTLY else arguments.get("surplus")
        if "wait_seconds" in arguments and is_good:
            arguments["wait_seconds"] = 1
        yield tool.name, arguments


async def test_every_answer_of_a_tool_fits_its_schema_or_is_an_error_that_was_meant(tmp_path):
    async with real_server([quick_project(tmp_path / "small")]) as server, Client(server) as client:
        tools = (await client.list_tools()).tools
        for name, arguments in calls(tools, CALLS, seed=1):
            result = await client.call_tool(name, arguments)
            if result.is_error:
                error = (result.meta or {})[ERROR_META]
                assert "defect" not in error["details"], (name, arguments, error)
                assert error["message"], (name, arguments)
                assert len(json.dumps(error)) < 200_000, (name, len(json.dumps(error)))
        assert data(await client.call_tool("list_runs", {}))["runs"] is not None


async def test_unknown_names_of_tools_prompts_and_resources_are_errors_of_the_protocol(tmp_path):
    rng = random.Random(2)
    async with real_server([quick_project(tmp_path / "small")]) as server, Client(server) as client:
        for _ in range(100):
            text = fitting(rng, {"type": "string"})
            for ask in (client.call_tool, client.get_prompt, client.read_resource):
                with pytest.raises((MCPError, ValueError)):
                    await ask(text)
        assert (await client.list_tools()).tools


def test_a_stdio_server_answers_each_request_and_survives_every_frame(tmp_path):
    rng = random.Random(3)
    with over_stdio(PRODUCT, "--root", str(quick_project(tmp_path / "small"))) as served:
        stdin = served.process.stdin
        assert stdin is not None
        served.send(initialize("opening"))
        served.answer("opening")
        served.send(INITIALIZED)
        for number, frame in enumerate(frames(rng, FRAMES)):
            stdin.flush()
            os.write(stdin.fileno(), frame + b"\n")
            if number % 25 == 0:
                served.send(request("ping", request_id=f"alive {number}"))
                assert served.answer(f"alive {number}")["result"] == {}
        names = ("check_syntax", "lint_code", "validate_test_spec", "get_report", "run_status", "list_runs")
        for number in range(OVER_STDIO):
            arguments = broken(rng, {"file_path": "src/small/numbers.py", "language": "python", "run_id": "x"})
            served.send(call(rng.choice(names), arguments, f"call {number}"))
            answer = served.answer(f"call {number}")
            assert "result" in answer or answer["error"]["code"] == -32602, answer
        assert served.process.poll() is None
    assert "Traceback" not in "\n".join(served.log.lines)
