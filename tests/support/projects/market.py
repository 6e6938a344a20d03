"""An application in which people follow each other's news, and shops have items and tags that go together."""

from __future__ import annotations

from typing import Any

APP = '''"""Shops, their items and tags, and the news of people."""

import json
import secrets

PEOPLE, TOKENS, FOLLOWS, NEWS = {}, {}, set(), []
SHOPS, ITEMS, TAGS, LINKS = {}, {}, {}, set()


def app(environ, start_response):
    size = int(environ.get("CONTENT_LENGTH") or 0)
    body = json.loads(environ["wsgi.input"].read(size) or b"{}")
    status, answer = answered(environ["REQUEST_METHOD"], environ["PATH_INFO"].strip("/").split("/"), environ, body)
    start_response(f"{status} -", [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]


def answered(method, parts, environ, body):
    kind = parts[0]
    if kind in ("people", "login", "session") and len(parts) == 1:
        return signing_in(kind, body)
    if kind == "session":
        who = TOKENS.get(body.get("refresh_token"))
        return (200, {"name": who}) if who else (401, {"error": "no such token"})
    if kind in ("shops", "items"):
        return shopping(method, parts, body)
    who = TOKENS.get(environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer "))
    if who is None:
        return 401, {"error": "who are you?"}
    if kind == "news":
        NEWS.append({"id": len(NEWS) + 1, "text": body["text"], "by": who})
        return 201, NEWS[-1]
    if kind == "feed":
        return 200, {"news": [one for one in NEWS if (who, one["by"]) in FOLLOWS]}
    if parts[1] not in PEOPLE:
        return 404, {"error": "nobody of that name"}
    FOLLOWS.add((who, parts[1])) if method == "POST" else FOLLOWS.discard((who, parts[1]))
    return 200, {"name": parts[1], "following": method == "POST"}


def signing_in(kind, body):
    name, email, password = (body.get(part) for part in ("username", "email", "password"))
    if kind == "people":
        if email in PEOPLE.values():
            return 409, {"error": "the address is taken"}
        if name in PEOPLE:
            return 409, {"error": "the name is taken"}
        PEOPLE[name] = email
        TOKENS[name] = password
        return 201, {"username": name, "email": email}
    if TOKENS.get(name) != password or password is None:
        return 401, {"error": "wrong name or password"}
    token = secrets.token_hex(20)
    TOKENS[token] = name
    return 200, {"refresh_token" if kind == "session" else "access_token": token}


def shopping(method, parts, body):
    shelf = SHOPS if parts[0] == "shops" else ITEMS
    number = int(parts[1]) if len(parts) > 1 else 0
    if len(parts) == 1 and method == "GET":
        return 200, list(shelf.values())
    if len(parts) == 1:
        return put(shelf, len(shelf) + 1, body)
    if len(parts) == 3 and number in SHOPS:
        TAGS[len(TAGS) + 1] = {"id": len(TAGS) + 1, "word": body["word"], "shop_id": number}
        return 201, TAGS[len(TAGS)]
    if len(parts) == 4:
        return linked(number, int(parts[3]))
    if method == "PUT":
        return put(shelf, number, body)
    if number not in shelf:
        return 404, {"error": "no such thing"}
    return 200, shelf[number] if method == "GET" else shelf.pop(number)


def put(shelf, number, body):
    missing = [name for name in ("name", *(["shop_id"] if shelf is ITEMS else [])) if name not in body]
    if number not in shelf and missing:
        return 409, {"error": f"a new one needs {missing[0]}"}
    shelf[number] = {**shelf.get(number, {"id": number}), **body}
    return 200, shelf[number]


def linked(item, tag):
    if item not in ITEMS or tag not in TAGS:
        return 404, {"error": "no such thing"}
    if ITEMS[item]["shop_id"] != TAGS[tag]["shop_id"]:
        return 400, {"error": "they are of different shops"}
    LINKS.add((item, tag))
    return 201, {"item": item, "tag": tag}
'''

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 1}


def _body(*needed: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(needed)}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _of(*names: str, schema: dict[str, Any] = _NUMBER) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def _operation(name: str, body: dict[str, Any] | None = None, *, guarded: bool = False) -> dict[str, Any]:
    answers = {str(status): {"description": "an answer"} for status in (200, 201, 400, 401, 404, 409)}
    made: dict[str, Any] = {"operationId": name, "responses": answers}
    return made | ({"requestBody": body} if body else {}) | ({"security": [{"token": []}]} if guarded else {})


_ITEM = {"name": _TEXT, "shop_id": _NUMBER}
_PERSON = {"username": _TEXT, "email": {"type": "string", "format": "email"}, "password": _TEXT}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Market", "version": "1"},
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/people": {"post": _operation("signUp", _body(*_PERSON, **_PERSON))},
        "/login": {"post": _operation("logIn", _body("username", "password", username=_TEXT, password=_TEXT))},
        "/session": {"post": _operation("openSession", _body("username", "password", username=_TEXT, password=_TEXT))},
        "/session/renewal": {"post": _operation("renew", _body("refresh_token", refresh_token=_TEXT))},
        "/news": {"post": _operation("publish", _body("text", text=_TEXT), guarded=True)},
        "/feed": {"get": _operation("feed", guarded=True)},
        "/people/{username}/follow": {
            "parameters": _of("username", schema=_TEXT),
            "post": _operation("follow", guarded=True),
            "delete": _operation("unfollow", guarded=True),
        },
        "/shops": {"post": _operation("addShop", _body("name", name=_TEXT)), "get": _operation("listShops")},
        "/shops/{shop_id}": {"parameters": _of("shop_id"), "delete": _operation("removeShop")},
        "/shops/{shop_id}/tags": {
            "parameters": _of("shop_id"),
            "post": _operation("addTag", _body("word", word=_TEXT)),
        },
        "/items": {"post": _operation("addItem", _body(*_ITEM, **_ITEM))},
        "/items/{item_id}": {
            "parameters": _of("item_id"),
            "get": _operation("readItem"),
            "put": _operation("putItem", _body(**_ITEM)),
        },
        "/items/{item_id}/tags/{tag_id}": {"parameters": _of("item_id", "tag_id"), "post": _operation("linkTag")},
    },
}
