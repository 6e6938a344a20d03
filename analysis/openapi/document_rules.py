"""Checks a document: its structure against the official JSON Schema of its version, then rules beyond that schema."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from ...utils.error_formatter import schema_issues
from ...utils.names.similar_names import similar_names
from .grammar import METHODS, children
from .problems import Parts, Problem, keys_of, look_up, mapping, sequence, text

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
        # The first piece, the head, is always checked: it holds the version and the info.
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

    name = "schema_v2" if dialect == "2.0" else f"schema_v{dialect.replace('.', '')}"
    schema = dict(getattr(official, name))
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
        else:
            pending += reversed([((*parts, *place), inner, what) for place, inner, what in children(entry, kind)])


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
        close = similar_names(name, known, most=1)
        suggestion = f"rename it to {close[0]!r}" if close else "remove it, or begin its name with x-"
        yield Problem(f"unknown property {name!r}", (*place, name), "unknown", suggestion=suggestion)


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Yields the specific errors: of alternatives that all fail, those of the one that fits best."""
    # Only errors of alternatives have more specific errors below them.
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
        first, values = kinds[0], list(dict.fromkeys(allowed))
        where = {"path": first.relative_path, "instance": first.instance, "parent": error}
        yield first.__class__(first.message, validator="enum", validator_value=values, schema={}, **where)
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


_TEMPLATE = re.compile(r"\{([^{}]*)\}")
_LONGEST_CHAIN = 64


def semantic_problems(value: dict[str, Any], *, swagger: bool) -> list[Problem]:
    """Lists the violations in a bundled document."""
    found = [*_operation_ids(value), *_paths(value), *_security(value, swagger), *_servers(value), *_tags(value)]
    return [*found, *_chains(value), *_links(value)]


def operations(value: dict[str, Any]) -> Iterator[tuple[Parts, str, str, dict[str, Any], dict[str, Any]]]:
    """Yields every operation of the paths: place, path, method in capitals, path item and operation."""
    for path, item in mapping(value.get("paths")).items():
        if not path.startswith("x-"):
            yield from operations_of(("paths", path), path, mapping(item))


def operations_of(
    parts: Parts, path: str, item: dict[str, Any]
) -> Iterator[tuple[Parts, str, str, dict[str, Any], dict[str, Any]]]:
    """Yields the operations of one path item."""
    for method in METHODS:
        if isinstance(item.get(method), dict):
            yield (*parts, method), path, method.upper(), item, item[method]
    for method, entry in mapping(item.get("additionalOperations")).items():
        if isinstance(entry, dict):
            yield (*parts, "additionalOperations", method), path, method.upper(), item, entry


def follow_reference(value: dict[str, Any], entry: Any) -> Any:
    """Follows a local reference to its end; the value itself when it is none, {} when it leads nowhere."""
    for _ in range(_LONGEST_CHAIN):
        reference = mapping(entry).get("$ref")
        if not isinstance(reference, str):
            return entry
        found = look_up(value, keys_of(reference)) if reference.startswith("#") else None
        if found is None:
            return {}
        entry = found[0]
    return {}


def _operation_ids(value: dict[str, Any]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for parts, path, method, _, operation in operations(value):
        name = operation.get("operationId")
        if not isinstance(name, str):
            continue
        if name in first:
            message = f"the operationId {name!r} is that of {first[name]} already"
            yield Problem(message, (*parts, "operationId"), "operation_id", suggestion="give each operation its own")
        first.setdefault(name, f"{method} {path}")


def _paths(value: dict[str, Any]) -> Iterator[Problem]:
    shapes: dict[str, str] = {}
    for path in mapping(value.get("paths")):
        if path.startswith("x-"):
            continue
        shape = _TEMPLATE.sub("{}", path)
        if shape in shapes:
            message = f"the paths {shapes[shape]!r} and {path!r} differ in parameter names only"
            yield Problem(message, ("paths", path), "path", suggestion="make them one path")
        shapes.setdefault(shape, path)
        names = _TEMPLATE.findall(path)
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield Problem(f"{{{name}}} occurs twice in {path!r}", ("paths", path), "path", suggestion="rename one")
    for parts, path, method, item, operation in operations(value):
        yield from _parameters(value, parts, f"{method} {path}", path, item, operation)


def _parameters(
    value: dict[str, Any], parts: Parts, name: str, path: str, item: dict[str, Any], operation: dict[str, Any]
) -> Iterator[Problem]:
    in_path: set[str] = set()
    for place, ones in ((parts[:2], item.get("parameters")), (parts, operation.get("parameters"))):
        seen: set[tuple[str, str]] = set()
        for index, given in enumerate(sequence(ones)):
            entry = mapping(follow_reference(value, given))
            key = (text(entry.get("name")), text(entry.get("in")))
            where = (*place, "parameters", index)
            if key in seen and all(key):
                message = f"the parameter {key[0]!r} in {key[1]} is given twice"
                yield Problem(message, where, "parameter", suggestion="remove one of them")
            seen.add(key)
            if key[1] == "path":
                in_path.add(key[0])
                if key[0] and key[0] not in _TEMPLATE.findall(path):
                    message = f"{name} has a path parameter {key[0]!r} that its path does not have"
                    yield Problem(message, where, "path_parameter", suggestion=f"write {{{key[0]}}} into the path")
    for missing in sorted(set(_TEMPLATE.findall(path)) - in_path):
        message = f"{name} does not describe the path parameter {missing!r}"
        suggestion = f'add a parameter with "name": "{missing}", "in": "path", "required": true'
        yield Problem(message, (*parts, "parameters"), "path_parameter", suggestion=suggestion)


def _security(value: dict[str, Any], swagger: bool) -> Iterator[Problem]:
    place: Parts = ("securityDefinitions",) if swagger else ("components", "securitySchemes")
    found = look_up(value, place)
    known = mapping(found[0]) if found else {}
    have = f"; there are {', '.join(sorted(known))}" if known else ""
    suggestion = f"describe it below {'.'.join(str(item) for item in place)}{have}"
    for parts, holder in (((), value), *((parts, operation) for parts, _, _, _, operation in operations(value))):
        for index, requirement in enumerate(sequence(holder.get("security"))):
            for name in mapping(requirement):
                if name not in known and "/" not in name:  # 3.2 may name a scheme by its address
                    message, where = f"there is no security scheme {name!r}", (*parts, "security", index, name)
                    yield Problem(message, where, "security", suggestion=suggestion)


def _servers(value: dict[str, Any]) -> Iterator[Problem]:
    for index, server in enumerate(sequence(value.get("servers"))):
        variables = mapping(mapping(server).get("variables"))
        for name in dict.fromkeys(_TEMPLATE.findall(text(mapping(server).get("url")))):
            if name not in variables:
                message = f"the server's variable {name!r} is not described"
                suggestion = "describe it below the server's variables, with a default"
                yield Problem(message, ("servers", index, "url"), "server", suggestion=suggestion)


def _tags(value: dict[str, Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, tag in enumerate(sequence(value.get("tags"))):
        name = text(mapping(tag).get("name"))
        if name and name in seen:
            yield Problem(f"the tag {name!r} is described twice", ("tags", index), "tag", suggestion="remove one")
        seen.add(name)


def _chains(value: dict[str, Any]) -> Iterator[Problem]:
    """Yields references that only lead to references."""
    pending: list[tuple[Parts, Any, str]] = [((), value, "document")]
    while pending:
        parts, entry, kind = pending.pop()
        if isinstance(mapping(entry).get("$ref"), str) and kind != "document" and _endless(value, entry):
            message = f"the reference {entry['$ref']!r} leads only to references, and never to an object"
            yield Problem(message, (*parts, "$ref"), "reference", suggestion="describe the object in one of them")
        pending += reversed([((*parts, *place), inner, what) for place, inner, what in children(entry, kind)])


def _endless(value: dict[str, Any], entry: dict[str, Any]) -> bool:
    seen: set[str] = set()
    while set(entry) == {"$ref"} and isinstance(entry["$ref"], str):
        if entry["$ref"] in seen:
            return True
        seen.add(entry["$ref"])
        found = look_up(value, keys_of(entry["$ref"])) if entry["$ref"].startswith("#") else None
        if found is None or not isinstance(found[0], dict):
            return False
        entry = found[0]
    return False


def _links(value: dict[str, Any]) -> Iterator[Problem]:
    known = {text(operation.get("operationId")) for _, _, _, _, operation in operations(value)}
    for parts, _, _, _, operation in operations(value):
        for code, response in mapping(operation.get("responses")).items():
            for name, link in mapping(mapping(response).get("links")).items():
                wanted = mapping(link).get("operationId")
                if isinstance(wanted, str) and wanted not in known:
                    place = (*parts, "responses", code, "links", name, "operationId")
                    yield Problem(f"there is no operation {wanted!r} to link to", place, "link", "warning")
