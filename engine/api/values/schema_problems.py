"""Tells why a value does not fit a schema of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing.exceptions import Unresolvable


def problem_of(value: Any, schema: Any, components: Mapping[str, Any]) -> str | None:
    """Return why a value is invalid, with its location; None where it is valid or the schema itself is invalid.

    Args:
        components: schemas that references name.
    """
    if schema is True or schema is None:
        return None
    root = dict(schema) if isinstance(schema, Mapping) else {"not": {}} if schema is False else {}
    validator = Draft202012Validator({**root, "components": {"schemas": components}})
    try:
        error = next(iter(sorted(validator.iter_errors(value), key=_place)), None)
    except (SchemaError, ValidationError, RecursionError, ValueError, TypeError, AttributeError, Unresolvable):
        return None  # the schema itself is at fault, or a reference in it leads nowhere
    if error is None:
        return None
    place = "/".join(str(part) for part in error.absolute_path)
    return f"{place or 'the answer'}: {error.message[:200]}"


def _place(error: ValidationError) -> tuple[int, str]:
    return len(error.absolute_path), "/".join(str(part) for part in error.absolute_path)
