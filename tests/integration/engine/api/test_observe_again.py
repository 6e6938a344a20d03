"""What was observed is observed again, by two applications where there is much of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.engine.api.document.application import AppConditions, AppLaunch, open_application
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import ObservedProposal, Proposal
from testwright.engine.api.probe.execute import execute_proposals
from testwright.engine.api.probe.observe_again import observe_again
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("T-20")
APP = """
import json
import os


def app(environ, start_response):
    start_response("200 OK", [("content-type", "application/json")])
    value = os.getpid() if environ["PATH_INFO"] == "/process" else environ["QUERY_STRING"]
    return [json.dumps({"told": value}).encode()]
"""
LAUNCH = AppLaunch("web:app", import_roots=("src",))
MANY = 60
DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Told", "version": "1"},
    "paths": {path: {"get": {"operationId": path[1:], "responses": {}}} for path in ("/query", "/process")},
}


async def _twice(root: Path) -> tuple[list[Proposal], list[ObservedProposal], int]:
    api = api_from_document(DOCUMENT, path="src/web.py")
    proposals = [
        Proposal(operation, f"{number}", "it is asked", "success", {**request, "query": {"number": number}})
        for number in range(MANY)
        for operation in api.operations
        for request in [{"method": "GET", "path": operation.path}]
    ]
    world = ResourceModel(api, SampleValues({}))
    async with prepared(root, {"src/web.py": APP}) as target:
        async with open_application(target, LAUNCH) as observer:
            first = await execute_proposals(observer, proposals, {})
        again, sent = await observe_again(target, LAUNCH, AppConditions(), world, first, {})
    return proposals, again, sent


def test_each_observation_is_compared_with_that_of_the_same_request(tmp_path: Path) -> None:
    proposals, again, sent = asyncio.run(_twice(tmp_path))
    assert [seen.proposal for seen in again] == proposals
    assert {seen.proposal.operation.name for seen in again if seen.unstable} == {"process"}
    assert all(seen.steady for seen in again)
    assert sent == len(proposals), "nothing is sent twice"
