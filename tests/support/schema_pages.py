"""Writes one page in docs/schemas/ for each schema, from the schema: `make docs`.

A page has the schema's fields as a table, its definitions and conditions, and an example where
`docs/schemas/examples/` has one of the schema's name. Pages are never written by hand; a test compares them.

json-schema-for-humans does not replace this: it resolves no `urn:` references, on which all our schemas rest, and
misreads their conditions.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from testwright.utils.schema_registry import CORE_SCHEMA, load_schema, schema_names

_RULES = ("if", "then", "else", "not", "allOf", "dependentRequired", "dependentSchemas")
_RANGES = (
    ("minLength", "maxLength", "characters"),
    ("minItems", "maxItems", "of them"),
    ("minProperties", "maxProperties", "fields"),
    ("minimum", "maximum", ""),
)


_schema = cache(load_schema)  # each load gives a copy of its own, and a page asks for the same ones for each field


def pages(examples: Path) -> dict[str, str]:
    """Every page by its path below docs/schemas, the list of all (`README.md`) among them.

    Args:
        examples: the folder of examples; one has its schema's name, such as `unit_test_schema_v1.json` or
            `spec/input.json`.
    """
    made = {page_path(name): page(name, example_of(name, examples)) for name in schema_names()}
    return {**made, "README.md": _contents()}


def page_path(name: str) -> str:
    """A page's path below docs/schemas: `schemas/spec/input.json` is `spec-input.md`."""
    return name.removeprefix("schemas/").removesuffix(".json").replace("/", "-") + ".md"


def example_of(name: str, examples: Path) -> Any:
    """A schema's example, or None where there is none."""
    file = examples / name.removeprefix("schemas/")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def page(name: str, example: Any = None) -> str:
    """The page of one schema.

    Args:
        name: its path in the repository.
        example: a value it accepts; None for none.

    Raises:
        UsageError: there is no schema of that name.
    """
    schema = _schema(name)
    parts = [
        [f"<!-- Made from {name} by `make docs`. -->", f"# {schema.get('title', name)}"],
        [_sentence(schema.get("description", ""))],
        [f"`{schema['$id']}`, [{name}](../../{name}), JSON Schema 2020-12. [All schemas](README.md)"],
        list(_fields(schema, "## Fields")),
        *_definitions(schema),
        list(_conditions(schema)),
    ]
    if example is not None:
        text = json.dumps(example, indent=2, ensure_ascii=False)
        file = f"examples/{name.removeprefix('schemas/')}"
        parts.append(["## Example", f"[{file}]({file})", f"```json\n{text}\n```"])
    return "\n\n".join(line for part in parts for line in part if line) + "\n"


def _contents() -> str:
    """The list of all pages."""
    lines = ["<!-- Made by `make docs`. -->", "# Schemas", ""]
    lines.append("One page for each schema, made from it. `testwright schemas NAME` prints the schema itself.")
    groups = {
        "Test specs": [one for one in schema_names() if "_test_schema_" in one],
        "What they share, the report, and flows for Maestro": [
            CORE_SCHEMA,
            *(one for one in schema_names() if one.startswith(("schemas/report", "schemas/maestro"))),
        ],
        "What agents are asked and answer": [one for one in schema_names() if one.count("/") == 2],
    }
    for title, names in groups.items():
        lines += ["", f"## {title}", "", "| schema | what it describes |", "|---|---|"]
        for name in names:
            schema = _schema(name)
            lines.append(
                f"| [{schema.get('title', name)}]({page_path(name)}) | {_cell(schema.get('description', ''))} |"
            )
    return "\n".join(lines) + "\n"


def _definitions(schema: Mapping[str, Any]) -> Iterator[list[str]]:
    for key, one in sorted(schema.get("$defs", {}).items()):
        rows = list(_fields(one, ""))
        said = _sentence(one.get("description", ""))
        kind = "" if rows else f"{_kind(one)}."
        yield [f"## {key}", said, kind[:1].upper() + kind[1:], *rows, *_conditions(one, nested=True)]


def _fields(schema: Mapping[str, Any], heading: str) -> Iterator[str]:
    """The table of an object's fields, those of objects inside it with their path."""
    rows = list(_rows(schema, ""))
    if not rows:
        return
    if heading:
        yield heading
    table = ["| field | | value | meaning |", "|---|---|---|---|"]
    table += [f"| `{path}` | {must} | {kind} | {meaning} |" for path, must, kind, meaning in rows]
    yield "\n".join(table)
    if schema.get("additionalProperties") is False:
        yield "No other fields."


def _rows(schema: Mapping[str, Any], above: str) -> Iterator[tuple[str, str, str, str]]:
    required = set(schema.get("required", ()))
    for name, property_ in schema.get("properties", {}).items():
        path = f"{above}{name}"
        yield path, "required" if name in required else "", _cell(_kind(property_)), _cell(_meaning(property_))
        yield from _rows(property_, f"{path}.")
        items = property_.get("items")
        if isinstance(items, Mapping):
            yield from _rows(items, f"{path}[].")
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping) and others:
        yield f"{above}…", "", _cell(_kind(others)), _cell(others.get("description", ""))


def _meaning(schema: Mapping[str, Any]) -> str:
    """What is said of a field, or of the definition of the core that it refers to."""
    prefix = f"{_schema(CORE_SCHEMA)['$id']}#/$defs/"
    reference = str(schema.get("$ref", ""))
    if "description" not in schema and reference.startswith(prefix):
        return _schema(CORE_SCHEMA)["$defs"][reference.removeprefix(prefix)].get("description", "")
    return schema.get("description", "")


def _kind(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return _link(str(schema["$ref"]))
    if "const" in schema:
        return _code(json.dumps(schema["const"], ensure_ascii=False))
    if "enum" in schema:
        return ", ".join(_code(json.dumps(one, ensure_ascii=False)) for one in schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(_kind(one) for one in schema[key])
    return ", ".join([_type(schema), *_bounds(schema)])


def _type(schema: Mapping[str, Any]) -> str:
    said = schema.get("type", "any value")
    types = [said] if isinstance(said, str) else list(said)
    items = schema.get("items")
    words = [
        f"list of {_many(items)}" if type_ == "array" and isinstance(items, Mapping) and items else str(type_)
        for type_ in types
    ]
    return " or ".join(words)


def _many(items: Mapping[str, Any]) -> str:
    plain = isinstance(items.get("type"), str) and items["type"] != "array" and not {"const", "enum"} & set(items)
    return ", ".join([f"{items['type']}s", *_bounds(items)]) if plain else _kind(items)


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    for least, most, unit in _RANGES:
        low, high = schema.get(least), schema.get(most)
        if low is not None and high is not None:
            yield f"{low} {unit}".rstrip() if low == high else f"{low} to {high} {unit}".rstrip()
        elif low is not None or high is not None:
            yield f"at {'most' if low is None else 'least'} {high if low is None else low} {unit}".rstrip()
    for key, word in (("exclusiveMinimum", "above"), ("exclusiveMaximum", "below")):
        if key in schema:
            yield f"{word} {schema[key]}"
    if schema.get("uniqueItems"):
        yield "none twice"
    if "pattern" in schema:
        yield f"like {_code(schema['pattern'])}"
    if "format" in schema:
        yield f"format {schema['format']}"
    if "default" in schema:
        yield f"{_code(json.dumps(schema['default'], ensure_ascii=False))} when left out"


def _link(reference: str) -> str:
    document, _, place = reference.partition("#")
    name = place.rpartition("/")[2]
    if not document:
        return f"[{name}](#{name.lower()})" if name else "this schema again"
    for one in schema_names():
        if _schema(one)["$id"] == document:
            return f"[{name or _schema(one).get('title', one)}]({page_path(one)}{f'#{name.lower()}' if name else ''})"
    return f"`{reference}`"


def _conditions(schema: Mapping[str, Any], *, nested: bool = False) -> Iterator[str]:
    """What one field demands of another, as the schema says it; tables cannot."""
    rules = {key: schema[key] for key in _RULES if key in schema}
    if not rules:
        return
    if not nested:
        yield "## Conditions"
    yield f"```json\n{json.dumps(rules, indent=2, ensure_ascii=False)}\n```"


def _sentence(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _sentence(text).replace("|", "\\|")


def write_pages(folder: Path) -> list[str]:
    """Write every page below `folder`, and remove pages of schemas that are gone. Says what was written."""
    made = pages(folder / "examples")
    for file in folder.glob("*.md"):
        if file.name not in made:
            file.unlink()
    for path, text in made.items():
        (folder / path).write_text(text, encoding="utf-8")
    return sorted(made)


if __name__ == "__main__":
    for written in write_pages(Path(sys.argv[1])):
        sys.stdout.write(f"{written}\n")
