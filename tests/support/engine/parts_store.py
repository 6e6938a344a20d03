"""A store of parts for two users and an administrator, in memory: its document, and what is known of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.values.data import SampleValues

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
KIND = {"enum": ["tool", "food"], "default": "tool"}
ONE = {"name": "part_id", "in": "path", "required": True, "schema": NUMBER}
TAGS = {"type": "array", "items": TEXT}
CODES = {**TAGS, "readOnly": True}
SORT = {"name": "sort", "in": "query", "schema": {"type": "string"}}


def _body(required: list[str], **properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


USER = _body(["email", "password"], email=TEXT, password=TEXT)
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/users": {"post": {"operationId": "sign_up", "requestBody": USER, "responses": {}}},
        "/login": {"post": {"operationId": "log_in", "requestBody": USER, "responses": {}}},
        "/logout": {"post": {"operationId": "log_out", "responses": {}}},
        "/me": {"get": {"operationId": "me", "responses": {}}},
        "/parts": {
            "post": {
                "operationId": "add",
                "requestBody": _body(
                    ["title", "kind", "price"], title=TEXT, kind=KIND, price=NUMBER, tags=TAGS, codes=CODES
                ),
                "responses": {},
            },
            "get": {"operationId": "list", "parameters": [SORT], "responses": {}},
        },
        "/parts/{part_id}": {
            "parameters": [ONE],
            "get": {"operationId": "read", "responses": {}},
            "patch": {"operationId": "change", "requestBody": _body([], title=TEXT, price=NUMBER), "responses": {}},
            "delete": {"operationId": "remove", "responses": {}},
        },
        "/parts/{part_id}/moves": {
            "parameters": [ONE],
            "post": {"operationId": "move", "requestBody": _body(["pieces"], pieces=NUMBER), "responses": {}},
            "get": {"operationId": "moves", "responses": {}},
        },
        "/stock": {"get": {"operationId": "stock", "responses": {}}},
        "/health": {"get": {"operationId": "health", "responses": {}}},
        "/uptime": {"get": {"operationId": "uptime", "responses": {}}},
    },
}


class Store:
    """A store for two users and an administrator, in memory: parts and what moves in and out of it.

    What is there may go out and no more; a part that has pieces stays. Numbers of removed parts are given again.
    """

    def __init__(self) -> None:
        self.token: Callable[[int], str] = "another {}".format
        self.times = count()

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.logins = 0
        self.parts: dict[int, Json] = {}
        self.ended: set[str] = set()
        saved: dict[str, Any] = {}
        answers: list[HttpAnswer] = []
        for request in requests:
            text = re.sub(r"\{\{(\w+)\}\}", lambda found: str(saved.get(found[1], 0)), json.dumps(request))
            answers.append(self._answer(json.loads(text)))
            for name, pointer in (request.get("save") or {}).items():
                saved[name] = json.loads(answers[-1].text).get(pointer[1:])
        return tuple(answers)

    def _answer(self, request: Json) -> HttpAnswer:
        user, method, path = request.get("auth", ""), request["method"], request["path"]
        content: Any = (request.get("body") or {}).get("content")
        if path == "/users":
            return _told({"email": content["email"]})
        if path == "/login":
            self.logins += 1
            return _told({"token": self.token(self.logins)})
        if path == "/logout":
            self.ended.add(user)
            return HttpAnswer(204)
        if user in self.ended:
            return HttpAnswer(401)
        if path == "/me":
            return _told({"name": user})
        if path in ("/health", "/uptime"):
            time = next(self.times)
            return _told({"time": time}) if path == "/health" else HttpAnswer(200, {}, f"up for {time} s")
        if path == "/stock":
            pieces: Counter[str] = Counter()
            for part in self.parts.values():
                pieces[part["kind"]] += sum(part["moves"])
            return _told(pieces)
        if path == "/parts" and method == "POST":
            made: Json = {**content, "id": max(self.parts, default=0) + 1, "by": user, "moves": []}
            self.parts[made["id"]] = made
            return _told(made)
        if path == "/parts":
            order = (request.get("query") or {}).get("sort", "id")
            if order.lstrip("-") not in ("id", "title", "kind", "price"):
                return HttpAnswer(400)
            rows = sorted(self.parts.values(), key=lambda part: part[order.lstrip("-")])
            return _told(rows[::-1] if order.startswith("-") else rows)
        return self._of(self.parts[int(request["path_parameters"]["part_id"])], method, path, content)

    def _of(self, part: Json, method: str, path: str, content: Any) -> HttpAnswer:
        if path.endswith("/moves") and method == "POST":
            if sum(part["moves"]) + content["pieces"] < 0:
                return HttpAnswer(409)
            part["moves"].append(content["pieces"])
            return _told({"there": sum(part["moves"])})
        if path.endswith("/moves"):
            return _told(part["moves"])
        if method == "DELETE":
            if sum(part["moves"]):
                return HttpAnswer(409)
            del self.parts[part["id"]]
            return HttpAnswer(204)
        part |= content or {}
        return HttpAnswer(200, {"etag": '"1"'}, json.dumps(part))


class Counted:
    """Counts what is sent."""

    def __init__(self, finder: BaselineFinder) -> None:
        self._finder, self.times = finder, 0

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.times += 1
        return await self._finder.send(requests, again=again)


def _told(value: Any) -> HttpAnswer:
    return HttpAnswer(200, {}, json.dumps(value))


async def world_of(finder: BaselineFinder) -> ResourceModel:
    """Return what is known of the store after a successful request of each operation."""
    api = api_from_document(DOCUMENT, path="openapi.json")
    login = {"method": "POST", "path": "/login", "body": {"content": {"email": "{{email}}"}}}
    sign_in = SignIn(({"method": "POST", "path": "/users"}, login), "/token")
    users = {name: Credential(name, "bearer", "PASSWORD", sign_in=sign_in) for name in ("user", "other_user", "admin")}
    found = ResourceModel(api, SampleValues(api.components), users=users, guarded={"me"})
    found.logins["log_in"] = {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}
    found.roles = {one.name: "user" for one in api.operations if one.name not in ("sign_up", "log_in")}
    for operation in sorted(api.operations, key=lambda known: (known.method != "POST", known.path)):
        made = build_request(found, operation)
        assert made is not None
        request = made[0]
        if operation.name == "change":
            request = {**request, "body": {"media_type": "application/json", "content": {"title": "new"}}}
        answers = await finder.send((*made[1], request)) if operation.name != "sign_up" else (_told({"email": "ada"}),)
        assert answers[-1].ok
        saves = {"part_id": "/id"} if operation.name == "add" else {}
        found.baselines[operation.name] = BaselineRequest(operation, request, made[1], answers[-1], saves)
    return found


def by_name(found: Sequence[Proposal]) -> dict[str, Proposal]:
    """Return proposals by their operation and name."""
    return {f"{one.operation.name} {one.name}": one for one in found}
