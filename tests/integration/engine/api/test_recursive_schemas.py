"""Schemas that contain themselves, and documents with broken references: told once, and told at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.openapi.tool_documents import ToolDocuments
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, ObservedProposal, Proposal
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.values.negative_requests import body_variants
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.tests.support.mcp.tool_session import make_services

pytestmark = pytest.mark.feature("T-20")
NODE: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 8},
        "left": {"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
    },
}
TREE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Trees", "version": "1"},
    "paths": {
        "/trees": {
            "get": {
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}},
                    }
                }
            }
        }
    },
    "components": {"schemas": {"Node": NODE}},
}


def test_a_component_that_contains_itself_is_broken_once() -> None:
    samples = SampleValues({"Node": NODE})
    leaf = {"name": "c", "children": []}
    body = {"name": "a", "left": {"name": "b", "left": None}, "children": [leaf]}
    found = list(body_variants({"$ref": "#/components/schemas/Node"}, body, samples))
    assert [one.place for one in found if one.kind == "max_length"] == [("name",)]
    assert {one.place[0] for one in found} == {"name", "left", "children"}
    assert max(len(one.place) for one in found) == 1


def test_a_problem_at_each_depth_of_an_answer_is_one_defect() -> None:
    api = api_from_document(TREE, path="trees.json")
    samples = SampleValues(api.components)
    operation = api.operations[0]
    proposal = Proposal(operation, "succeeds", "GET /trees", "success", {"method": "GET", "path": "/trees"})

    def told(answer: dict[str, Any]) -> str:
        verdict = find_violation(ObservedProposal(proposal, (HttpAnswer(200, {}, json.dumps(answer)),)), api, samples)
        assert verdict is not None
        return verdict.detail

    deep = {"name": "a", "children": [{"name": "b", "children": [{"name": 7}]}]}
    assert told({"name": 7}) == told({"name": "a", "children": [{"name": 7}]}) == told(deep)
    assert told({"name": "a", "children": "none"}) != told(deep)


@pytest.mark.feature("T-12")
async def test_broken_references_and_circular_paths_are_handed_on_with_their_lines(tmp_path: Path) -> None:
    services = make_services(tmp_path)
    text = "\n".join(
        [
            "openapi: 3.1.0",
            "info: {title: Broken, version: '1'}",
            "paths:",
            "  /a:",
            "    get:",
            "      responses:",
            "        '200':",
            "          description: ''",
            "          content:",
            "            application/json:",
            "              schema: {$ref: '#/components/schemas/Nowhere'}",
            "  /b:",
            "    $ref: '#/paths/~1b'",
            "",
        ]
    )
    (services.root / "broken.yaml").write_text(text)
    async with ToolClient(build_toolbox(services)) as tools:
        described = await ToolDocuments(tools.call).load("broken.yaml")
    assert {where for where, _ in described.problems} >= {"broken.yaml, line 11", "broken.yaml, line 13"}
    assert any("circle" in what for _, what in described.problems)
    assert described.places["GET", "/a"] == ("broken.yaml", (5, 5))
    assert (described.form, described.location, len(described.digest)) == ("openapi-3.1", "broken.yaml", 64)


@pytest.mark.feature("T-12")
async def test_a_large_document_comes_whole_through_the_tool(tmp_path: Path) -> None:
    services = make_services(tmp_path)
    paths = {f"/things/{number}": {"get": {"summary": "x" * 900, "responses": {}}} for number in range(400)}
    document = {"openapi": "3.0.3", "info": {"title": "Large", "version": "1"}, "paths": paths}
    (services.root / "large.json").write_text(json.dumps(document, indent=1))
    async with ToolClient(build_toolbox(services)) as tools:
        described = await ToolDocuments(tools.call).load("large.json")
    assert len(described.document["paths"]) == len(described.places) == 400


async def test_what_a_tool_of_others_answers_is_what_is_worked_with() -> None:
    asked: list[dict[str, Any]] = []

    async def other(name: str, arguments: Any) -> dict[str, Any]:
        asked.append({"name": name, **arguments})
        origin = {"location": "theirs.json", "digest": "0" * 64}
        return {"origin": origin, "spec_version": "3.1.0", "summary": {}, "document": TREE, "errors": []}

    described = await ToolDocuments(other).load("openapi.json")
    assert described.document == TREE
    assert asked == [{"name": "get_openapi_spec", "endpoint": "openapi.json", "whole": True}]
