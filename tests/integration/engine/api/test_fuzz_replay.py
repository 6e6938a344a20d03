"""Server errors that Schemathesis met after other requests, replayed on a small application that is really served.

The events are those that Schemathesis 4.32 recorded of this application, shortened.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch, open_application
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import Api, ObservedProposal
from testwright.engine.api.probe.defects import suspected_defects
from testwright.engine.api.probe.effects.fuzz_replay import Counterexample, FuzzReplay
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.values.data import SampleValues
from testwright.sandbox.worker.http.run_schemathesis import counterexamples
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("T-20")
EVENTS = Path(__file__).parents[3] / "data" / "fuzzing" / "stateful.ndjson"
ADDRESS = "http://127.0.0.1:18765"
NOTES = """
import json
import re

NOTES = {}


def app(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    status, answer = "404 Not Found", {"detail": "no such note"}
    named = re.fullmatch("/notes/([a-z0-9]+)", path)
    if (method, path) == ("POST", "/notes"):
        status, answer = "422 Invalid", {"detail": "no text"}
        if b'"text"' in body:
            key = "note%05d" % (7919 * len(NOTES) + 11)
            NOTES[key] = "text"
            status, answer = "201 Created", {"key": key}
    elif named and named[1] in NOTES:
        status, answer = "200 OK", {"ok": True}
        if method == "DELETE":
            NOTES[named[1]] = None
        else:
            answer = {"letters": letters(NOTES[named[1]])}
    start_response(status, [("content-type", "application/json")])
    return [json.dumps(answer).encode()]


def letters(text):
    return len(text)
"""
_KEY = {"name": "key", "in": "path", "required": True, "schema": {"type": "string"}}
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_MADE = {"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}
_READ = {"200": {"description": "there"}, "404": {"description": "not there"}}
NOTES_DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes": {
            "post": {
                "operationId": "make",
                "requestBody": {"required": True, "content": {"application/json": {"schema": _TEXT}}},
                "responses": {
                    "201": {"description": "made", "content": {"application/json": {"schema": _MADE}}},
                    "422": {"description": "invalid"},
                },
            }
        },
        "/notes/{key}": {
            "get": {"operationId": "read", "parameters": [_KEY], "responses": _READ},
            "delete": {"operationId": "remove", "parameters": [_KEY], "responses": _READ},
        },
    },
}


def _recorded() -> list[dict[str, Any]]:
    return counterexamples(EVENTS.read_text().splitlines(), ADDRESS)["counterexamples"]


async def _replayed(root: Path, found: Sequence[dict[str, Any]]) -> tuple[Api, list[ObservedProposal], int]:
    api, launch = api_from_document(NOTES_DOCUMENT, path="src/web.py"), AppLaunch("web:app", import_roots=("src",))
    async with prepared(root, {"src/web.py": NOTES}) as target, open_application(target, launch) as observer:
        seen, lost = await FuzzReplay(observer, api, {}).seen([Counterexample("", one) for one in found])
    return api, seen, lost


def test_a_server_error_after_other_requests_is_told_with_those_it_needs(tmp_path: Path) -> None:
    api, [seen], lost = asyncio.run(_replayed(tmp_path, _recorded()))
    assert lost == 0
    assert seen.steady
    assert [step["method"] for step in seen.proposal.setup] == ["POST", "DELETE"], "the second removal is left out"
    verdict = find_violation(seen, api, SampleValues(api.components))
    assert verdict is not None
    [defect] = suspected_defects([verdict], {}, "started by hand:")
    assert defect["title"].startswith("GET /notes/{key} answers 500: after POST /notes, DELETE /notes/{key}")
    sent = [line for line in defect["reproduce"].splitlines() if "curl" in line]
    assert all(word in line for line, word in zip(sent, ("-X POST", "-X DELETE", "/notes/${MADE_1}"), strict=True))


def test_what_does_not_come_again_is_counted_and_not_told(tmp_path: Path) -> None:
    [found] = _recorded()
    _, seen, lost = asyncio.run(_replayed(tmp_path, [{**found, "stories": []}]))
    assert (seen, lost) == ([], 1)


def test_a_value_of_an_earlier_scenario_is_made_again(tmp_path: Path) -> None:
    """The note was made and removed in one scenario, and is read in another."""
    [event] = [json.loads(line) for line in EVENTS.read_text().splitlines() if "ScenarioFinished" in line]
    recorder = event["ScenarioFinished"]["recorder"]
    *before, last = recorder["cases"]
    halves = [
        {
            key: {name: entry for name, entry in part.items() if (name == last) is read}
            for key, part in recorder.items()
            if key != "label"
        }
        for read in (False, True)
    ]
    lines = [json.dumps({"ScenarioFinished": {"recorder": half}}) for half in halves]
    [found] = counterexamples(lines, ADDRESS)["counterexamples"]
    assert len(found["stories"][0]["before"]) == len(before)
    _, [seen], _ = asyncio.run(_replayed(tmp_path, [found]))
    assert seen.answer.status == 500


def test_a_change_that_ended_in_a_server_error_may_have_been_stored() -> None:
    recorded = json.loads(EVENTS.read_text().splitlines()[-1])
    interactions = recorded["ScenarioFinished"]["recorder"]["interactions"]
    for interaction in interactions.values():
        if interaction["request"]["method"] == "DELETE":
            interaction["response"]["status_code"] = 500
    [found] = counterexamples([json.dumps(recorded)], ADDRESS)["counterexamples"]
    assert [step["method"] for step in found["stories"][0]["before"]] == ["POST", "DELETE", "DELETE"]
