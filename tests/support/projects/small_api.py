"""A small HTTP API on the standard library alone, its OpenAPI document, and what goes wrong with applications."""

from __future__ import annotations

from typing import Any

APP = '''"""Notes over HTTP."""

import json
import os
import sys

NOTES = {}
TOKEN = os.environ.get("NOTES_TOKEN", "")


def app(environ, start_response):
    status, body = answer(environ)
    start_response(str(status) + " -", [("Content-Type", "application/json")])
    return [b"" if body is None else json.dumps(body).encode()]


def answer(environ):
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    size = int(environ.get("CONTENT_LENGTH") or 0)
    try:
        body = json.loads(environ["wsgi.input"].read(size) or b"null")
    except ValueError:
        return 400, {"error": "no JSON"}
    if path == "/notes":
        return collection(method, body, environ)
    if path == "/die":
        os._exit(7)
    if path == "/hang":
        while True:
            pass
    if path == "/tell":
        print("the token is", TOKEN, file=sys.stderr)
        os._exit(8)
    number = path.rpartition("/")[2]
    if not path.startswith("/notes/") or not number.isdigit() or int(number) not in NOTES:
        return 404, {"error": "no such note"}
    if method == "GET":
        return 200, NOTES[int(number)]
    if method == "DELETE":
        if environ.get("HTTP_AUTHORIZATION") != "Bearer " + TOKEN:
            return 401, {"error": "sign in"}
        return 204, NOTES.pop(int(number)) and None
    return 405, {"error": "not so"}


def collection(method, body, environ):
    if method == "GET":
        return 200, list(NOTES.values())
    if method != "POST":
        return 405, {"error": "not so"}
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        return 422, {"error": "no text"}
    if len(body["text"]) > 20:
        return 422, {"error": "too long"}
    if body["text"] == "x" * 20:
        raise RuntimeError("the very longest")
    number = len(NOTES) + 1
    NOTES[number] = {"id": number, "text": body["text"], "stars": body.get("stars", 0)}
    return 201, NOTES[number]
'''

_NOTE = {
    "type": "object",
    "required": ["id", "text", "stars"],
    "properties": {"id": {"type": "integer"}, "text": {"type": "string"}, "stars": {"type": "integer"}},
}
_NEW = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 20},
        "stars": {"type": "integer", "minimum": 0, "maximum": 5},
    },
}


def json_answer(schema: Any, status: str = "200") -> dict[str, Any]:
    """One documented answer."""
    return {status: {"description": "", "content": {"application/json": {"schema": schema}}}}


_PLAIN = {"description": ""}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes": {
            "get": {
                "operationId": "listNotes",
                "responses": json_answer({"type": "array", "items": {"$ref": "#/components/schemas/Note"}}),
            },
            "post": {
                "operationId": "createNote",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewNote"}}},
                },
                "responses": {
                    **json_answer({"$ref": "#/components/schemas/Note"}, "201"),
                    "400": _PLAIN,
                    "422": _PLAIN,
                },
            },
        },
        "/notes/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "operationId": "readNote",
                "responses": {**json_answer({"$ref": "#/components/schemas/Note"}), "404": _PLAIN},
            },
            "delete": {
                "operationId": "deleteNote",
                "security": [{"Token": []}],
                "responses": {"204": _PLAIN, "401": _PLAIN, "404": _PLAIN},
            },
        },
    },
    "components": {
        "schemas": {"Note": _NOTE, "NewNote": _NEW},
        "securitySchemes": {"Token": {"type": "http", "scheme": "bearer"}},
    },
}
"""Defects that were planted by hand: `stars` is not checked, and a text of 20 characters is a server error."""

FASTAPI_APP = '''"""Counters over HTTP."""

from typing import Dict

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI(title="Counters")
COUNTERS: Dict[int, int] = {}


class Start(BaseModel):
    value: int = Field(ge=0, le=9)


@app.post("/counters", status_code=201)
def create(body: Start) -> Dict[str, int]:
    """Begin a counter."""
    COUNTERS[len(COUNTERS) + 1] = body.value
    return {"id": len(COUNTERS), "value": body.value}


@app.get("/counters/{id}", responses={404: {"description": "none"}})
def read(id: int) -> Dict[str, int]:
    """Read a counter."""
    if id not in COUNTERS:
        raise HTTPException(404, "no such counter")
    return {"id": id, "value": COUNTERS[id], "tenth": 10 // (9 - COUNTERS[id])}
'''
"""Its defect: a counter that begins at 9 cannot be read."""
