"""`validate_test_spec`: validates a test spec against its schema and the quality rules."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from ...analysis.test_checks.spec_rules import quality_issues
from ...core.errors import ToolInputError
from ...utils.error_formatter import MAX_ISSUES, SpecIssue, schema_issues
from ...utils.json_bounds import MAX_DEPTH, is_within
from ...utils.schema_registry import schema_for_spec, select_schema, spec_version, validator
from ..toolbox.content_cache import content_key
from ..toolbox.json_schema import TEXTS, array, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_MAX_LISTED = 50
_MAX_VALUES = 100_000
"""More would be validated for longer than a few seconds, which goes on when the caller has left."""


def _run(services: ToolServices | None, /, spec_json: Json, schema_type: str, strict: bool) -> Json:
    """Validates a test specification JSON against its schema"""
    # A repair in a run needs every error; clients, which have no services, read the first ones.
    return check_spec(spec_json, schema_type, strict, limit=MAX_ISSUES if services else _MAX_LISTED)


def check_spec(spec: Json, schema_type: str, strict: bool = True, *, limit: int = _MAX_LISTED) -> Json:
    """Validates a spec and returns the tool's answer.

    Args:
        strict: whether a broken quality rule makes the spec invalid; it is a warning otherwise.
        limit: how many errors are listed; those left out are counted, up to 1,000.

    Raises:
        ToolInputError: the spec is too large to be validated in a few seconds.
    """
    if not is_within(spec, values=_MAX_VALUES):
        raise ToolInputError(
            f"the spec holds more than {_MAX_VALUES} values, or is nested more than {MAX_DEPTH} levels deep",
            advice="split it: specs of some hundred cases are usual",
        )
    name = schema_for_spec(spec, schema_type)
    issues = schema_issues(validator(name).iter_errors(spec)) if name else []
    severity = "error" if strict else "warning"
    if name == select_schema(schema_type):
        found = islice(quality_issues(spec, schema_type), MAX_ISSUES)
        issues += [replace(issue, severity=severity) for issue in found]
    else:
        # The quality rules read the current form only.
        issues.append(_older_form_warning(spec, schema_type))
    listed = sorted(issues, key=lambda issue: issue.severity != "error")[:limit]
    # The published schema of the answer does not name the count, and allows it.
    left_out = {"errors_left_out": len(issues) - len(listed)} if len(issues) > len(listed) else {}
    return {
        "valid": all(issue.severity != "error" for issue in issues),
        "errors": [issue.to_dict() for issue in listed],
        "suggestions": list(dict.fromkeys(f"{issue.path}: {issue.suggestion}" for issue in listed if issue.suggestion)),
        **left_out,
    }


def _older_form_warning(spec: Json, schema_type: str) -> SpecIssue:
    message = f"version {spec_version(spec)} is an older form of {schema_type} specs"
    return SpecIssue(
        "$.schema_version", message, "warning", f"migrate it to {select_schema(schema_type)}", "older_form"
    )


TOOL = ToolSpec(
    name="validate_test_spec",
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
        "the first 50 errors with their JSON paths, and what to do about them. Use it for specs that were written or "
        "edited by hand; those of generate_test_spec are valid already. strict=false turns broken "
        "quality rules into warnings. Nothing is run or written; takes milliseconds.",
        has_root=False,
        needs_project=False,
    ),
)
