"""Checks rules beyond the schemas of OpenAPI: unique ids, parameters that match their paths, existing names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .grammar import METHODS, children
from .problems import Parts, Problem, keys_of, look_up, mapping, sequence, text

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
    requirements_by_place: list[tuple[Parts, Any]] = [(("security",), value.get("security"))]
    requirements_by_place += [
        ((*parts, "security"), entry.get("security")) for parts, _, _, _, entry in operations(value)
    ]
    for parts, requirements in requirements_by_place:
        for index, requirement in enumerate(sequence(requirements)):
            for name in mapping(requirement):
                if name not in known and "/" not in name:  # 3.2 may name a scheme by its address
                    message = f"there is no security scheme {name!r}"
                    have = f"; there are {', '.join(sorted(known))}" if known else ""
                    suggestion = f"describe it below {'.'.join(str(item) for item in place)}{have}"
                    yield Problem(message, (*parts, index, name), "security", suggestion=suggestion)


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
        below = [((*parts, *place), inner, what) for place, inner, what in children(entry, kind)]
        pending += reversed(below)


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
