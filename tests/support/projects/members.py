"""An application whose members sign up, log in and keep notes of their own, and whose librarian sees all members."""

APP = '''"""Members and their notes."""

import json
import os
import secrets

KEPT = "members.json"
MEMORY = {}


def state():
    if os.environ.get("MEMBERS_IN_MEMORY"):
        found = MEMORY
    elif os.path.exists(KEPT):
        with open(KEPT) as file:
            found = json.load(file)
    else:
        found = {}
    found.setdefault("members", {os.environ["LIBRARIAN_EMAIL"]: os.environ["LIBRARIAN_PASSWORD"]})
    found.setdefault("tokens", {})
    found.setdefault("notes", {})
    return found


def save(found):
    if found is not MEMORY:
        with open(KEPT, "w") as file:
            json.dump(found, file)


def app(environ, start_response):
    length = int(environ.get("CONTENT_LENGTH") or 0)
    text = environ["wsgi.input"].read(length)
    try:
        body = json.loads(text or b"{}")
    except ValueError:
        body = None
    found = state()
    status, answer = answered(found, environ["REQUEST_METHOD"], environ["PATH_INFO"], environ, body)
    save(found)
    phrases = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden"}
    start_response(f"{status} {phrases.get(status, 'Answer')}", [("Content-Type", "application/json")])
    return [b"" if answer is None else json.dumps(answer).encode()]


def answered(found, method, path, environ, body):
    if not isinstance(body, dict):
        return 422, {"error": "no JSON object"}
    if (method, path) in (("POST", "/members"), ("POST", "/login")):
        email, password = body.get("email"), body.get("password")
        if not isinstance(email, str) or not isinstance(password, str) or len(password) < 8:
            return 422, {"error": "an e-mail address and a password"}
        if path == "/members":
            if email in found["members"]:
                return 409, {"error": "there is such a member"}
            found["members"][email] = password
            return 201, {"email": email}
        if found["members"].get(email) != password:
            return 400, {"error": "wrong password"}
        token = secrets.token_hex(20)
        found["tokens"][token] = email
        return 200, {"access_token": token}
    who = found["tokens"].get(environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer "))
    if who is None:
        return 401, {"error": "who are you?"}
    if path == "/members":
        return (200, sorted(found["members"])) if who == os.environ["LIBRARIAN_EMAIL"] else (403, {"error": "not you"})
    if path == "/me":
        return 200, {"email": who}
    if path == "/notes" and method == "GET":
        return 200, [note for note in found["notes"].values() if note["owner"] == who]
    if path == "/notes":
        if not isinstance(body.get("title"), str):
            return 422, {"error": "a title"}
        number = len(found["notes"]) + 1
        note = {"id": number, "owner": who, "title": body["title"], "text": body.get("text")}
        found["notes"][str(number)] = note
        return 201, note
    note = found["notes"].get(path.rpartition("/")[2])
    if note is None:
        return 404, {"error": "no such note"}
    if note["owner"] != who:
        return 403, {"error": "not yours"}
    if method == "PATCH":
        note.update({key: value for key, value in body.items() if key in ("title", "text")})
    elif method == "DELETE":
        del found["notes"][str(note["id"])]
        return 204, None
    return 200, note
'''

_SIGNED_IN = [{"bearer": []}]
_NOTE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "text": {"type": ["string", "null"]}},
    "required": ["title"],
}


def _takes(schema: object) -> dict[str, object]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answers(status: str) -> dict[str, object]:
    return {status: {"description": "as asked"}, "422": {"description": "not understood"}}


_ACCOUNT = {
    "type": "object",
    "properties": {
        "email": {"type": "string", "format": "email"},
        "password": {"type": "string", "minLength": 8},
    },
    "required": ["email", "password"],
}
_ONE = {"name": "note_id", "in": "path", "required": True, "schema": {"type": "integer"}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Members", "version": "1"},
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/members": {
            "post": {"operationId": "signUp", "requestBody": _takes(_ACCOUNT), "responses": _answers("201")},
            "get": {"operationId": "listMembers", "security": _SIGNED_IN, "responses": _answers("200")},
        },
        "/login": {"post": {"operationId": "logIn", "requestBody": _takes(_ACCOUNT), "responses": _answers("200")}},
        "/me": {"get": {"operationId": "readMe", "security": _SIGNED_IN, "responses": _answers("200")}},
        "/notes": {
            "post": {
                "operationId": "addNote",
                "security": _SIGNED_IN,
                "requestBody": _takes(_NOTE),
                "responses": _answers("201"),
            },
            "get": {"operationId": "listNotes", "security": _SIGNED_IN, "responses": _answers("200")},
        },
        "/notes/{note_id}": {
            "parameters": [_ONE],
            "get": {"operationId": "readNote", "security": _SIGNED_IN, "responses": _answers("200")},
            "patch": {
                "operationId": "changeNote",
                "security": _SIGNED_IN,
                "requestBody": _takes({"type": "object", "properties": _NOTE["properties"]}),
                "responses": _answers("200"),
            },
            "delete": {"operationId": "removeNote", "security": _SIGNED_IN, "responses": _answers("204")},
        },
    },
}
VARIABLES = {"LIBRARIAN_EMAIL": "librarian@example.com", "LIBRARIAN_PASSWORD": "for-tests-only"}
