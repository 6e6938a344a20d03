"""Every schema accepts its valid examples, and refuses each invalid one for the one thing it breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from testwright.utils.error_formatter import schema_issues
from testwright.utils.schema_registry import CORE_SCHEMA, bundle, load_schema, schema_names, validator

DATA = Path(__file__).resolve().parents[2] / "data" / "schemas"
OURS = [name for name in schema_names() if name != CORE_SCHEMA and not name.startswith("schemas/report")]


def _folder(name: str) -> Path:
    return DATA / name.removeprefix("schemas/").removesuffix(".json")


def _examples(name: str, kind: str) -> list[tuple[str, Any]]:
    return [(path.stem, json.loads(path.read_text())) for path in sorted((_folder(name) / kind).glob("*.json"))]


@pytest.mark.feature("T-08")
@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_draft_2020_12_and_has_an_id_of_ours(name):
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:testwright:schema:")


def test_no_two_schemas_share_an_id():
    ids = [load_schema(name)["$id"] for name in schema_names()]
    assert len(set(ids)) == len(ids)


@pytest.mark.feature("T-08", "A-01")
@pytest.mark.parametrize("name", OURS)
def test_valid_examples_are_accepted(name):
    examples = _examples(name, "valid")
    assert examples
    for stem, example in examples:
        assert schema_issues(validator(name).iter_errors(example)) == [], stem


@pytest.mark.feature("T-08", "A-01")
@pytest.mark.parametrize("name", OURS)
def test_an_invalid_example_is_refused_for_the_one_thing_it_breaks(name):
    examples = _examples(name, "invalid")
    assert len(examples) >= 2
    for stem, example in examples:
        issues = schema_issues(validator(name).iter_errors(example))
        assert [issue.rule for issue in issues] == [stem.partition("__")[0]], (stem, issues)
        assert issues[0].message
        assert issues[0].path.startswith("$")


@pytest.mark.parametrize("name", OURS)
def test_a_bundled_schema_stands_alone_and_judges_alike(name):
    alone = Draft202012Validator(bundle(name), format_checker=Draft202012Validator.FORMAT_CHECKER)
    assert "urn:testwright:schema:core" not in json.dumps(bundle(name)).replace(
        json.dumps(load_schema(name)["$id"]), ""
    )
    for _, example in _examples(name, "valid"):
        assert not list(alone.iter_errors(example))
    for stem, example in _examples(name, "invalid"):
        assert list(alone.iter_errors(example)), stem


def test_the_examples_belong_to_schemas():
    folders = {path.parent.parent for path in DATA.rglob("*.json")}
    assert folders == {_folder(name) for name in OURS}
