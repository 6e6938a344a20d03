"""`make check` refuses a schema that accepts less than it did, unless it has a version of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from testwright.tests.support.compatible_schemas import ROOT, incompatibilities, main

SCHEMA: dict[str, Any] = {
    "$id": "urn:case:1",
    "type": "object",
    "additionalProperties": False,
    "properties": {"title": {"type": "string"}, "rows": {"type": "integer"}},
}


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A repository with one schema."""
    write(tmp_path, SCHEMA)
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    return tmp_path


def write(root: Path, schema: dict[str, Any]) -> None:
    (root / "schemas").mkdir(exist_ok=True)
    (root / "schemas/case.json").write_text(json.dumps(schema))


@pytest.mark.feature("T-08")
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"properties": {**SCHEMA["properties"], "more": {"type": "string"}}}, []),
        ({"required": ["title"]}, ["schemas/case.json: $: 'title' is required now"]),
        ({"required": ["title"], "$id": "urn:case:2"}, []),
    ],
    ids=["unchanged", "allows more", "refuses more", "another version"],
)
def test_a_schema_that_refuses_more_needs_another_version(
    committed: Path, change: dict[str, Any], found: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write(committed, {**SCHEMA, **change})
    assert list(incompatibilities(committed, "HEAD")) == found
    assert main([], committed) == (1 if found else 0)
    assert capsys.readouterr().err.strip() == "\n".join(found)


@pytest.mark.feature("T-08")
def test_a_schema_that_is_gone_is_named(committed: Path) -> None:
    (committed / "schemas/case.json").unlink()
    assert list(incompatibilities(committed, "HEAD")) == [
        "schemas/case.json: it is gone, and what names it is not valid any more"
    ]


@pytest.mark.feature("T-08")
def test_the_check_of_the_project_compares_its_schemas() -> None:
    assert "testwright.tests.support.compatible_schemas" in (ROOT / "Makefile").read_text().partition("\ncheck:")[2]
