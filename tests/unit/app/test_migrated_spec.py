"""Specs of an older version come to the current form, and every example that is shipped is valid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.app.service import migrated_spec
from testwright.core.errors import UsageError
from testwright.mcp.tools.validate_spec import check_spec
from testwright.tests.support.runs.command_line import invoke_command

EXAMPLES = Path(__file__).parents[3] / "docs/schemas/examples"
OLD = next(EXAMPLES.glob("api_test_schema_v1*"))
SPECS = sorted(path for path in EXAMPLES.glob("*_test_schema_*") if "api_test_schema_v1" not in path.name)


@pytest.mark.feature("T-08")
def test_an_older_spec_is_valid_once_it_is_migrated() -> None:
    made = migrated_spec(json.loads(OLD.read_text()))
    assert (made["from_version"], made["to_version"], made["valid"]) == ("1.0.0", "2.0.0", True)
    assert check_spec(made["spec_json"], "api", strict=False)["valid"]


@pytest.mark.feature("T-08")
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_example_passes_the_validator_that_is_shipped(path: Path) -> None:
    spec = json.loads(path.read_text())
    found = check_spec(spec, spec["test_type"], strict=True)
    assert found["valid"], found["errors"]


@pytest.mark.feature("T-08")
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_current_spec_stays_as_it_is(path: Path) -> None:
    spec = json.loads(path.read_text())
    assert migrated_spec(spec)["spec_json"] == spec


@pytest.mark.feature("T-08")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"title": "what am I"}, "names no known test type"),
        ({"schema_version": "1.0.0", "suite": "s"}, "is not valid in the form 1.0.0"),
        ({"schema_version": "9.0.0", "test_type": "api"}, "cannot be brought to version"),
    ],
)
def test_what_cannot_be_migrated_is_refused_with_advice(spec: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        migrated_spec(spec)
    assert error.value.advice


@pytest.mark.feature("T-08")
def test_the_command_prints_the_migrated_spec(tmp_path: Path) -> None:
    done = invoke_command("schemas", "migrate", str(OLD), cwd=tmp_path)
    assert (done.code, json.loads(done.out)["schema_version"]) == (0, "2.0.0")
    refused = invoke_command("schemas", "migrate", cwd=tmp_path)
    assert refused.code == 2
    assert "Name its file" in refused.err
