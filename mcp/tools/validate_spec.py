"""`validate_test_spec`: a test spec against its schema and the quality rules (T-09); schemas as in the seed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from ...analysis.test_checks.spec_rules import quality_issues
from ...utils.error_formatter import SpecIssue, schema_issues
from ...utils.schema_registry import schema_for_spec, select_schema, spec_version, validator
from ..toolbox.cache import content_key
from ..toolbox.definition import ToolDefinition
from ..toolbox.services import ToolServices

INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec_json": {"type": "object", "description": "The test spec JSON"},
        "schema_type": {"type": "string", "enum": ["api", "unit", "integration", "e2e", "performance"]},
        "strict": {"type": "boolean", "default": True},
    },
    "required": ["spec_json", "schema_type"],
}
OUTPUT_SCHEMA: dict[str, Any] = {
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
}


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(check_spec, arguments["spec_json"], arguments["schema_type"], arguments["strict"])


def check_spec(spec: dict[str, Any], schema_type: str, strict: bool = True) -> dict[str, Any]:
    """Every error of a spec, as the tool answers it.

    Args:
        strict: whether a broken quality rule makes the spec invalid; it is a warning otherwise.
    """
    name = schema_for_spec(spec, schema_type)
    issues = schema_issues(validator(name).iter_errors(spec)) if name else []
    severity = "error" if strict else "warning"
    if name == select_schema(schema_type):
        issues += [replace(one, severity=severity) for one in quality_issues(spec, schema_type)]
    else:
        issues.append(_older(spec, schema_type))
    return {
        "valid": all(one.severity != "error" for one in issues),
        "errors": [one.to_dict() for one in issues],
        "suggestions": list(dict.fromkeys(f"{one.path}: {one.suggestion}" for one in issues if one.suggestion)),
    }


def _older(spec: dict[str, Any], schema_type: str) -> SpecIssue:
    message = f"version {spec_version(spec)} is an older form of {schema_type} specs"
    return SpecIssue(
        "$.schema_version", message, "warning", f"migrate it to {select_schema(schema_type)}", "older_form"
    )


TOOL = ToolDefinition(
    name="validate_test_spec",
    description="Validates a test specification JSON against its schema",
    input_schema=INPUT_SCHEMA,
    output_schema=OUTPUT_SCHEMA,
    run=_run,
    cache_key=lambda services, arguments: content_key(arguments),
    timeout_seconds=60.0,
)
