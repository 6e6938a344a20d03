"""Finds agents' contracts by role, and validates values against their schemas."""

from __future__ import annotations

from typing import Any

from ...utils.error_formatter import schema_issues
from ...utils.schema_registry import contract, load_schema, validator
from .lifecycle import AgentContract
from .protocol import JsonObject


def contract_violations(schema: str, value: Any) -> list[JsonObject]:
    """List the violations of a schema in `value`, each with `path`, `message`, `severity`, `suggestion`.

    Args:
        schema: its path in the repository, such as `schemas/writer/input.json`.

    Raises:
        UsageError: there is no such schema.
    """
    return [{**issue.to_dict()} for issue in schema_issues(validator(schema).iter_errors(value))]


def contract_of(role: str) -> AgentContract:
    """Return the contract of an agent that has a folder in `schemas/`. Raises UsageError when it has none."""
    return AgentContract(
        validate=contract_violations, input_schema=contract(role, "input"), output_schema=contract(role, "output")
    )


def schema_id(schema: str) -> str:
    """Return the `$id` of a schema, by its path in the repository. Raises UsageError when there is none."""
    return str(load_schema(schema)["$id"])
