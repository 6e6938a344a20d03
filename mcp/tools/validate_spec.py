"""`validate_test_spec`: validates a test spec against its schema and the quality rules."""

from __future__ import annotations

from dataclasses import replace

from ...analysis.test_checks.spec_rules import quality_issues
from ...utils.error_formatter import SpecIssue, schema_issues
from ...utils.schema_registry import schema_for_spec, select_schema, spec_version, validator
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import TEXTS, array, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec


def _run(_: ToolServices | None, /, spec_json: Json, schema_type: str, strict: bool) -> Json:
    return check_spec(spec_json, schema_type, strict)


def check_spec(spec: Json, schema_type: str, strict: bool = True) -> Json:
    """Validates a spec and returns the tool's answer, with every error.

    Args:
        strict: whether a broken quality rule makes the spec invalid; it is a warning otherwise.
    """
    name = schema_for_spec(spec, schema_type)
    issues = schema_issues(validator(name).iter_errors(spec)) if name else []
    severity = "error" if strict else "warning"
    if name == select_schema(schema_type):
        issues += [replace(issue, severity=severity) for issue in quality_issues(spec, schema_type)]
    else:
        # The quality rules read the current form only.
        issues.append(_older_form_warning(spec, schema_type))
    return {
        "valid": all(issue.severity != "error" for issue in issues),
        "errors": [issue.to_dict() for issue in issues],
        "suggestions": list(dict.fromkeys(f"{issue.path}: {issue.suggestion}" for issue in issues if issue.suggestion)),
    }


def _older_form_warning(spec: Json, schema_type: str) -> SpecIssue:
    message = f"version {spec_version(spec)} is an older form of {schema_type} specs"
    return SpecIssue(
        "$.schema_version", message, "warning", f"migrate it to {select_schema(schema_type)}", "older_form"
    )


TOOL = ToolSpec(
    name="validate_test_spec",
    description="Validates a test specification JSON against its schema",
    input_schema={
        "type": "object",
        "properties": {
            "spec_json": {"type": "object", "description": "The test spec JSON"},
            "schema_type": string(enum=["api", "unit", "integration", "e2e", "performance"]),
            "strict": {"type": "boolean", "default": True},
        },
        "required": ["spec_json", "schema_type"],
    },
    output_schema={
        "type": "object",
        "properties": {
            "valid": {"type": "boolean"},
            "errors": array(
                {
                    "type": "object",
                    "properties": {
                        **strings("path", "message"),
                        "severity": string(enum=["error", "warning"]),
                    },
                }
            ),
            "suggestions": TEXTS,
        },
    },
    run=_run,
    cache_key=lambda services, arguments: content_key(arguments),
    audience="both",
    client_form=ClientForm(
        title="Validate a test spec",
        description="Validates a test specification JSON against its schema, and against the rules of good specs: "
        "every error with its JSON path, and what to do about it. Use it for specs that were written or "
        "edited by hand; those of generate_test_spec are valid already. strict=false turns broken "
        "quality rules into warnings. Nothing is run or written; takes milliseconds.",
        has_root=False,
        needs_project=False,
    ),
)
