"""The toolbox: the tools it lists, and how they answer (T-09, T-10, T-12, T-16)."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import threading
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from testwright.core.errors import ToolFailure
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.content_cache import ContentCache, content_key
from testwright.mcp.toolbox.json_schema import closed_object
from testwright.mcp.toolbox.registry import tools_for
from testwright.mcp.toolbox.tool_spec import ERROR_META, ToolSpec
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services, unit_case, unit_spec, write_files

GOOD_TEST = "from shop.cart import half\n\n\ndef test_half():\n    assert half(4) == 2\n"


@pytest.fixture
def services(tmp_path):
    return make_services(tmp_path)


async def test_the_built_in_tools_are_listed_with_the_schemas_they_declare(services):
    async with Client(build_toolbox(services)) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(listed) == sorted(tool.name for tool in tools_for("graphs"))
    for tool in tools_for("graphs"):
        assert listed[tool.name].input_schema == tool.input_schema
        assert listed[tool.name].output_schema == tool.output_schema
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        annotations = listed[tool.name].annotations
        assert annotations is not None
        assert annotations.read_only_hint == tool.read_only


@pytest.mark.parametrize("name", [tool.name for tool in tools_for("graphs")])
def test_a_tool_lives_in_a_file_of_its_own(name):
    file = {"validate_test_spec": "validate_spec", "validate_test_code": "validate_code"}.get(
        name, name.replace(".", "_")
    )
    assert importlib.import_module(f"testwright.mcp.tools.{file}").TOOL.name == name


@pytest.mark.feature("T-09")
async def test_validate_test_spec_has_the_seeds_schemas(services):
    async with ToolClient(build_toolbox(services)) as client:
        tool = client.tools()["validate_test_spec"]
        answer = await client.call("validate_test_spec", {"spec_json": unit_spec(), "schema_type": "unit"})
    assert tool.description == "Validates a test specification JSON against its schema"
    assert tool.input_schema["required"] == ["spec_json", "schema_type"]
    assert tool.input_schema["properties"]["schema_type"]["enum"] == [
        "api",
        "unit",
        "integration",
        "e2e",
        "performance",
    ]
    assert tool.input_schema["properties"]["strict"] == {"type": "boolean", "default": True}
    assert answer == {"valid": True, "errors": [], "suggestions": []}


@pytest.mark.feature("T-09", "T-06")
async def test_a_bad_spec_gets_all_its_errors_with_path_message_severity_and_fix(services):
    spec = unit_spec(framework="nose", cases=[unit_case(id="TC", act={"expression": "half("})])
    async with ToolClient(build_toolbox(services)) as client:
        answer = await client.call("validate_test_spec", {"spec_json": spec, "schema_type": "unit"})
        lenient = await client.call("validate_test_spec", {"spec_json": spec, "schema_type": "unit", "strict": False})
    assert answer["valid"] is False
    assert {error["path"] for error in answer["errors"]} == {
        "$.cases[0].act.expression",
        "$.cases[0].id",
        "$.framework",
    }
    assert all(error["message"] and error["suggestion"] for error in answer["errors"])
    assert {error["severity"] for error in answer["errors"]} == {"error"}
    assert sorted(error["severity"] for error in lenient["errors"]) == ["error", "error", "warning"]


@pytest.mark.feature("T-10")
async def test_validate_test_code_reads_staged_files_and_the_fixtures_around_them(services):
    write_files(
        services.run_folder.staged,
        {
            "tests/generated/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef four():\n    return 4\n",
            "tests/generated/test_half.py": "def test_half(four, two):\n    assert four / 2 == two\n",
        },
    )
    write_files(services.root, {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n"})
    async with ToolClient(build_toolbox(services)) as client:
        for path in ("tests/generated/test_half.py", "staged/tests/generated/test_half.py"):
            answer = await client.call("validate_test_code", {"code_path": path, "framework": "pytest"})
            assert answer["errors"] == []
            assert answer["valid"] is True


@pytest.mark.feature("T-16")
async def test_an_equal_validation_is_answered_from_the_cache_and_a_changed_file_is_not(services):
    async def validate(client: ToolClient) -> dict[str, Any]:
        return await client.call("validate_test_code", {"code_path": "tests/test_half.py", "framework": "pytest"})

    async with ToolClient(build_toolbox(services)) as client:
        write_files(services.run_folder.staged, {"tests/test_half.py": GOOD_TEST})
        first, second = await validate(client), await validate(client)
        write_files(services.run_folder.staged, {"tests/test_half.py": "import os\n" + GOOD_TEST})
        third = await validate(client)
        for _ in range(2):
            await client.call("validate_test_spec", {"spec_json": unit_spec(), "schema_type": "unit"})
        assert [call.cached for call in client.calls()] == [False, True, False, False, True]
    assert first == second
    assert third["valid"] is False


@pytest.mark.feature("T-16")
async def test_a_batch_is_answered_in_order_and_one_failure_takes_nothing_with_it(services):
    calls = [
        ("validate_test_spec", {"spec_json": unit_spec(), "schema_type": "unit"}),
        ("read_file", {"path": "nowhere.txt"}),
        ("validate_test_spec", {"spec_json": {}, "schema_type": "api"}),
    ]
    async with ToolClient(build_toolbox(services)) as client:
        good, missing, bad = await client.call_all(calls)
    assert isinstance(good, dict)
    assert good["valid"] is True
    assert isinstance(missing, ToolFailure)
    assert isinstance(bad, dict)
    assert bad["valid"] is False


async def test_arguments_are_checked_by_the_server_too(services):
    async with Client(build_toolbox(services)) as client:
        result = await client.call_tool("write_file", {"pth": "x"})
    assert result.is_error
    told = (result.meta or {})[ERROR_META]
    assert told["type"] == "ToolInputError"
    assert "$.path" in told["message"]
    assert "rename it to 'path'" in told["advice"]


async def test_an_unexpected_error_of_a_tool_is_hidden_from_the_caller(services, caplog):
    async def crash(services, /, **arguments):
        raise KeyError("the secret")

    broken = ToolSpec("broken", closed_object(), closed_object(), crash, "Breaks.")
    async with ToolClient(build_toolbox(services, [broken])) as client:
        with caplog.at_level(logging.CRITICAL, logger="mcp"), pytest.raises(ToolFailure) as caught:
            await client.call("broken", {})
    assert "secret" not in json.dumps([str(caught.value), caught.value.details])


async def test_a_tool_that_works_long_leaves_the_event_loop_free(services):
    released = threading.Event()

    async def work(services, /, **arguments):
        await asyncio.to_thread(released.wait)
        return {}

    slow = ToolSpec("slow", closed_object(), closed_object(), work, "Waits.")
    async with ToolClient(build_toolbox(services, [slow])) as client:
        call = asyncio.create_task(client.call("slow", {}))
        try:
            assert (await asyncio.wait_for(asyncio.to_thread(lambda: 1), 60)) == 1
            assert not call.done()
        finally:
            released.set()
        assert await call == {}


def test_building_a_toolbox_leaves_the_hosts_logging_alone(services):
    before = list(logging.getLogger().handlers)
    build_toolbox(services)
    assert logging.getLogger().handlers == before


def test_the_cache_drops_the_least_recently_used_result_and_returns_copies():
    cache = ContentCache(capacity=2)
    cache.put("a", {"list": [1]})
    cache.put("b", {})
    taken = cache.get("a")
    assert taken is not None
    taken["list"].append(2)
    cache.put("c", {})
    assert cache.get("b") is None
    assert cache.get("a") == {"list": [1]}
    assert len(cache) == 2


def test_keys_depend_on_content_and_not_on_the_order_of_properties():
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    assert content_key({"a": 1}) != content_key({"a": "1"})
