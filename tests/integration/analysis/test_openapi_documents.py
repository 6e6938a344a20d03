"""How documents are read, joined and checked: bounds, references of every kind, versions (T-12)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.openapi.document_analysis import DocumentAnalysis, analyze_document
from testwright.analysis.openapi.document_rules import structure_problems
from testwright.analysis.openapi.documents import gather, locate, read_document
from testwright.analysis.openapi.lookup import ProjectFiles
from testwright.analysis.openapi.problems import Problem, UnreadableDocument
from testwright.analysis.openapi.tool_answer import resolve
from testwright.analysis.openapi.tree import lines_of, read_tree
from testwright.tests.support.mcp.tool_session import write_files

pytestmark = pytest.mark.feature("T-12")
INFO = {"title": "T", "version": "1"}
FINE = {"200": {"description": "fine"}}


async def reading(folder: Path, files: dict[str, Any]) -> DocumentAnalysis:
    """What is known of the first file; values are written as JSON."""
    written = {name: file if isinstance(file, str) else json.dumps(file) for name, file in files.items()}
    source = ProjectFiles(write_files(folder / "api", written))
    name = next(iter(files))
    return analyze_document(await gather(read_document(name, await source.read(name)), source))


def messages(read_one: DocumentAnalysis) -> list[tuple[str, str]]:
    return [(problem.rule, problem.message) for problem in read_one.problems]


def document(version: str = "3.1.0", **more: Any) -> dict[str, Any]:
    return {"openapi": version, "info": INFO, "paths": {}, **more}


def test_yaml_is_read_as_version_1_2_says():
    text = "a: [on, yes, 2026-11-22, 0x1F, 0o17, 1e3, ~, .5, 012, '7', !!str 8, 1_000, 1:30]\n200: true\nnull: x\n"
    assert read_tree(text).value == {
        "a": ["on", "yes", "2026-11-22", 31, 15, 1000.0, None, 0.5, 12, "7", "8", "1_000", "1:30"],
        "200": True,
        "null": "x",
    }


def test_aliases_and_merge_keys_are_followed():
    text = "base: &base {a: 1, b: 2}\none: {<<: *base, b: 3}\ntwo: {<<: [*base, {c: 4}]}\nthree: *base\n"
    value = read_tree(text).value
    assert (value["one"], value["two"], value["three"]) == (
        {"b": 3, "a": 1},
        {"a": 1, "b": 2, "c": 4},
        {"a": 1, "b": 2},
    )


def bomb() -> str:
    lines = ["a: &a [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"{two}: &{two} [{', '.join([f'*{one}'] * 10)}]" for one, two in zip("abcdefgh", "bcdefghi", strict=True)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bomb(), "expand beyond all measure"),
        ("a: &a [*a]", "contains itself"),
        ("a: *b", "has no anchor"),
        ("[" * 5000, "nested deeper"),
        ("a: " + "[" * 500, "nested deeper"),
        ('{"a":' * 150 + "1" + "}" * 150, "nested deeper"),
        ("? [a]\n: b", "not plain text"),
        ("a: !!python/object/apply:os.system [x]\nb: [", "not YAML"),
        ('{"a": ' + "9" * 5000 + "}", "is not read"),
    ],
)
def test_text_beyond_all_measure_is_refused_before_it_is_built(text, message):
    with pytest.raises(UnreadableDocument) as refused:
        read_tree(text)
    assert message in refused.value.problem.message


def test_tags_make_no_objects():
    assert read_tree("a: !!python/object/apply:os.getcwd []\nb: !thing x").value == {"a": [], "b": "x"}


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_places_are_found_in_the_text(form):
    value = {"a": {"b/~": [1, {"c": "x\ny"}]}, 'q"': [[], [2]]}
    text = (
        json.dumps(value, indent=1)
        if form == "json"
        else 'a:\n  b/~:\n    - 1\n    - c: "x\\ny"\n\'q"\':\n  - []\n  -\n    - 2\n'
    )
    wanted = [("a", "b/~", 1, "c"), ('q"', 1, 0), ("a", "missing", 3), ()]
    found = lines_of(text, form, wanted)
    assert read_tree(text).value == value
    expected = {"json": [6, 13, 2, 1], "yaml": [4, 8, 1, 1]}[form]
    assert [found[one] for one in wanted] == expected


@pytest.mark.parametrize(
    ("base", "reference", "place"),
    [
        ("api/a.yaml", "#/x/~1y%20z", ("api/a.yaml", "/x/~1y z")),
        ("api/a.yaml", "b/c.json#/d", ("api/b/c.json", "/d")),
        ("api/a.yaml", "../common%20parts.yaml", ("common parts.yaml", "")),
        ("a.yaml", "http://h/x.json#/y", ("http://h/x.json", "/y")),
        ("http://h/api/a.yaml", "../b.yaml#/c", ("http://h/b.yaml", "/c")),
    ],
)
def test_references_are_located_from_the_document_they_stand_in(base, reference, place):
    assert locate(base, reference) == place


async def test_names_of_other_documents_never_hide_those_of_the_root(tmp_path):
    schemas = {"Pet": {"type": "string"}, "A": {"$ref": "one.json#/Pet"}, "B": {"$ref": "two.json#/Pet"}}
    files = {
        "api.json": document(components={"schemas": schemas}),
        "one.json": {"Pet": {"type": "integer"}},
        "two.json": {"Pet": {"type": "array", "items": {"$ref": "#/Pet"}}},
    }
    found = await reading(tmp_path, files)
    assert found.problems == ()
    assert found.value is not None
    known = found.value["components"]["schemas"]
    assert known["Pet"] == {"type": "string"}
    assert (known["A"], known["B"]) == ({"$ref": "#/components/schemas/Pet_2"}, {"$ref": "#/components/schemas/Pet_3"})
    assert found.circular == ("#/components/schemas/Pet_3",)


async def test_files_that_refer_to_each_other_end(tmp_path):
    files = {
        "api.json": document(components={"schemas": {"A": {"$ref": "other.json"}}}),
        "other.json": {"type": "object", "properties": {"back": {"$ref": "api.json#/components/schemas/A"}}},
    }
    found = await reading(tmp_path, files)
    assert found.problems == ()
    assert found.circular == ("#/components/schemas/A", "#/components/schemas/other")
    assert found.value is not None
    part = resolve(found.value, ("components", "schemas", "A"), limit=10_000)
    assert part is not None
    back = part.value["properties"]["back"]
    assert back["$ref"] in found.circular
    assert part.kept


async def test_path_items_that_lead_in_circles_are_told_and_left(tmp_path):
    found = await reading(
        tmp_path, {"api.json": document(paths={"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}})}
    )
    assert {rule for rule, _ in messages(found)} == {"reference"}
    assert "never to a path item" in messages(found)[0][1]


async def test_anchors_and_ids_are_references_too(tmp_path):
    schemas = {
        "Tree": {"$anchor": "tree", "type": "object"},
        "Leaf": {"$id": "https://schemas.example/leaf", "type": "string"},
        "ByAnchor": {"$ref": "#tree"},
        "ById": {"$ref": "https://schemas.example/leaf"},
        "Nowhere": {"$ref": "#nothing"},
    }
    found = await reading(tmp_path, {"api.json": document(components={"schemas": schemas})})
    assert found.value is not None
    assert found.value["components"]["schemas"]["ByAnchor"] == {"$ref": "#/components/schemas/Tree"}
    assert found.value["components"]["schemas"]["ById"] == {"$ref": "#/components/schemas/Leaf"}
    assert messages(found) == [("reference", "the reference '#nothing' leads to nothing")]


async def test_schemas_of_3_1_are_checked_as_json_schema(tmp_path):
    schemas = {"A": {"type": "strin"}, "B": {"properties": {"c": {"minLength": "3", "nullable": True}}}, "C": True}
    found = await reading(tmp_path, {"api.json": document(components={"schemas": schemas})})
    assert [(problem.rule, problem.parts) for problem in found.problems] == [
        ("enum", ("components", "schemas", "A", "type")),
        ("type", ("components", "schemas", "B", "properties", "c", "minLength")),
    ]


@pytest.mark.parametrize("part", ["paths", "components", "webhooks"])
async def test_one_of_the_three_parts_of_3_1_is_enough(tmp_path, part):
    found = await reading(tmp_path, {"api.json": {"openapi": "3.1.1", "info": INFO, part: {}}})
    assert found.problems == ()


async def test_a_reference_into_a_schema_that_stands_in_it_is_no_circle(tmp_path):
    schema = {"$defs": {"x": {"type": "integer"}}, "properties": {"a": {"$ref": "#/components/schemas/A/$defs/x"}}}
    found = await reading(tmp_path, {"api.json": document(components={"schemas": {"A": schema}})})
    assert (found.problems, found.circular) == ((), ())


async def test_newer_methods_count_as_operations(tmp_path):
    item = {
        "query": {"operationId": "q", "responses": FINE},
        "additionalOperations": {"LOCK": {"operationId": "q", "responses": FINE}},
    }
    found = await reading(tmp_path, {"api.json": document("3.2.0", paths={"/a": item})})
    assert messages(found) == [("operation_id", "the operationId 'q' is that of QUERY /a already")]


async def test_what_no_schema_can_say_is_checked(tmp_path):
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    links = {"next": {"operationId": "nobody"}}
    paths = {
        "/a/{id}/{id}": {"parameters": [parameter], "get": {"responses": FINE}},
        "/b": {
            "get": {
                "responses": {"200": {"description": "fine", "links": links}},
                "security": [{"key": [], "none": []}],
            }
        },
    }
    more = {
        "tags": [{"name": "t"}, {"name": "t", "description": "again"}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "basic"}}},
    }
    found = await reading(tmp_path, {"api.json": document("3.0.3", paths=paths, **more)})
    assert sorted((problem.rule, problem.severity) for problem in found.problems) == [
        ("link", "warning"),
        ("path", "error"),
        ("security", "error"),
        ("tag", "error"),
    ]


def test_a_document_too_large_to_be_checked_in_time_says_so():
    large = document("3.0.3", paths={f"/{number}": {"get": {"responses": FINE}} for number in range(20)})
    assert [problem.severity for problem in structure_problems(large, "3.0", seconds=0)] == ["warning"]
    assert structure_problems(large, "3.0") == []


def test_a_problem_is_told_with_its_path_and_document():
    problem = Problem("no", ("paths", "/a", "get", "parameters", 0), "x").at("api.yaml", 7)
    assert problem.to_dict() == {
        "path": '$.paths["/a"].get.parameters[0]',
        "message": "no",
        "severity": "error",
        "rule": "x",
        "suggestion": "",
        "document": "api.yaml",
        "line": 7,
    }
