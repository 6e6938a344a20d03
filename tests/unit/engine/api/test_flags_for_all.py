"""Acts that look like a mark of each user's own are told apart by the flag that the owner reads after another's act."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import pytest

from testwright.engine.api.document.auth import Credential
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.effects.shared_flags import shared_flags
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.anyio]


class Notes:
    """Notes that whoever asks publishes for everybody."""

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        published = any(request["method"] == "PUT" and request["auth"] == "other_user" for request in requests)
        return tuple(HttpAnswer(200, {}, json.dumps({"id": 1, "published": published})) for _ in requests)


def _world(act: str) -> ResourceModel:
    name = act[act.index("{") + 1 : act.index("}")]
    paths = {
        "/notes": {"post": {"operationId": "add", "responses": {}}},
        "/notes/{id}": {"get": {"operationId": "read", "responses": {}}},
        act: {method: {"operationId": method, "responses": {}} for method in ("put", "delete")},
    }
    api = api_from_document({"openapi": "3.1.0", "paths": paths}, path="openapi.json")
    world = ResourceModel(api, SampleValues({}))
    world.users = {name: Credential(name, "bearer", "") for name in ("user", "other_user")}
    made: Json = {"method": "POST", "path": "/notes", "auth": "user", "save": {"note_id": "/id"}}
    for operation in api.operations:
        named = {"path_parameters": {name if operation.path == act else "id": "{{note_id}}"}}
        request: Json = {"method": operation.method, "path": operation.path, "auth": "user"}
        setup = () if operation.method == "POST" else (made,)
        request |= named if setup else {}
        saves = {} if setup else {"note_id": "/id"}
        world.baselines[operation.name] = BaselineRequest(operation, request, setup, HttpAnswer(200), saves)
    return world


@pytest.mark.parametrize("act", ["/notes/{id}/publish", "/notes/{id}/publish/", "/notes/{note_id}/publish"])
async def test_the_thing_that_an_act_changes_is_found_however_its_path_is_written(act: str) -> None:
    [proposal] = await shared_flags(cast(BaselineFinder, Notes()), _world(act), 9)
    assert (proposal.operation.name, proposal.setup[-1]["path"]) == ("read", act)
