"""An API with what plain ones lack: secrets in answers, counted calls, lists with bounds, forms, cookies, two keys."""

from __future__ import annotations

from typing import Any

from .small_api import json_answer

KEY = "sk-" + "proj-" + "Ab3dEf6hIj9kLm2nOp5q"
"""Put together here, so that no file holds what looks like a real one."""

APP = '''"""Odds and ends over HTTP."""

import json
import os
from urllib.parse import parse_qs

STATE = {"visits": 0, "attempts": 0, "orders": []}
KEY = "sk-" + "proj-" + "Ab3dEf6hIj9kLm2nOp5q"
LINES = {"sku", "quantity"}


def app(environ, start_response):
    status, body = answer(environ)
    start_response(str(status) + " -", [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


def answer(environ):
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    sent = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
    known = {
        ("GET", "/config"): lambda: (200, {"name": "odds", "key": KEY, "db": "postgres://admin:hunter22@db/odds"}),
        ("GET", "/visits"): visits,
        ("POST", "/login"): lambda: login(parse_qs(sent)),
        ("POST", "/orders"): lambda: order(sent),
        ("GET", "/orders"): lambda: (200, STATE["orders"]),
        ("POST", "/upload"): lambda: upload(environ, sent),
        ("GET", "/theme"): lambda: theme(environ.get("HTTP_COOKIE", "")),
        ("GET", "/vault"): lambda: vault(environ),
    }
    if (method, path) in known:
        return known[method, path]()
    return (405, {"error": "no such method"}) if path in {one for _, one in known} else (404, {"error": "nothing"})


def visits():
    STATE["visits"] += 1
    return 200, {"visits": STATE["visits"]}


def login(fields):
    STATE["attempts"] += 1
    if STATE["attempts"] > 3:
        return 423, {"error": "locked"}
    if not fields.get("username") or not fields.get("password"):
        return 422, {"error": "username and password"}
    if len(fields["username"][0]) > 8:
        return 422, {"error": "too long"}
    return 403, {"error": "unknown"}


def order(sent):
    try:
        lines = json.loads(sent)["lines"]
        assert 1 <= len(lines) <= 3
        assert len({json.dumps(one) for one in lines}) == len(lines)
        assert all(set(one) == LINES and type(one["quantity"]) is int and one["quantity"] > 0 for one in lines)
        assert all(isinstance(one["sku"], str) for one in lines)
    except (ValueError, KeyError, TypeError, AssertionError):
        return 422, {"error": "lines"}
    STATE["orders"].append({"number": len(STATE["orders"]) + 1, "lines": lines})
    return 201, STATE["orders"][-1]


def upload(environ, sent):
    whole = "multipart/form-data" in environ.get("CONTENT_TYPE", "") and 'filename="' in sent and 'name="title"' in sent
    return (201, {"stored": True}) if whole else (422, {"error": "a title and a file"})


def theme(cookies):
    for one in cookies.split("; "):
        if one in ("theme=light", "theme=dark"):
            return 200, {"theme": one.partition("=")[2]}
    return 422, {"error": "theme"}


def vault(environ):
    key, token = environ.get("HTTP_X_VAULT_KEY"), environ.get("HTTP_AUTHORIZATION")
    if key != os.environ["VAULT_KEY"] or token != "Bearer " + os.environ["VAULT_TOKEN"]:
        return 401, {"error": "both are needed"}
    return 200, {"gold": 7}
'''

_TEXT = {"type": "string"}
_LINE = {
    "type": "object",
    "required": ["sku", "quantity"],
    "additionalProperties": False,
    "properties": {"sku": _TEXT, "quantity": {"type": "integer", "minimum": 1}},
}
_LINES = {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": True, "items": _LINE}
_ORDER = {"type": "object", "required": ["number", "lines"], "properties": {"number": {"type": "integer"}}}
_ERROR = {"type": "object", "required": ["error"], "properties": {"error": _TEXT}}


def _form(media_type: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "required": list(properties), "properties": properties}
    return {"required": True, "content": {media_type: {"schema": schema}}}


def _answers(status: str, schema: Any, *refusals: str) -> dict[str, Any]:
    return json_answer(schema, status) | {
        key: one for refusal in refusals for key, one in json_answer(_ERROR, refusal).items()
    }


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Odds", "version": "1"},
    "paths": {
        "/config": {
            "get": {
                "operationId": "readConfig",
                "parameters": [{"name": "key", "in": "query", "schema": _TEXT, "example": KEY}],
                "responses": _answers("200", {"type": "object"}),
            }
        },
        "/visits": {"get": {"operationId": "countVisit", "responses": _answers("200", {"type": "object"})}},
        "/login": {
            "post": {
                "operationId": "signIn",
                "requestBody": _form(
                    "application/x-www-form-urlencoded",
                    username={**_TEXT, "maxLength": 8},
                    password={**_TEXT, "minLength": 1},
                ),
                "responses": _answers("200", {"type": "object"}, "403", "422", "423"),
            }
        },
        "/orders": {
            "get": {"operationId": "listOrders", "responses": _answers("200", {"type": "array", "items": _ORDER})},
            "post": {
                "operationId": "createOrder",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "required": ["lines"], "properties": {"lines": _LINES}}
                        }
                    },
                },
                "responses": _answers("201", _ORDER, "422"),
            },
        },
        "/upload": {
            "post": {
                "operationId": "storeFile",
                "requestBody": _form("multipart/form-data", title=_TEXT, file={**_TEXT, "format": "binary"}),
                "responses": _answers("201", {"type": "object"}, "422"),
            }
        },
        "/theme": {
            "get": {
                "operationId": "readTheme",
                "parameters": [
                    {"name": "theme", "in": "cookie", "required": True, "schema": {"enum": ["light", "dark"]}}
                ],
                "responses": _answers("200", {"type": "object"}, "422"),
            }
        },
        "/vault": {
            "get": {
                "operationId": "openVault",
                "security": [{"Token": [], "Key": []}],
                "responses": _answers("200", {"type": "object"}, "401"),
            }
        },
    },
    "components": {
        "securitySchemes": {
            "Token": {"type": "http", "scheme": "bearer"},
            "Key": {"type": "apiKey", "in": "header", "name": "X-Vault-Key"},
        },
    },
}
