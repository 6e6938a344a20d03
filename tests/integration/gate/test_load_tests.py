"""Load tests in the gate: an application is measured, its locustfile passes, and slowness fails it (T-20)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.embedded.specs.api_specs import ApiSpecGenerator
from testwright.agents.embedded.specs.load_specs import LoadSpecGenerator
from testwright.engine.performance.load.render import render_load
from testwright.gate.model.options import SuiteOptions
from testwright.gate.model.results import SuiteResult
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.runner.suite import run_suite
from testwright.gate.verify.verify import verify_files
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared
from testwright.utils.user_folders import cache_folders

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.anyio]

PATH = "tests/generated/load/locustfile_notes.py"
SECONDS = 2.0
NOWHERE = Path("/nowhere")
NOTES = """
import itertools
import time

from flask import Flask, jsonify, request

app = Flask(__name__)
NOTES, NUMBERS = {}, itertools.count(1)


@app.post("/notes")
def create_note():
    number = next(NUMBERS)
    NOTES[number] = {"number": number, "text": (request.get_json(silent=True) or {}).get("text", "")}
    return jsonify(NOTES[number]), 201


@app.get("/notes")
def list_notes():
    return jsonify(list(NOTES.values())[:10])


@app.get("/notes/<int:number>")
def read_note(number):
    return jsonify(NOTES[number])
"""


class NoDocuments:
    """There is no document: the routes are read."""

    paths = ()

    async def load(self, endpoint: str) -> Any:
        raise AssertionError(endpoint)

    def read(self, location: str, content: bytes) -> None:
        return None


def shop(text: str = NOTES) -> dict[str, str]:
    return {"src/notes.py": text}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def target(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path_factory.mktemp("load"), shop(), caches=cache_folders(NOWHERE)) as found:
        yield found


@pytest.fixture(scope="module")
async def spec(target: PythonTarget) -> Mapping[str, Any]:
    async def ready() -> PythonTarget:
        return target

    generator = LoadSpecGenerator(ApiSpecGenerator(ready, target.root, NoDocuments()), SECONDS)
    named = {"path": "src/notes.py", "application": {"import": "notes:app"}, "profiles": ["smoke"]}
    return (await generator.generate({"target": named})).spec


def files_of(spec: Mapping[str, Any]) -> dict[str, str]:
    return {file.path: file.contents for file in render_load(spec, "locust", PATH)}


async def run(folder: Path, text: str, spec: Mapping[str, Any]) -> SuiteResult:
    """One run of the load tests on the application with another source."""
    async with prepared(folder, shop(text), caches=cache_folders(NOWHERE)) as target:
        options = SuiteOptions(test_seconds=60, load_seconds=SECONDS)
        return await run_suite(target, files_of(spec), framework="locust", options=options)


async def test_the_load_tests_of_a_healthy_application_pass_three_times(target: PythonTarget, spec: Any) -> None:
    options = VerifyOptions(repeats=2, test_seconds=60, load_seconds=SECONDS, beside=False)
    found = await verify_files(target, files_of(spec), framework="locust", spec=spec, options=options)
    assert [(verdict.case_id, verdict.verdict, verdict.runs) for verdict in found.verdicts] == [
        ("tc_notes_app_smoke", "kept", 3)
    ]


async def test_a_handler_that_sleeps_fails_them_and_the_figure_is_named(tmp_path: Path, spec: Any) -> None:
    slow = NOTES.replace("    return jsonify(list", "    time.sleep(0.2)\n    return jsonify(list")
    [test] = (await run(tmp_path, slow, spec)).tests
    assert test.outcome == "failed"
    assert "round trips, at most" in test.message


async def test_a_handler_that_fails_now_and_then_fails_them(tmp_path: Path, spec: Any) -> None:
    broken = NOTES.replace("    return jsonify(list", "    1 / (next(NUMBERS) % 3)\n    return jsonify(list")
    [test] = (await run(tmp_path, broken, spec)).tests
    assert test.outcome == "failed"
    assert "error_rate is" in test.message


async def test_a_server_that_dies_is_named_and_nothing_waits_for_it(tmp_path: Path, spec: Any) -> None:
    dying = NOTES.replace("    return jsonify(list", "    __import__('os')._exit(3)\n    return jsonify(list")
    [test] = (await run(tmp_path, dying, spec)).tests
    assert test.outcome == "failed"
    assert "error_rate is" in test.message
