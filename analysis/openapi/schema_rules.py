"""Checks the structure of a document against the official JSON Schema of its OpenAPI version."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from ...utils.error_formatter import schema_issues
from .grammar import children
from .problems import Parts, Problem, mapping, text

Dialect = Literal["2.0", "3.0", "3.1", "3.2"]
CHECK_SECONDS = 30.0
_OWN_DIALECT = "https://spec.openapis.org/oas/"
_UNKNOWN = ("additionalProperties", "unevaluatedProperties")


def dialect_of(value: Any) -> tuple[Dialect | None, str]:
    """The OpenAPI version of a document: the supported dialect, and the version text as written.

    None for a document that is none, or of another version.
    """
    document = mapping(value)
    declared = document.get("openapi", document.get("swagger"))
    words = str(declared) if isinstance(declared, str | int | float) and not isinstance(declared, bool) else ""
    if "openapi" not in document:
        return ("2.0" if words in ("2.0", "2") else None), words
    for dialect in ("3.0", "3.1", "3.2"):
        if words == dialect or words.startswith(f"{dialect}."):
            return dialect, words
    return None, words


def structure_problems(value: dict[str, Any], dialect: Dialect, *, seconds: float = CHECK_SECONDS) -> list[Problem]:
    """Lists everything in a document that violates the JSON Schema of its version, by places of the document.

    A document too large to be checked in time is checked as far as the time goes, and a warning says so.
    """
    validator = _validator(dialect)
    ends = time.monotonic() + seconds
    found: dict[Problem, None] = {}
    for number, piece in enumerate(_pieces(value, dialect)):
        if number and time.monotonic() > ends:
            what = f"the structure was checked for {seconds:g} s only; what comes last in the document was not"
            return [*found, Problem(what, (), "time", "warning", "split the document")]
        try:
            for problem in _problems(validator.iter_errors(piece)):
                found.setdefault(problem)
        except RecursionError:
            found.setdefault(Problem("part of the document is nested too deeply to be checked", (), "depth", "warning"))
    if dialect in ("3.1", "3.2"):
        for problem in _schema_problems(value, ends):
            found.setdefault(problem)
    return list(found)


def _validator(dialect: Dialect) -> Validator:
    # Imported here: reading its schemas takes most of a second.
    import openapi_spec_validator.schemas as official

    by_dialect = {
        "2.0": official.schema_v2,
        "3.0": official.schema_v30,
        "3.1": official.schema_v31,
        "3.2": official.schema_v32,
    }
    schema = dict(by_dialect[dialect])
    return validator_for(schema)(schema)


def _pieces(value: dict[str, Any], dialect: Dialect) -> Iterator[dict[str, Any]]:
    """Splits a document into small ones with one path or component each, so that the time limit can be kept and no part
    is checked again behind a reference.
    """
    large = ("definitions", "parameters", "responses") if dialect == "2.0" else ("components", "webhooks")
    head = {key: entry for key, entry in value.items() if not isinstance(entry, dict) or key not in ("paths", *large)}
    yield {**head, **{key: {} for key in ("paths", *large) if isinstance(value.get(key), dict)}}
    for key in ("paths", *large):
        for name, entry in mapping(value.get(key)).items():
            if key == "components" and isinstance(entry, dict) and not name.startswith("x-"):
                yield from ({**head, "paths": {}, key: {name: {inner: part}}} for inner, part in entry.items())
            elif key == "paths":
                yield {**head, "paths": {name: entry}}
            else:
                yield {**head, "paths": {}, key: {name: entry}}


def _schema_problems(value: dict[str, Any], ends: float) -> Iterator[Problem]:
    """Checks the schemas of OpenAPI 3.1 and later, which are JSON Schema 2020-12: the official schema skips them."""
    if not text(value.get("jsonSchemaDialect", _OWN_DIALECT)).startswith(_OWN_DIALECT):
        return
    validator = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for parts, schema in _outermost_schemas(value):
        if time.monotonic() > ends:
            yield Problem("not every schema was checked: the document is too large", (), "time", "warning")
            return
        try:
            yield from _problems(validator.iter_errors(schema), parts)
        except RecursionError:
            yield Problem("the schema is nested too deeply to be checked", parts, "depth", "warning")


def _outermost_schemas(value: dict[str, Any]) -> Iterator[tuple[Parts, Any]]:
    pending: list[tuple[Parts, Any, str]] = [((), value, "document")]
    while pending:
        parts, entry, kind = pending.pop()
        if kind == "schema":
            yield parts, entry
            continue
        below = [((*parts, *place), inner, what) for place, inner, what in children(entry, kind)]
        pending += reversed(below)


def _problems(errors: Iterable[ValidationError], start: Parts = ()) -> Iterator[Problem]:
    leaves = [leaf for error in errors for leaf in _leaves(error)]
    places = {tuple(leaf.absolute_path) for leaf in leaves if leaf.validator not in _UNKNOWN}
    for leaf in leaves:
        place = (*start, *leaf.absolute_path)
        if leaf.validator in _UNKNOWN:
            yield from _unknown(leaf, place, places)
            continue
        for issue in schema_issues([leaf]):
            missing = issue.rule == "required" and issue.message.endswith("' is missing")
            parts = (*place, issue.message[1:].removesuffix("' is missing")) if missing else place
            yield Problem(issue.message, parts, issue.rule, suggestion=issue.suggestion)


def _unknown(error: ValidationError, place: Parts, others: set[Parts]) -> Iterator[Problem]:
    """Yields unknown properties. Where rules depend on each other, a property that is invalid, or beside an invalid
    one, counts as unknown, too: it is reported only if nothing else is wrong there.
    """
    schema = mapping(error.schema)
    here = tuple(error.absolute_path)
    depends = not {"allOf", "anyOf", "oneOf", "if", "dependentSchemas"}.isdisjoint(schema)
    if depends and error.validator == "unevaluatedProperties" and any(item[: len(here)] == here for item in others):
        return
    known = list(mapping(schema.get("properties")))
    patterns = [re.compile(item) for item in mapping(schema.get("patternProperties"))]
    for name in mapping(error.instance):
        if name in known or name.startswith("x-") or any(pattern.search(name) for pattern in patterns):
            continue
        if error.validator == "unevaluatedProperties" and repr(name) not in error.message:
            continue
        close = difflib.get_close_matches(name, known, n=1)
        suggestion = f"rename it to {close[0]!r}" if close else "remove it, or begin its name with x-"
        yield Problem(f"unknown property {name!r}", (*place, name), "unknown", suggestion=suggestion)


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yields the specific errors: of alternatives that all fail, those of the one that fits best."""
    if error.validator not in ("oneOf", "anyOf", "allOf") or not error.context:
        yield error
        return
    alternatives: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        alternatives.setdefault(inner.relative_schema_path[0], []).append(inner)
    ranked = sorted(alternatives.values(), key=lambda ones: _misfit(ones, error.instance))
    kinds = [item for ones in ranked for item in ones if _says_kind(item)]
    if kinds and _misfit(ranked[0], error.instance)[1]:  # it is of no kind at all: tell which there are
        allowed = [value for kind in kinds if kind.path == kinds[0].path for value in _values(kind)]
        yield kinds[0].__class__(
            kinds[0].message,
            validator="enum",
            path=kinds[0].relative_path,
            instance=kinds[0].instance,
            validator_value=list(dict.fromkeys(allowed)),
            schema={},
            parent=error,
        )
    for inner in ranked[0]:
        if not _says_kind(inner):
            yield from _leaves(inner)


def _misfit(errors: list[ValidationError], instance: Any) -> tuple[bool, int, int, int]:
    """Ranks how badly an alternative fits: a missing `$ref` shows that no reference was meant, a wrong `in` or `type`
    that another kind was; errors deep inside rank better than those at the top.
    """
    wants_reference = any(error.validator == "required" and error.validator_value == ["$ref"] for error in errors)
    meant = wants_reference and "$ref" not in mapping(instance)
    at_top = [error for error in errors if not error.relative_path]
    return meant, sum(_says_kind(error) for error in errors), len(at_top), len(errors)


def _says_kind(error: ValidationError) -> bool:
    """Whether an error is about the property that determines the kind of an object."""
    return error.validator in ("enum", "const") and list(error.relative_path) in (["in"], ["type"])


def _values(error: ValidationError) -> list[Any]:
    value: Any = error.validator_value
    return list(value) if error.validator == "enum" else [value]
