"""`migrate_test_spec`: brings a test spec of an older form to the current one."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.errors import ToolInputError, UsageError
from ....utils.schema_registry import known_test_types, migrate, schema_for_spec, spec_version, validator, versions
from ...toolbox.json_schema import closed_object, open_object, string
from ...toolbox.tool_spec import Json, ToolSpec
from ...tools.validate_spec import check_spec
from ..context import ClientCall


def migrated_spec(spec: Mapping[str, object], test_type: str | None = None) -> Json:
    """Bring a spec to the current form of its test type, and validate it there.

    Args:
        test_type: of a spec that does not say it; a spec of the first form of API specs does not.

    Returns:
        `spec_json`, `from_version`, `to_version` and `valid`, with `errors` where it breaks rules of the current form.

    Raises:
        ToolInputError: its type is not known, it is not valid in the form it names, or no way leads to the current one.
    """
    kind = str(
        spec.get("test_type") or test_type or ("api" if spec_version(spec) == "1.0.0" and "suite" in spec else "")
    )
    if kind not in known_test_types():
        raise ToolInputError("the spec names no known test type", advice=f"say which: {', '.join(known_test_types())}")
    given: Json = dict(spec)
    current, found = versions(kind)[-1], spec_version(spec)
    name = schema_for_spec(spec, kind)
    problem = next(iter(validator(name).iter_errors(given)), None) if name and found in versions(kind) else None
    if problem is not None:
        raise ToolInputError(
            f"the spec is not valid in the form {found} that it names: {problem.json_path}: {problem.message[:300]}",
            advice="mend it with validate_test_spec, then migrate it",
        )
    try:
        migrated = migrate(spec, current, test_type=kind)
    except UsageError as error:
        raise ToolInputError(error.message, advice=error.advice) from error
    checked = check_spec(migrated, kind, strict=False)
    return {
        "spec_json": migrated,
        "from_version": found,
        "to_version": current,
        "valid": checked["valid"],
        "errors": checked["errors"],
    }


def _run(call: ClientCall, /, spec_json: Json, schema_type: str | None = None) -> Json:
    """Brings a test specification of an older version to the current form of its test type, and validates it there;
    what it says is kept, what it cannot say gets the newer form's default. Use it when validate_test_spec warns of an
    older form. The given spec stays as it is; nothing is written or run, and it takes milliseconds.
    """
    return migrated_spec(spec_json, schema_type)


TOOL = ToolSpec(
    name="migrate_test_spec",
    title="Migrate a test spec",
    audience="clients",
    input_schema=closed_object(
        ["spec_json"],
        spec_json={"type": "object", "description": "The test spec JSON"},
        schema_type=string(enum=list(known_test_types()), description="Of a spec that does not say it"),
    ),
    output_schema=open_object(
        ["spec_json", "from_version", "to_version", "valid"],
        spec_json={"type": "object"},
        from_version=string(),
        to_version=string(),
        valid={"type": "boolean"},
    ),
    run=_run,
)
