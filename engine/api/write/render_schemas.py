"""Renders the schemas that answers are validated against as constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model.literals import literal
from .render_names import schema_name

Json = Mapping[str, Any]


def schema_names(spec: Json) -> dict[str, str]:
    """Name the schemas that answers are validated against: source → name."""
    used: dict[str, tuple[Any, list[Json]]] = {}
    for case in spec["cases"]:
        for one in case["expect"]:
            if one["kind"] == "body_schema" and "schema" in one:
                used.setdefault(literal(one["schema"]), (one["schema"], []))[1].append(case)
    found: dict[str, str] = {}
    for source, (schema, cases) in used.items():
        name, number = schema_name(schema, cases).upper() or "ANSWER", 2
        base = name = name if name[0].isalpha() else f"A_{name}"
        while name in found.values() or name in ("ROOT", "ENVIRONMENT", "SCHEMAS"):
            name, number = f"{base}_{number}", number + 1
        found[source] = name
    return found


def schema_lines(spec: Json, names: Mapping[str, str]) -> Iterator[str]:
    """Render the schemas; what several of them reference is one shared constant."""
    schemas: dict[str, Any] = {}
    for case in spec["cases"]:
        for one in case["expect"]:
            if one["kind"] == "body_schema" and "schema" in one:
                schemas[names[literal(one["schema"])]] = one["schema"]
    shared: dict[str, Any] = {}
    for schema in schemas.values():
        shared |= schema.get("$defs", {}) if isinstance(schema, dict) else {}
    one_way = all(
        shared[name] == part
        for schema in schemas.values()
        if isinstance(schema, dict)
        for name, part in schema.get("$defs", {}).items()
    )
    if shared and one_way:
        yield f"SCHEMAS = {literal(dict(sorted(shared.items())))}"
    for name, schema in schemas.items():
        if one_way and isinstance(schema, dict) and "$defs" in schema:
            own = literal({key: part for key, part in schema.items() if key != "$defs"})
            yield f'{name} = {own[:-1]}, "$defs": SCHEMAS}}'
        else:
            yield f"{name} = {literal(schema)}"
