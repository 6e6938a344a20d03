"""Normalises the schemas of a document to JSON Schema 2020-12 with local references, whatever its OpenAPI version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PREFIX = "#/components/schemas/"
_DROPPED = ("discriminator", "xml", "externalDocs", "nullable", "example", "deprecated", "$schema", "$id")
_MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_DATA = ("const", "enum")
"""Keywords whose values may look like schemas."""
_DEEPEST = 60


def normalize_schema(schema: Any, depth: int = 0) -> Any:
    """Convert a schema to 2020-12: `nullable` and boolean exclusive bounds of 3.0 are translated, prose is removed.

    An invalid schema becomes `True`, which accepts everything.
    """
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return True
    made: dict[str, Any] = {}
    for key, value in schema.items():
        # These words do not restrict values.
        if key in _DROPPED or str(key).startswith("x-"):
            continue
        if key in _MAPS and isinstance(value, Mapping):
            made[key] = {str(name): normalize_schema(entry, depth + 1) for name, entry in value.items()}
        elif key in _LISTS and isinstance(value, list):
            made[key] = [normalize_schema(item, depth + 1) for item in value]
        elif key in _SINGLE and isinstance(value, Mapping | bool):
            made[key] = normalize_schema(value, depth + 1)
        else:
            made[key] = int(value) if isinstance(value, float) and value.is_integer() else value
    if "example" in schema and "examples" not in made:
        made["examples"] = [schema["example"]]
    _exclusive(made, "minimum", "exclusiveMinimum")
    _exclusive(made, "maximum", "exclusiveMaximum")
    return _nullable(made) if schema.get("nullable") is True else made


def _exclusive(made: dict[str, Any], plain: str, exclusive: str) -> None:
    if isinstance(made.get(exclusive), bool) and made.pop(exclusive) and plain in made:
        made[exclusive] = made.pop(plain)


def _nullable(made: dict[str, Any]) -> dict[str, Any]:
    if isinstance(made.get("type"), str) and "$ref" not in made:
        made = {**made, "type": [made["type"], "null"]}
        if "enum" in made and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    return {"anyOf": [made, {"type": "null"}]}


def resolve_reference(schema: Any, components: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with its own reference followed; empty for one that is dangling or circular."""
    seen: set[str] = set()
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        reference = schema["$ref"]
        if reference in seen or not reference.startswith(PREFIX):
            return {}
        seen.add(reference)
        rest = {key: entry for key, entry in schema.items() if key != "$ref"}
        target = components.get(_unescaped(reference.removeprefix(PREFIX)), {})
        schema = {**target, **rest} if isinstance(target, Mapping) else target
    return schema if isinstance(schema, Mapping) else {}


def resolve_part(value: Any, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of a document with its reference followed; empty for one that is dangling or circular."""
    seen: set[str] = set()
    while isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
        reference = value["$ref"]
        # Schemas stay references, so that circles are met where values are made; other circles end here.
        if reference in seen or not reference.startswith("#/") or reference.startswith(PREFIX):
            return {}
        seen.add(reference)
        found: Any = document
        for key in reference[2:].split("/"):
            found = found if isinstance(found, Mapping) else {}
            found = found.get(key.replace("~1", "/").replace("~0", "~"))
        value = found
    return value if isinstance(value, Mapping) else {}


def references(schema: Any) -> frozenset[str]:
    """Return the references a schema itself consists of, alternatives included; not those of its parts."""
    if not isinstance(schema, Mapping):
        return frozenset()
    own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set[str]()
    listed = [schema[key] for key in ("allOf", "anyOf", "oneOf") if isinstance(schema.get(key), list)]
    return frozenset(own.union(*(references(part) for parts in listed for part in parts)))


def merge_schema(schema: Any, components: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """Resolve a schema, merge `allOf`, and choose the first usable alternative of `anyOf` and `oneOf`."""
    found = dict(resolve_reference(schema, components))
    if depth > 12:
        return found
    for part in found.pop("allOf", ()):
        found = _together(found, merge_schema(part, components, depth + 1))
    for key in ("anyOf", "oneOf"):
        options = found.pop(key, None)
        if options:
            kinds = [resolve_reference(option, components).get("type") for option in options]
            real = [option for option, kind in zip(options, kinds, strict=True) if kind != "null"] or list(options)
            had_null = len(real) < len(options)
            found = _together(found, merge_schema(real[0], components, depth + 1))
            found["x-null"] = found.get("x-null", False) or had_null
            found["x-options"] = len(real)
    return found


def _together(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    made = {**second, **first}
    if "properties" in first or "properties" in second:
        made["properties"] = {**second.get("properties", {}), **first.get("properties", {})}
    if "required" in first or "required" in second:
        made["required"] = list(dict.fromkeys([*second.get("required", ()), *first.get("required", ())]))
    return made


def without_read_only(schema: Any, components: Mapping[str, Any]) -> Any:
    """Return a schema without the properties that only answers have (`readOnly`), for what requests send."""
    return _one_way(schema, components, "readOnly")


def without_write_only(schema: Any, components: Mapping[str, Any]) -> Any:
    """Return a schema in which properties that only requests have (`writeOnly`) are not required, for answers."""
    return _one_way(schema, components, "writeOnly")


def _one_way(schema: Any, components: Mapping[str, Any], mark: str, outer: frozenset[str] = frozenset()) -> Any:
    """Require no marked properties; those that are read-only are removed. `outer`: those of what this is a part of."""
    if isinstance(schema, list):
        return [_one_way(part, components, mark, outer) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    told = outer | (_marked(schema, components, mark) if {"properties", "required", "allOf"} & set(schema) else set())
    made: dict[str, Any] = {}
    for key, entry in schema.items():
        if key in _MAPS and isinstance(entry, Mapping):
            left_out = told if key == "properties" and mark == "readOnly" else frozenset[str]()
            made[key] = {name: _one_way(one, components, mark) for name, one in entry.items() if name not in left_out}
        elif key == "required" and isinstance(entry, list):
            made[key] = [name for name in entry if not (isinstance(name, str) and name in told)]
        elif key in _DATA:
            made[key] = entry
        else:
            made[key] = _one_way(entry, components, mark, told if key == "allOf" else frozenset())
    return made


def _marked(schema: Mapping[str, Any], components: Mapping[str, Any], mark: str) -> frozenset[str]:
    """Return the names of the properties of a schema, merged, that have a mark; none of an invalid schema."""
    try:
        properties = merge_schema(schema, components).get("properties") or {}
        return frozenset(name for name, inner in properties.items() if merge_schema(inner, components).get(mark))
    except (TypeError, ValueError, AttributeError):
        return frozenset()


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the type of values of a merged schema; "" where any type is allowed."""
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((name for name in declared if name != "null"), "null")
    if isinstance(declared, str):
        return declared
    if "properties" in schema or "required" in schema:
        return "object"
    if "items" in schema:
        return "array"
    if any(key in schema for key in ("minLength", "maxLength", "pattern", "format")):
        return "string"
    if any(key in schema for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")):
        return "number"
    return ""


def accepts_null(schema: Mapping[str, Any]) -> bool:
    """Whether a merged schema accepts null."""
    declared = schema.get("type")
    return (
        bool(schema.get("x-null"))
        or declared == "null"
        or (isinstance(declared, list) and "null" in declared)
        or not declared
    )


def standalone_schema(schema: Any, components: Mapping[str, Any]) -> Any:
    """Return a self-contained schema of an answer, without titles and descriptions; components are in its `$defs`.

    What only requests have (`writeOnly`) is not required there.
    """
    wanted: dict[str, Any] = {}
    waiting: list[str] = []

    def copied(value: Any, names: bool = False) -> Any:
        if isinstance(value, Mapping):
            made = {}
            for key, entry in value.items():
                # Below `properties` these words are names of fields, not keywords.
                if not names and key in ("title", "description", "examples", "default"):
                    continue
                if not names and key == "$ref" and isinstance(entry, str) and entry.startswith(PREFIX):
                    name = _unescaped(entry.removeprefix(PREFIX))
                    waiting.append(name)
                    made[key] = f"#/$defs/{name}"
                # Data, which may look like a schema.
                elif not names and key in _DATA:
                    made[key] = entry
                else:
                    made[key] = copied(entry, key in _MAPS and not names)
            return made
        return [copied(item) for item in value] if isinstance(value, list) else value

    made = copied(without_write_only(schema, components))
    while waiting:
        name = waiting.pop(0)
        if name not in wanted:
            # Marked before it is copied: it may refer to itself.
            wanted[name] = True
            wanted[name] = copied(without_write_only(components.get(name, True), components))
    if wanted and isinstance(made, dict):
        made = {**made, "$defs": dict(sorted(wanted.items()))}
    return made


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
