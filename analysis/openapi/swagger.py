"""Swagger 2.0 said in the words of OpenAPI 3.0, so that whoever reads documents reads one form only."""

from __future__ import annotations

from typing import Any

from .grammar import METHODS
from .problems import mapping, sequence, text

VERSION = "3.0.3"
"""The version that a converted document names."""

_FORM = "application/x-www-form-urlencoded"
_MULTIPART = "multipart/form-data"
_SCHEMA_WORDS = (
    "type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems "
    "minItems uniqueItems enum multipleOf"
).split()
_STYLES = {
    "query": {"csv": ("form", False), "multi": ("form", True), "ssv": ("spaceDelimited", False)}
    | {"pipes": ("pipeDelimited", False)},
    "path": {"csv": ("simple", False)},
    "header": {"csv": ("simple", False)},
}
_FLOWS = {"implicit": "implicit", "password": "password", "application": "clientCredentials"} | {
    "accessCode": "authorizationCode"
}
_PLACES = {"#/definitions/": "#/components/schemas/", "#/responses/": "#/components/responses/"}
_HEADS = ("info", "tags", "externalDocs", "security")
Parameter = dict[str, Any]


def to_openapi(document: dict[str, Any]) -> dict[str, Any]:
    """The document, bundled and of version 2.0, as one of version 3.0; what cannot be said there is left out.

    Parameters are put in place, because those in a body become a request body.
    """
    consumes, produces = _types(document.get("consumes")), _types(document.get("produces"))
    converted: dict[str, Any] = {"openapi": VERSION}
    converted |= {key: document[key] for key in _HEADS if key in document}
    servers = _servers(document)
    if servers:
        converted["servers"] = servers
    converted["paths"] = {
        path: _path_item(document, mapping(item), consumes, produces)
        for path, item in mapping(document.get("paths")).items()
        if not path.startswith("x-")
    }
    components = {
        "schemas": {name: _schema(entry) for name, entry in mapping(document.get("definitions")).items()},
        "responses": {
            name: _response(mapping(entry), produces) for name, entry in mapping(document.get("responses")).items()
        },
        "securitySchemes": {
            name: _scheme(mapping(entry)) for name, entry in mapping(document.get("securityDefinitions")).items()
        },
    }
    converted["components"] = {name: entry for name, entry in components.items() if entry}
    return converted | {key: entry for key, entry in document.items() if key.startswith("x-")}


def _types(value: Any) -> list[str]:
    return [item for item in sequence(value) if isinstance(item, str)]


def _servers(document: dict[str, Any]) -> list[dict[str, str]]:
    base = text(document.get("basePath"))
    host = text(document.get("host"))
    # Without a host the address is that of the document itself.
    if not host:
        return [{"url": base}] if base else []
    return [{"url": f"{scheme}://{host}{base}"} for scheme in _types(document.get("schemes")) or ["https"]]


def _path_item(
    document: dict[str, Any], item: dict[str, Any], consumes: list[str], produces: list[str]
) -> dict[str, Any]:
    shared = _parameters(document, item.get("parameters"))
    converted: dict[str, Any] = {key: entry for key, entry in item.items() if key.startswith("x-")}
    for method in METHODS:
        operation = item.get(method)
        if isinstance(operation, dict):
            converted[method] = _operation(document, operation, shared, consumes, produces)
    return converted


def _parameters(document: dict[str, Any], listed: Any) -> list[Parameter]:
    found = []
    for given_value in sequence(listed):
        name = text(mapping(given_value).get("$ref")).removeprefix("#/parameters/")
        found.append(mapping(mapping(document.get("parameters")).get(name)) if name else mapping(given_value))
    return found


def _operation(
    document: dict[str, Any],
    operation: dict[str, Any],
    shared: list[Parameter],
    consumes: list[str],
    produces: list[str],
) -> dict[str, Any]:
    own = _parameters(document, operation.get("parameters"))
    named = [(item.get("name"), item.get("in")) for item in own]
    every = [item for item in shared if (item.get("name"), item.get("in")) not in named] + own
    taken = _types(operation.get("consumes")) or consumes
    media_types = _types(operation.get("produces")) or produces
    left_out = ("parameters", "consumes", "produces", "schemes", "responses")
    converted = {key: entry for key, entry in operation.items() if key not in left_out}
    plain = [_parameter(item) for item in every if item.get("in") not in ("body", "formData")]
    if plain:
        converted["parameters"] = plain
    body = _body(every, taken)
    if body:
        converted["requestBody"] = body
    if _types(operation.get("schemes")) and text(document.get("host")):
        converted["servers"] = _servers({**document, "schemes": operation["schemes"]})
    converted["responses"] = {
        code: _response(mapping(entry), media_types) if not code.startswith("x-") else entry
        for code, entry in mapping(operation.get("responses")).items()
    }
    return converted


def _parameter(entry: Parameter) -> Parameter:
    kept = {key: value for key, value in entry.items() if key not in (*_SCHEMA_WORDS, "collectionFormat", "schema")}
    schema = _schema({key: value for key, value in entry.items() if key in _SCHEMA_WORDS})
    converted: Parameter = {**kept, "schema": schema}
    if entry.get("type") == "array":
        style = _STYLES.get(text(entry.get("in")), {}).get(text(entry.get("collectionFormat")) or "csv")
        if style:
            converted |= {"style": style[0], "explode": style[1]}
    return converted


def _body(parameters: list[Parameter], consumes: list[str]) -> dict[str, Any]:
    for parameter in parameters:
        if parameter.get("in") == "body":
            schema = _schema(parameter.get("schema", {}))
            # There is at most one body parameter, and it takes the place of form fields.
            content = {kind: {"schema": schema} for kind in consumes or ["application/json"]}
            description = {key: parameter[key] for key in ("description",) if key in parameter}
            return {**description, "content": content, "required": bool(parameter.get("required"))}
    fields = [parameter for parameter in parameters if parameter.get("in") == "formData"]
    if not fields:
        return {}
    files = any(item.get("type") == "file" for item in fields)
    kinds = [kind for kind in consumes if kind in (_FORM, _MULTIPART)]
    properties = {}
    for item in fields:
        words = {key: value for key, value in item.items() if key in (*_SCHEMA_WORDS, "description")}
        properties[text(item.get("name"))] = _schema(words)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [text(item.get("name")) for item in fields if item.get("required")]
    if required:
        schema["required"] = required
    # Files can be sent as multipart only.
    content = {kind: {"schema": schema} for kind in kinds or [_MULTIPART if files else _FORM]}
    return {"content": content, "required": bool(required)}


def _response(response: dict[str, Any], produces: list[str]) -> dict[str, Any]:
    if isinstance(response.get("$ref"), str):
        return {"$ref": _moved(response["$ref"])}
    converted = {key: entry for key, entry in response.items() if key not in ("schema", "headers", "examples")}
    examples = mapping(response.get("examples"))
    if "schema" in response or examples:
        kinds = produces or list(examples) or ["application/json"]
        schema = {"schema": _schema(response["schema"])} if "schema" in response else {}
        converted["content"] = {
            kind: {**schema, **({"example": examples[kind]} if kind in examples else {})} for kind in kinds
        }
    headers = mapping(response.get("headers"))
    if headers:
        converted["headers"] = {name: _header(mapping(entry)) for name, entry in headers.items()}
    return converted


def _header(header: dict[str, Any]) -> dict[str, Any]:
    schema = _schema({key: entry for key, entry in header.items() if key in _SCHEMA_WORDS})
    kept = {key: entry for key, entry in header.items() if key == "description" or key.startswith("x-")}
    return {**kept, "schema": schema}


def _scheme(scheme: dict[str, Any]) -> dict[str, Any]:
    description = {key: scheme[key] for key in ("description",) if key in scheme}
    if scheme.get("type") == "basic":
        return {**description, "type": "http", "scheme": "basic"}
    if scheme.get("type") != "oauth2":
        return dict(scheme)
    flow = {key: scheme[key] for key in ("authorizationUrl", "tokenUrl") if key in scheme}
    flow["scopes"] = mapping(scheme.get("scopes"))
    return {**description, "type": "oauth2", "flows": {_FLOWS.get(text(scheme.get("flow")), "implicit"): flow}}


def _moved(reference: str) -> str:
    for old, new in _PLACES.items():
        if reference.startswith(old):
            return new + reference.removeprefix(old)
    return reference


def _schema(schema: Any) -> Any:
    """A schema with its references moved; files, `x-nullable` and discriminators are said as in 3.0."""
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        return {"$ref": _moved(schema["$ref"])}
    converted = dict(schema)
    if converted.get("type") == "file":
        converted |= {"type": "string", "format": "binary"}
    if isinstance(converted.pop("x-nullable", None), bool) and schema["x-nullable"]:
        converted["nullable"] = True
    if isinstance(converted.get("discriminator"), str):
        converted["discriminator"] = {"propertyName": converted["discriminator"]}
    converted.pop("collectionFormat", None)
    if isinstance(converted.get("properties"), dict):
        converted["properties"] = {name: _schema(entry) for name, entry in converted["properties"].items()}
    for key in ("items", "additionalProperties", "not"):
        if key in converted:
            converted[key] = _schema(converted[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if isinstance(converted.get(key), list):
            converted[key] = [_schema(item) for item in converted[key]]
    return converted
