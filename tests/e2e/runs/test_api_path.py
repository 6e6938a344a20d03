"""API tests, the whole path: a request in words, an application that is found and started, tests that are kept."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from testwright.app import api
from testwright.core.exit_code import ExitCode
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer
from testwright.tests.support.projects.files import OWN_PYTEST, make_project
from testwright.tests.support.projects.small_api import FASTAPI_APP

KEY = "a-scripted-key"
TEST_PATH = "tests/generated/api/test_api_counters_api.py"
QUICK: dict[str, Any] = {"repeats": 1, "jobs": 1}
UNMEASURED: dict[str, Any] = {**QUICK, "mutants": 0}


def project(folder: Path, source: str = FASTAPI_APP) -> Path:
    files = {**OWN_PYTEST, "src/counters/__init__.py": "", "src/counters/api.py": source}
    return make_project(folder / "counters", files)


@pytest.mark.feature("T-20", "T-02", "B-05", "B-02", "B-04")
@pytest.mark.smoke
async def test_an_application_is_found_tested_and_its_defect_told(tmp_path: Path) -> None:
    root = project(tmp_path)
    report = await api.agenerate("API tests of the project, with unittest", root=root, **QUICK)
    assert report.exit_code == 0
    assert report.totals.kept > 5
    written = {path.name for path in (root / TEST_PATH).parent.glob("*.py")}
    assert "test_api_counters_api.py" in written
    assert "api_process.py" not in written
    text = (root / TEST_PATH).read_text()
    ast.parse(text)
    for one in report.targets[0].evidence:
        assert str(one.case_id) in text
    [defect] = [one for one in report.suspected_defects if "500" in one.observed]
    assert "curl" in (defect.reproduce or "")
    assert defect.evidence is not None
    assert defect.evidence.path == "src/counters/api.py"
    assert "(src/counters/api.py:" in defect.observed
    # The digits may stand in the digest above the file's docstring.
    assert "500" not in text.partition('"""')[2]


@pytest.mark.feature("T-20")
async def test_an_application_is_started_by_the_command_that_is_said(tmp_path: Path) -> None:
    source = "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/up')\ndef up() -> bool:\n    return True\n"
    root = project(tmp_path, source)
    command = "python -m uvicorn counters.api:app --port {port}"
    report = await api.agenerate("API tests", root=root, app_command=command, **UNMEASURED)
    assert report.exit_code == 0
    assert report.totals.kept >= 1
    started = ["python", "-m", "uvicorn", "counters.api:app", "--port", "{port}"]
    assert f"command={started}".replace("'", '"') in (root / TEST_PATH).read_text()


def request(method: str, path: str, body: str | None = None, **more: Any) -> dict[str, Any]:
    return {"method": method, "path": path, "body": body, "auth": None, **more}


def added(name: str, value: str) -> dict[str, Any]:
    """A case of the model's: a counter that was made with 3 is read."""
    before = request("POST", "/counters", '{"value": 3}', save_name="counter_id", save_pointer="/id")
    return {
        "id": f"tc_{name}",
        "title": "a counter keeps its value",
        "priority": "high",
        "before": [before],
        **request("GET", "/counters/{{counter_id}}"),
        "statuses": [200],
        "checks": [{"pointer": "/value", "value": value}],
        "expected": "The value is that of the beginning.",
        "origin": "inferred",
    }


@pytest.mark.feature("T-20", "T-13")
async def test_a_model_adds_cases_and_those_that_do_not_hold_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    root = project(tmp_path)
    script = [answer({"cases": [added("counter_keeps_three", "3"), added("counter_becomes_four", "4")]})]
    with ScriptedOpenAI(script) as server:
        report = await api.agenerate(
            "API tests of the project",
            root=root,
            base_url=server.base_url,
            models=dict.fromkeys(("spec", "writer"), "openai:scripted"),
            apply=True,
            **UNMEASURED,
        )
    assert report.exit_code == 0
    text = (root / TEST_PATH).read_text()
    assert "def test_counter_keeps_three(client):" in text
    assert "counter_becomes_four" not in text
    assert "with TestClient(" in text
    assert [path.name for path in (root / TEST_PATH).parent.iterdir()] == [Path(TEST_PATH).name]
    assert "POST /counters" in server.requests[0].body["messages"][1]["content"]


@pytest.mark.feature("T-20", "B-07")
async def test_an_application_that_does_not_start_ends_with_what_is_missing(tmp_path: Path) -> None:
    root = project(tmp_path, f"import nowhere_to_be_found\n{FASTAPI_APP}")
    report = await api.agenerate("API tests of the project", root=root, **QUICK)
    assert report.exit_code == ExitCode.ENVIRONMENT
    assert "No module named 'nowhere_to_be_found'" in str(report.targets[0].error)
    assert not (root / "tests").exists()
