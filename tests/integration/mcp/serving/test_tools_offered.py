"""What the server lists: tools with schemas and hints, prompts, resource templates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from testwright.tests.support.mcp.serving import ScriptedApplication, scripted_client

SEED = {
    "validate_test_spec": {
        "input": {
            "type": "object",
            "properties": {
                "spec_json": {"type": "object", "description": "The test spec JSON"},
                "schema_type": {"type": "string", "enum": ["api", "unit", "integration", "e2e", "performance"]},
                "strict": {"type": "boolean", "default": True},
            },
            "required": ["spec_json", "schema_type"],
        },
        "output": {
            "type": "object",
            "properties": {
                "valid": {"type": "boolean"},
                "errors": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "path": {"type": "string"},
                            "message": {"type": "string"},
                            "severity": {"type": "string", "enum": ["error", "warning"]},
                        },
                    },
                },
                "suggestions": {"type": "array", "items": {"type": "string"}},
            },
        },
    }
}
SIGNATURES = {
    "generate_test_spec": ["test_type", "target", "context"],
    "generate_tests_from_spec": ["spec_path", "framework"],
    "validate_test_spec": ["spec_json", "schema_type", "strict"],
    "validate_test_code": ["code_path", "framework", "check_syntax", "check_lint", "check_structure"],
    "run_tests": ["test_path", "options"],
    "analyze_test_results": ["results_path"],
    "get_codebase_context": ["query", "file_paths"],
    "get_ast_analysis": ["file_path"],
    "get_openapi_spec": ["endpoint"],
    "lint_code": ["file_path"],
    "check_syntax": ["file_path", "language"],
    "run_build": [],
}


@pytest.mark.feature("T-11", "T-12")
async def test_every_tool_of_the_feature_list_is_offered_with_its_signature(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, arguments in SIGNATURES.items():
        assert list(tools[name].input_schema["properties"])[: len(arguments)] == arguments, name
    assert {"generate_tests", "plan_tests", "get_report", "apply_tests", "list_runs", "resume_run"} <= set(tools)


@pytest.mark.feature("T-09")
async def test_the_schemas_that_the_seed_gives_are_offered_exactly(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, schemas in SEED.items():
        assert tools[name].input_schema == schemas["input"]
        assert tools[name].output_schema == schemas["output"]


@pytest.mark.feature("T-10")
async def test_the_frameworks_of_the_seed_come_first_among_those_that_can_be_validated(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    schema = tools["validate_test_code"].input_schema
    assert schema["properties"]["framework"]["enum"][:4] == ["pytest", "jest", "unittest", "playwright"]
    assert schema["required"] == ["code_path", "framework"]
    assert {name: schema["properties"][name]["default"] for name in ("check_syntax", "check_lint")} == {
        "check_syntax": True,
        "check_lint": True,
    }


@pytest.mark.feature("T-11")
async def test_schemas_are_valid_and_descriptions_say_when_and_at_what_cost(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        tools = (await client.list_tools()).tools
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None, tool.name
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.description is not None
        assert 100 <= len(tool.description) <= 1000, (tool.name, len(tool.description))
        assert tool.title
    assert len(json.dumps([one.model_dump(mode="json", exclude_none=True) for one in tools])) < 48_000


@pytest.mark.feature("T-11")
async def test_only_the_tool_that_changes_the_project_is_marked_destructive(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    assert [name for name, hint in hints.items() if hint and hint.destructive_hint] == ["apply_tests"]
    writing = {name for name, hint in hints.items() if hint and not hint.read_only_hint}
    assert writing == {
        "generate_tests",
        "generate_test_spec",
        "generate_tests_from_spec",
        "run_tests",
        "analyze_test_results",
        "resume_run",
        "cancel_run",
        "apply_tests",
    }
    assert [name for name, hint in hints.items() if hint and hint.open_world_hint] == ["get_openapi_spec"]


@pytest.mark.feature("B-10")
async def test_the_details_of_runs_are_resources_of_known_shapes(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        templates = {template.uri_template for template in (await client.list_resource_templates()).resource_templates}
        listed = (await client.list_resources()).resources
    for part in ("report.md", "report.json", "plan.json", "specs/{name}", "tests/{+path}", "events"):
        assert f"testwright://runs/{{run_id}}/{part}{{?cursor}}" in templates
    assert listed == []


@pytest.mark.feature("T-11")
async def test_prompts_for_the_common_jobs_name_the_tools_to_call(tmp_path: Path) -> None:
    async with scripted_client(ScriptedApplication(), tmp_path) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        prompts = (await client.list_prompts()).prompts
        for prompt in prompts:
            arguments = {argument.name: "src/shop/cart.py" for argument in prompt.arguments or ()}
            (message,) = (await client.get_prompt(prompt.name, arguments)).messages
            text = message.content.model_dump()["text"]
            assert any(name in text for name in tools), prompt.name
            if arguments:
                assert "src/shop/cart.py" in text
    assert {one.name for one in prompts} >= {"cover_module", "explain_suspected_defect", "review_generated_tests"}


@pytest.mark.feature("T-11")
async def test_the_server_says_which_roots_it_serves_and_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "bank").mkdir()
    async with scripted_client(ScriptedApplication(), tmp_path / "shop", tmp_path / "bank") as client:
        instructions = client.instructions or ""
    assert f"Served roots: shop ({tmp_path}/shop), bank ({tmp_path}/bank)." in instructions
    assert "generate_tests" in instructions
