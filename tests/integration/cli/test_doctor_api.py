"""The doctor on API tests: which application is there, and what its environment lacks to serve it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from testwright.app import api
from testwright.cli.app import app
from testwright.core.exit_code import ExitCode
from testwright.tests.support.projects.files import make_project

pytestmark = [pytest.mark.feature("B-05"), pytest.mark.feature("T-20")]

# ASGI on the standard library alone: only the server is missing.
STARLETTE_LIKE = """
class Starlette:
    async def __call__(self, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"1"})
"""
ASGI = """
from starlette.applications import Starlette

app = Starlette()
app.title = "up"
"""


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing in it."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder / "bin" / "python"


def row(root: Path, *more: object, name: str = "API tests") -> dict[str, object]:
    told = CliRunner().invoke(app, ["doctor", "--root", str(root), "--json", *map(str, more)])
    assert told.exit_code == ExitCode.OK, told.output
    return next(one for one in json.loads(told.stdout) if one["name"] == name)


def test_it_names_what_an_application_lacks_and_how_to_install_it(tmp_path: Path, bare_python: Path) -> None:
    files = {"src/up/api.py": "from fastapi import FastAPI\n\napp = FastAPI()\n", "src/up/__init__.py": ""}
    root = make_project(tmp_path / "up", files)
    lacking = row(root, "--python", bare_python)
    assert (lacking["ok"], lacking["required"]) == (False, False)
    assert lacking["found"] == "up.api:app needs fastapi and uvicorn, missing there"
    assert f"{bare_python} -m pip install fastapi uvicorn" in str(lacking["meaning"])
    assert row(root)["found"] == "up.api:app (fastapi)"


def test_a_project_without_an_application_lacks_nothing(tmp_path: Path) -> None:
    found = row(make_project(tmp_path / "plain"))
    assert (found["ok"], found["found"]) == (True, "no web application in the source")


def test_it_says_how_locust_comes_to_an_environment_without_it(
    tmp_path: Path, bare_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = row(make_project(tmp_path / "plain"), "--python", bare_python, name="load tests")
    assert (found["ok"], found["found"]) == (True, "Locust is not there yet")
    assert f"{bare_python} -m pip install locust" in str(found["meaning"])


@pytest.mark.feature("B-07")
async def test_a_run_without_a_server_ends_with_the_same_advice(tmp_path: Path, bare_python: Path) -> None:
    files = {"src/up.py": ASGI, "src/starlette/__init__.py": "", "src/starlette/applications.py": STARLETTE_LIKE}
    root = make_project(tmp_path / "up", files)
    # The command asks nothing of the application before it is served.
    (root / "openapi.json").write_text(
        json.dumps(
            {
                "openapi": "3.0.3",
                "info": {"title": "Up", "version": "1"},
                "paths": {"/": {"get": {"responses": {"200": {"description": "It is up."}}}}},
            }
        ),
        encoding="utf-8",
    )
    report = await api.agenerate("API tests from openapi.json", root=root, python=bare_python, repeats=1)
    assert report.exit_code == ExitCode.ENVIRONMENT
    assert "No module named 'uvicorn'" in report.targets[0].error
    assert f"{bare_python} -m pip install uvicorn" in " ".join((*report.advice, report.targets[0].error))
