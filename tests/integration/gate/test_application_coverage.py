"""What tests run in the process of the application that they start: lines, branches, told test by test."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.write.render import CONFTEST, helper_source
from testwright.gate.evidence.application_files import application_files
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.model.verdicts import Verification
from testwright.gate.verify.verify import verify_files
from testwright.tests.support.engine.targets import prepared

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-01")]

ANSWERS = """
NAMES = {"a": "Ada"}


def answer(path):
    if path == "/names":
        return "200 OK", str(NAMES)
    if path == "/never":
        return "200 OK", "never asked for"
    return "404 Not Found", "there is none"
"""
WSGI = """
from answers import answer


def app(environ, start_response):
    status, text = answer(environ["PATH_INFO"])
    start_response(status, [("Content-Type", "text/plain")])
    return [text.encode()]
"""
SERVER = """
import sys
from wsgiref.simple_server import make_server

from served import app

make_server("127.0.0.1", int(sys.argv[1]), app).serve_forever()
"""
TESTS = """
from pathlib import Path

import pytest
from api_process import Application

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def api():
    with Application({started}, root=ROOT, import_roots=["."]) as started:
        yield started


def test_names(api):
    \"\"\"tc_names\"\"\"
    assert api.get("/names").status == 200


def test_nothing_there(api):
    \"\"\"tc_nothing_there\"\"\"
    assert api.get("/other").status == 404


def test_names_after_a_reset(api):
    \"\"\"tc_names_after_a_reset\"\"\"
    api.post("/names")
    api.reset()
    assert api.get("/names").text == "{{'a': 'Ada'}}"
"""
TEST_PATH = "tests/generated/test_names.py"


def verified(folder: Path, started: str) -> Verification:
    project = {"answers.py": ANSWERS, "served.py": WSGI, "server.py": SERVER}
    files = {
        TEST_PATH: TESTS.format(started=started),
        "tests/generated/conftest.py": CONFTEST,
        **{f"tests/generated/{name}.py": helper_source(name) for name in ("api_process", "api_serving")},
    }

    async def verify() -> Verification:
        async with prepared(folder, project, import_roots=(".",)) as target:
            options = VerifyOptions(repeats=0, measure=("answers.py", "served.py"), beside=False)
            return await verify_files(target, files, framework="pytest", options=options)

    return asyncio.run(verify())


def reached(found: Verification, name: str) -> dict[str, Any]:
    assert found.coverage is not None
    return {path: set(reach.lines) for path, reach in found.coverage.of_test(f"{TEST_PATH}::{name}").items()}


def test_lines_of_an_application_are_told_to_the_test_that_asked_for_them(tmp_path: Path) -> None:
    found = verified(tmp_path, '"served:app"')
    assert [verdict.verdict for verdict in found.verdicts] == ["kept"] * 3
    assert found.coverage is not None
    file = found.coverage.files["answers.py"]
    assert file.missing == (9,)
    assert (8, 9) in file.missing_branches
    assert reached(found, "test_names")["answers.py"] == {6, 7}
    assert reached(found, "test_nothing_there")["answers.py"] == {6, 8, 10}
    assert reached(found, "test_names_after_a_reset")["served.py"] == {6, 7, 8}
    assert file.by_test[""].lines == {2, 5}, "what runs at import belongs to no test"


def test_an_application_that_a_command_starts_is_measured_too(tmp_path: Path) -> None:
    found = verified(tmp_path, 'command=["python", "server.py", "{port}"], folder="."')
    assert [verdict.verdict for verdict in found.verdicts] == ["kept"] * 3
    assert found.coverage is not None
    assert found.coverage.files["answers.py"].missing == (9,)
    assert reached(found, "test_names_after_a_reset")["answers.py"] == {6, 7}


def test_the_files_that_count_are_the_application_and_those_of_its_handlers(tmp_path: Path) -> None:
    for name in ("src/shop/api.py", "src/shop/routes.py", "outside.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")

    def case(path: str) -> dict[str, Any]:
        return {"expect": [{"kind": "status", "evidence": {"path": path, "lines": [1, 2]}}]}

    spec = {
        "target": {"path": "openapi.yaml", "import_roots": ["src"], "application": {"import": "shop.api:app"}},
        "cases": [case("src/shop/routes.py"), case("openapi.yaml"), case("src/shop/routes.py"), case("../secret.py")],
    }
    assert application_files(tmp_path, spec) == ["src/shop/api.py", "src/shop/routes.py"]
