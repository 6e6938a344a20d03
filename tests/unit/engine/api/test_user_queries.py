"""Lists are read by the names of users where a text of a query may be one: by author, or liked by whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.lists.filled import BY_USERS, filled_lists
from testwright.engine.api.probe.lists.query_effects import with_effect
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.second_values import second_things
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.baselines import add_baselines

pytestmark = pytest.mark.feature("T-20")
TEXT: Json = {"type": "string"}
BODY = {
    "content": {
        "application/json": {"schema": {"type": "object", "properties": {"title": TEXT}, "required": ["title"]}}
    }
}
QUERIES = {
    "author": TEXT,
    "tag": TEXT,
    "sort": TEXT,
    "kind": {"enum": ["a"]},
    "limit": TEXT,
    "age": {"type": "integer"},
}
PARAMETERS = [{"name": name, "in": "query", "schema": schema} for name, schema in QUERIES.items()]


class Notes:
    """Notes by whom they are; a tag leaves none, and an unknown author is an error."""

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        made: list[Json] = []
        for number, step in enumerate(requests):
            if step["method"] == "POST":
                made.append({"id": number, "by": step.get("auth"), **step["body"]["content"]})
        query: dict[str, Any] = requests[-1].get("query") or {}
        names = {"{{USER_NAME}}": "user", "{{OTHER_NAME}}": "other_user"}
        if "author" in query:
            made = [one for one in made if one["by"] == names[query["author"]]]
        made = [] if "tag" in query else made
        return (*(HttpAnswer(201, {}, '{"id": 1}') for _ in requests[1:]), HttpAnswer(200, {}, json.dumps(made)))


async def _proposed() -> list[Proposal]:
    paths = {
        "/notes": {
            "post": {"operationId": "add", "requestBody": BODY, "responses": {}},
            "get": {"operationId": "list", "parameters": PARAMETERS, "responses": {}},
        }
    }
    api = api_from_document({"openapi": "3.1.0", "paths": paths}, path="openapi.json")
    sign_in = SignIn(({"method": "POST", "path": "/login"},), "/token")
    users = {name: Credential(name, "bearer", "TOKEN", sign_in=sign_in) for name in ("user", "other_user")}
    world = ResourceModel(api, SampleValues({}), users=users, roles={"add": "user"})
    add_baselines(world, lambda _: (HttpAnswer(200, {}, '{"id": 1}'), {}))
    finder = cast(BaselineFinder, Notes())
    lists = [*filled_lists(world, await second_things(finder, world))]
    by_users = [one for one in lists if one.group == BY_USERS]
    assert {next(iter(one.request["query"])) for one in by_users} == {"author", "tag"}
    return await with_effect(finder, world, by_users, 99)


async def test_a_query_by_the_name_of_a_user_is_kept_where_it_picks_out_some() -> None:
    found = [one.request["query"] for one in await _proposed()]
    assert found == [{"author": "{{USER_NAME}}"}, {"author": "{{OTHER_NAME}}"}]


async def test_its_words_tell_the_user_and_how_the_list_is_filled() -> None:
    titles = [one.title for one in await _proposed()]
    assert titles == [
        "GET /notes by author lists what is of one user",
        "GET /notes by author lists what is of another user",
    ]
