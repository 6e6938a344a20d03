"""Selects the schema of a test spec, and provides every shipped schema with its validator.

Schemas are package data, named by their path in the repository (`schemas/unit_test_schema_v1.json`,
`schemas/spec/output.json`), so that the name in a state or report also says where to read it.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from ..core.errors import UsageError

if TYPE_CHECKING:  # the libraries take a while to load; who only asks for names need not wait for them
    from jsonschema import Draft202012Validator
    from referencing import Registry

_Step = Callable[[dict[str, Any]], dict[str, Any]]

__all__ = [
    "CORE_SCHEMA",
    "bundle",
    "contract",
    "known_test_types",
    "load_schema",
    "migrate",
    "schema_for_spec",
    "schema_names",
    "select_schema",
    "spec_version",
    "validator",
    "versions",
]

CORE_SCHEMA = "schemas/core_v1.json"
_CURRENT = {
    "api": "schemas/api_test_schema_v2.json",
    "unit": "schemas/unit_test_schema_v1.json",
    "integration": "schemas/integration_test_schema_v1.json",
    "e2e": "schemas/e2e_test_schema_v1.json",
    "performance": "schemas/performance_test_schema_v1.json",
}
_VERSIONED = re.compile(r"^schemas/(?P<type>[a-z0-9]+)_test_schema_v(?P<major>\d+)\.json$")


def select_schema(test_type: str, hints: Mapping[str, Any] | None = None) -> str | None:
    """The schema for a test type, as its path in the repository.

    Args:
        test_type: "api", "unit", "integration", "e2e" or "performance".
        hints: context; `version` (`1`, `"1"`, `"v1"` or `"1.0.0"`) asks for a major version other than the current
            one. Other hints are allowed and do not change the choice.

    Returns:
        The path, or None for an unknown test type or a version that does not exist.
    """
    current = _CURRENT.get(test_type)
    wanted = (hints or {}).get("version")
    if current is None or wanted is None:
        return current
    major = str(wanted).strip().removeprefix("v").partition(".")[0]
    name = f"schemas/{test_type}_test_schema_v{major}.json"
    return name if name in schema_names() else None


def known_test_types() -> tuple[str, ...]:
    """The test types that have a schema."""
    return tuple(_CURRENT)


def versions(test_type: str) -> tuple[str, ...]:
    """Versions of the schemas of a test type, oldest first, e.g. `("1.0.0", "2.0.0")`; empty for an unknown type."""
    majors = []
    for name in schema_names():
        found = _VERSIONED.match(name)
        if found and found["type"] == test_type:
            majors.append((int(found["major"]), _loaded(name)["properties"]["schema_version"]["const"]))
    return tuple(version for _, version in sorted(majors))


def spec_version(spec: Mapping[str, Any]) -> str | None:
    """The version a spec says it has, or None."""
    version = spec.get("schema_version")
    return version if isinstance(version, str) else None


def schema_for_spec(spec: Mapping[str, Any], test_type: str) -> str | None:
    """The schema of the version that the spec names, or the current one when it names none or an unknown one."""
    version = spec_version(spec)
    if version in versions(test_type):
        return select_schema(test_type, {"version": version})
    return select_schema(test_type)


def contract(agent: str, part: str) -> str:
    """The name of an agent's contract; `part` is "input" or "output".

    Raises:
        UsageError: there is no such contract.
    """
    name = f"schemas/{agent}/{part}.json"
    _loaded(name)
    return name


@cache
def schema_names() -> tuple[str, ...]:
    """Every schema we ship, sorted."""
    found = []
    for entry in _folder().iterdir():
        if entry.is_dir():
            found += [f"schemas/{entry.name}/{file.name}" for file in entry.iterdir() if file.name.endswith(".json")]
        elif entry.name.endswith(".json"):
            found.append(f"schemas/{entry.name}")
    return tuple(sorted(found))


def load_schema(name: str) -> dict[str, Any]:
    """A copy of a schema. Raises UsageError when there is none of that name."""
    return copy.deepcopy(_loaded(name))


@cache
def validator(name: str) -> Draft202012Validator:
    """A validator for a schema, its references resolved among the schemas we ship, `format` enforced.

    Raises:
        UsageError: there is no schema of that name.
    """
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_loaded(name), registry=_registry(), format_checker=Draft202012Validator.FORMAT_CHECKER)


@cache
def _bundled(name: str) -> dict[str, Any]:
    core = _loaded(CORE_SCHEMA)
    schema = copy.deepcopy(_loaded(name))
    definitions = schema.setdefault("$defs", {})
    prefix = f"{core['$id']}#/$defs/"
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            target = node.get("$ref")
            if isinstance(target, str) and target.startswith(prefix):
                key = target.removeprefix(prefix)
                node["$ref"] = f"#/$defs/core_{key}"
                if f"core_{key}" not in definitions:
                    definitions[f"core_{key}"] = copy.deepcopy(core["$defs"][key])
                    waiting.append(definitions[f"core_{key}"])
            waiting.extend(node.values())
    schema["$defs"] = dict(sorted(definitions.items()))
    return schema


def bundle(name: str) -> dict[str, Any]:
    """A schema that stands alone: definitions of the core that it uses are copied in. For prompts and other programs.

    Raises:
        UsageError: there is no schema of that name.
    """
    return copy.deepcopy(_bundled(name))


@cache
def _loaded(name: str) -> dict[str, Any]:
    if name not in schema_names():
        raise UsageError(f"there is no schema {name!r}", advice=f"known schemas: {', '.join(schema_names())}")
    return json.loads(_folder().joinpath(*name.split("/")[1:]).read_text(encoding="utf-8"))


def _folder() -> Traversable:
    return resources.files(f"{__name__.rsplit('.', 2)[0]}.schemas")


@cache
def _registry() -> Registry[Any]:
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012

    shipped = [Resource.from_contents(_loaded(name), default_specification=DRAFT202012) for name in schema_names()]
    return Registry().with_resources((resource.id() or "", resource) for resource in shipped).crawl()


def migrate(spec: Mapping[str, Any], to: str, *, test_type: str = "api") -> dict[str, Any]:
    """A spec in a newer form; the given one stays as it is.

    Args:
        spec: a valid spec of an older version. What it says is kept; what it cannot say gets the newer form's default.
        to: the version wanted, e.g. "2.0.0".
        test_type: what the spec tests; forms before 2.0.0 do not say it themselves.

    Raises:
        UsageError: no way leads from the spec's version to that one.
    """
    kind = spec.get("test_type", test_type)
    current = copy.deepcopy(dict(spec))
    while (version := current.get("schema_version")) != to:
        step = _STEPS.get((str(kind), str(version)))
        if step is None:
            raise UsageError(
                f"a spec of type {kind!r} and version {version!r} cannot be brought to version {to!r}",
                advice="migration leads from older to newer forms; write the spec anew otherwise",
            )
        current = step(current)
    return current


def _api_1_to_2(spec: dict[str, Any]) -> dict[str, Any]:
    framework = spec.get("framework", "pytest")
    return {
        "schema_version": "2.0.0",
        "test_type": "api",
        "title": spec["suite"],
        "language": "javascript" if framework == "jest" else "python",
        "framework": framework,
        "target": {"name": spec["suite"], "base_url": spec["base_url"]},
        "cases": [_api_case(test) for test in spec["tests"]],
    }


def _api_case(test: dict[str, Any]) -> dict[str, Any]:
    method, path, status = test["method"], test["endpoint"], test["expected_status"]
    operation = {"method": method, "path": path}
    request: dict[str, Any] = dict(operation)
    for key in ("headers", "query"):
        if test.get(key):
            request[key] = test[key]
    if "body" in test:
        request["body"] = {"media_type": "application/json", "content": test["body"]}
    return {
        "id": test["id"],
        "title": test["name"],
        "priority": test.get("priority", "medium"),
        "preconditions": [],
        "steps": [f"Send {method} {path}."],
        "expected": test.get("description") or f"The answer has status {status}.",
        "category": "success" if status < 400 else "validation",
        "operation": operation,
        "act": {"request": request},
        "expect": _api_expectations(test),
    }


def _api_expectations(test: dict[str, Any]) -> list[dict[str, Any]]:
    """The first form does not say where an expectation comes from: a person or model stated it, so it is `inferred`."""
    found: list[dict[str, Any]] = [{"kind": "status", "statuses": [test["expected_status"]]}]
    found += [
        {"kind": "header", "name": name, "value": value} for name, value in test.get("expected_headers", {}).items()
    ]
    if "expected_body" in test:
        found.append({"kind": "body_equals", "value": test["expected_body"]})
    found += [{"kind": "body_contains", "text": text} for text in test.get("expected_body_contains", [])]
    return [{**expectation, "origin": "inferred"} for expectation in found]


_STEPS: dict[tuple[str, str], _Step] = {("api", "1.0.0"): _api_1_to_2}
