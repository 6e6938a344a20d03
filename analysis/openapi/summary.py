"""Summarizes a document, one entry per operation, and selects the operations that a caller names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from .document_rules import follow_reference, operations
from .problems import Parts, mapping, pointer_of, sequence, text

_LONGEST = 300
_BOUNDS = ("enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "default")


def overview(value: dict[str, Any]) -> dict[str, Any]:
    """Title, version, servers, security, tags and counts of a document of version 3."""
    info = mapping(value.get("info"))
    components = mapping(value.get("components"))
    schemes = mapping(components.get("securitySchemes"))
    return {
        "title": _short(info.get("title")),
        "version": _short(info.get("version")),
        "description": _short(info.get("description")),
        "servers": [_short(mapping(item).get("url")) for item in sequence(value.get("servers"))[:20]],
        "security": security_of(value.get("security")),
        "security_schemes": [
            _scheme(name, mapping(follow_reference(value, entry))) for name, entry in list(schemes.items())[:30]
        ],
        "tags": [_short(mapping(tag).get("name"))[:80] for tag in sequence(value.get("tags"))[:60]],
        "schemas": len(mapping(components.get("schemas"))),
        "webhooks": [_short(name)[:80] for name in sorted(mapping(value.get("webhooks")))[:30]],
    }


def operation_list(value: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry for every operation, in document order."""
    return [_operation(value, *operation) for operation in operations(value)]


def _operation(
    value: dict[str, Any], parts: Parts, path: str, method: str, item: dict[str, Any], operation: dict[str, Any]
) -> dict[str, Any]:
    body = mapping(follow_reference(value, operation.get("requestBody")))
    security = operation["security"] if "security" in operation else value.get("security")
    return {
        "method": method,
        "path": path,
        "id": text(operation.get("operationId")),
        "summary": _short(operation.get("summary") or operation.get("description")),
        "tags": [tag for tag in sequence(operation.get("tags")) if isinstance(tag, str)][:20],
        "deprecated": operation.get("deprecated") is True,
        "parameters": _parameters(value, item, operation),
        "request_body": {"required": body.get("required") is True, **_content(body)} if body else None,
        "responses": [
            _response(value, code, element)
            for code, element in mapping(operation.get("responses")).items()
            if not code.startswith("x-")
        ],
        "security": security_of(security),
        "pointer": pointer_of(parts),
    }


def _parameters(value: dict[str, Any], item: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Merges the path's parameters with the operation's, which take precedence."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for given in (*sequence(item.get("parameters")), *sequence(operation.get("parameters"))):
        entry = mapping(follow_reference(value, given))
        name, place = text(entry.get("name")), text(entry.get("in"))
        content = next(iter(mapping(entry.get("content")).values()), {})
        schema = entry.get("schema", mapping(content).get("schema"))
        found[name, place] = {
            "name": name,
            "in": place,
            "required": entry.get("required") is True or place == "path",
            "schema": _schema(mapping(follow_reference(value, schema))),
        }
    return list(found.values())


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The keywords of a schema that restrict its values, without nested schemas."""
    kept = {key: schema[key] for key in ("type", "format", *_BOUNDS) if key in schema}
    if "items" in schema:
        kept["items"] = {
            key: entry for key, entry in mapping(schema["items"]).items() if key in ("type", "format", "enum")
        }
    if isinstance(kept.get("enum"), list):
        kept["enum"] = kept["enum"][:30]
    return {key: _short(entry) if isinstance(entry, str) else entry for key, entry in kept.items()}


def _response(value: dict[str, Any], code: str, given: Any) -> dict[str, Any]:
    response = mapping(follow_reference(value, given))
    return {"status": code, "description": _short(response.get("description")), **_content(response)}


def _content(holder: dict[str, Any]) -> dict[str, Any]:
    """The media types and the named schemas of a request body or response."""
    content = mapping(holder.get("content"))
    return {"media_types": list(content), "schemas": sorted({_named(entry) for entry in content.values()} - {""})}


def _named(media_type: Any) -> str:
    """The component that a media type's schema refers to, or its items do as `[Name]`; else empty."""
    schema = mapping(mapping(media_type).get("schema"))
    items = mapping(schema.get("items"))
    if isinstance(items.get("$ref"), str):
        return f"[{items['$ref'].rpartition('/')[2]}]"
    return text(schema.get("$ref")).rpartition("/")[2]


def security_of(requirements: Any) -> list[list[str]]:
    """Alternatives, each the schemes that are needed together; an empty alternative needs none."""
    return [sorted(requirement) for requirement in sequence(requirements) if isinstance(requirement, dict)]


def _scheme(name: str, scheme: dict[str, Any]) -> dict[str, Any]:
    kept = ("type", "scheme", "in", "bearerFormat", "openIdConnectUrl")
    described = {key: _short(scheme[key]) for key in kept if isinstance(scheme.get(key), str)}
    if isinstance(scheme.get("name"), str):
        described["parameter"] = _short(scheme["name"])
    flows = mapping(scheme.get("flows"))
    return {"name": name, **described, **({"flows": sorted(flows)} if flows else {})}


def _short(value: Any) -> str:
    words = value if isinstance(value, str) else "" if value is None else str(value)
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


_NAMED = re.compile(r"(?:([A-Za-z]{3,20})\s+)?(/\S*)")
_PARAMETER = re.compile(r"\\\{[^{}]*\\\}")
Operation = dict[str, Any]


def named_operation(query: str) -> tuple[str, str] | None:
    """Method (in capitals, empty for any) and path of `GET /orders` or `/orders`; None for anything else."""
    found = _NAMED.fullmatch(query.strip())
    return ((found.group(1) or "").upper(), found.group(2)) if found else None


def matching_operations(document: dict[str, Any], entries: Sequence[Operation], query: str) -> list[Operation]:
    """Selects the named operations from those of `operation_list`.

    Args:
        query: an operationId; or a path with or without a method, which may be a template, a real path, contain the
            servers' base path, or be the beginning of paths when none is equal.
    """
    by_id = [entry for entry in entries if entry["id"] == query.strip()]
    named = named_operation(query)
    # An operationId is exact and unique; nothing else can be meant.
    if by_id or named is None:
        return by_id
    method, path = named
    offered = [entry for entry in entries if method in ("", entry["method"])]
    for wanted in _spellings(document, path):
        equal = [item for item in offered if item["path"].rstrip("/") == wanted]
        real = equal or [item for item in offered if _template(item["path"]).fullmatch(wanted)]
        if real:
            return real
    for wanted in _spellings(document, path):
        below = [item for item in offered if item["path"].startswith(f"{wanted}/")]
        if below:
            return below
    return []


def _spellings(document: dict[str, Any], path: str) -> list[str]:
    """The path itself, then without the base path of each server."""
    plain = path.partition("?")[0].rstrip("/")
    spelled = [plain]
    for server in sequence(document.get("servers")):
        try:
            base = urlsplit(text(mapping(server).get("url"))).path.rstrip("/")
        except ValueError:
            continue
        if base and plain.startswith(f"{base}/"):
            spelled.append(plain.removeprefix(base))
    return list(dict.fromkeys(spelled))


def _template(path: str) -> re.Pattern[str]:
    return re.compile(_PARAMETER.sub("[^/]+", re.escape(path.rstrip("/"))))
