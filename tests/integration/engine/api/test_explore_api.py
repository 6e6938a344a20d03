"""A small API from document to tests that pass and lines that repeat its defects; everything is really run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.core.errors import AgentFailure, EnvironmentFault
from testwright.engine.api.document.application import AppConditions, AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.budget import ApiBudget
from testwright.engine.api.probe.explore import ApiExploration, explore_api
from testwright.engine.api.probe.sign_in.prepare import CredentialSources
from testwright.engine.api.write.compose import compose_spec
from testwright.engine.api.write.render import render_api
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.tests.support.projects.small_api import APP, DOCUMENT
from testwright.utils.schema_registry import validator

pytestmark = pytest.mark.feature("T-20")
FILES = {"src/notes.py": APP}
LAUNCH = AppLaunch("notes:app", import_roots=("src",), environment={"NOTES_TOKEN": "test-notes-token"})


async def explored(folder: Path, files: dict[str, str], launch: AppLaunch, **more: Any) -> ApiExploration:
    async with prepared(folder, files) as target:
        api = api_from_document(DOCUMENT, path="src/notes.py")
        return await explore_api(target, api, launch, sources=CredentialSources(["NOTES_TOKEN"]), **more)


@pytest.fixture(scope="module")
def exploration(tmp_path_factory: pytest.TempPathFactory) -> ApiExploration:
    return asyncio.run(explored(tmp_path_factory.mktemp("explored"), FILES, LAUNCH))


def spec_of(exploration: ApiExploration, framework: str = "pytest") -> dict[str, Any]:
    return compose_spec(exploration, framework=framework, target={"name": "Notes"}, launch=LAUNCH, start="start it")


@pytest.mark.feature("T-16")
def test_an_early_exploration_has_every_operation_and_leaves_the_whole_one_as_it_is(
    exploration: ApiExploration, tmp_path: Path
) -> None:
    early: list[ApiExploration] = []
    whole = asyncio.run(explored(tmp_path, FILES, LAUNCH, early=early.append))
    [first] = early
    asked = {observed.proposal.operation.name for observed in first.seen}
    answered = {one.proposal.operation.name for one in whole.seen if one.proposal.wants == "success"}
    assert asked == answered
    assert len(spec_of(first)["cases"]) < len(spec_of(whole)["cases"])
    assert spec_of(whole) == spec_of(exploration)


def test_a_limit_on_time_that_is_nearly_over_still_leaves_requests_that_work(tmp_path: Path) -> None:
    cases = spec_of(asyncio.run(explored(tmp_path, FILES, LAUNCH, seconds=0.01)))["cases"]
    assert {case["category"] for case in cases} >= {"success"}


@pytest.mark.feature("T-08")
def test_the_spec_is_valid_and_says_where_each_expectation_comes_from(exploration: ApiExploration) -> None:
    spec = spec_of(exploration)
    assert [error.message for error in validator("schemas/api_test_schema_v2.json").iter_errors(spec)] == []
    assert list(quality_issues(spec, "api")) == []
    origins = {one["kind"]: one["origin"] for case in spec["cases"] for one in case["expect"]}
    assert origins["status"] == "documented"
    assert origins["body_equals"] == "observed"


def test_operations_constraints_credentials_and_sequences_get_cases(exploration: ApiExploration) -> None:
    names = {case["id"].removeprefix("tc_") for case in spec_of(exploration)["cases"]}
    assert {
        "create_note_refuses_broken_bodies_text_missing",
        "create_note_refuses_broken_bodies_text_too_long",
        "read_note_unknown_id",
        "delete_note_refuses_other_credentials_without_credentials",
        "delete_note_refuses_other_credentials_with_wrong_credentials",
        "read_note_after_delete_note",
    } <= names


@pytest.mark.feature("B-02")
def test_contradictions_are_suspected_defects_and_never_cases(exploration: ApiExploration) -> None:
    spec = spec_of(exploration)
    titles = [defect["title"] for defect in spec["suspected_defects"]]
    assert any("stars above its maximum" in title for title in titles)
    assert any("is not answered" in title or "answers 500" in title for title in titles)
    cases = json.dumps(spec["cases"])
    assert "stars_above_its_maximum" not in cases
    assert not any(status >= 500 for case in spec["cases"] for status in case["expect"][0]["statuses"])


@pytest.mark.feature("B-06")
def test_two_explorations_give_the_same_bytes(exploration: ApiExploration, tmp_path: Path) -> None:
    again = asyncio.run(explored(tmp_path, FILES, LAUNCH))
    assert json.dumps(spec_of(again)) == json.dumps(spec_of(exploration))


@pytest.fixture(params=["pytest", "unittest"])
def project(request: pytest.FixtureRequest, exploration: ApiExploration, tmp_path: Path) -> tuple[str, Path]:
    files = render_api(spec_of(exploration, request.param), request.param, "tests/generated/api/test_notes_api.py")
    return request.param, make_project(tmp_path / "p", {**FILES, **{file.path: file.contents for file in files}})


def test_rendered_tests_pass_and_catch_a_change(project: tuple[str, Path]) -> None:
    framework, root = project
    assert ran(framework, root).returncode == 0
    source = root / "src" / "notes.py"
    source.write_text(source.read_text().replace("return 404", "return 410"), encoding="utf-8")
    failed = ran(framework, root)
    assert failed.returncode == 1
    assert "410" in failed.stdout + failed.stderr


def ran(framework: str, root: Path) -> subprocess.CompletedProcess[str]:
    pytest_command = ["-m", "pytest", "tests", "-q", "-p", "no:cacheprovider"]
    command = pytest_command if framework == "pytest" else ["-m", "unittest", "discover", "-s", "tests/generated/api"]
    # A change of the same size within a second leaves compiled files valid.
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    root = make_project(tmp_path / "served", FILES)
    code = (
        "import sys; sys.path.insert(0, 'src'); from wsgiref.simple_server import make_server; import notes;"
        "server = make_server('127.0.0.1', 0, notes.app); print(server.server_port, flush=True); server.serve_forever()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.feature("B-02")
def test_every_suspected_defect_has_lines_that_show_it(exploration: ApiExploration, served: str) -> None:
    for defect in spec_of(exploration)["suspected_defects"]:
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "API_BASE_URL": served, "NOTES_TOKEN": ""}
        done = subprocess.run(
            ["bash", "-c", defect["reproduce"]], env=environment, capture_output=True, text=True, check=False
        )
        status = defect["observed"].split()[0]
        assert f" {status} " in done.stdout.splitlines()[0], defect["reproduce"] + done.stdout


def test_an_application_that_does_not_start_is_an_environment_fault(tmp_path: Path) -> None:
    files = {"src/notes.py": "import nowhere_to_be_found\n"}
    with pytest.raises(EnvironmentFault, match="No module named 'nowhere_to_be_found'") as told:
        asyncio.run(explored(tmp_path, files, LAUNCH))
    assert "install what the application needs" in (told.value.advice or "")


def test_one_that_hangs_at_its_start_is_given_up_and_told(tmp_path: Path) -> None:
    files = {"src/notes.py": "while True:\n    pass\n"}
    with pytest.raises(EnvironmentFault, match="not ready in"):
        asyncio.run(explored(tmp_path, files, LAUNCH, surroundings=AppConditions(start_seconds=1.0)))


def test_one_that_dies_in_mid_run_costs_only_that_request(tmp_path: Path) -> None:
    deadly = APP.replace('        raise RuntimeError("the very longest")', "        os._exit(9)")
    found = asyncio.run(explored(tmp_path, {"src/notes.py": deadly}, LAUNCH))
    spec = spec_of(found)
    assert any("is not answered" in defect["title"] for defect in spec["suspected_defects"])
    assert len(spec["cases"]) > 15


def test_what_is_beyond_the_budget_is_said(tmp_path: Path) -> None:
    found = asyncio.run(explored(tmp_path, FILES, LAUNCH, budget=ApiBudget(operation=2, proposals=6, pairs=0)))
    assert any("more requests were not tried" in one["reason"] for one in spec_of(found)["not_reached"])


@pytest.mark.feature("B-04")
def test_a_spec_for_another_framework_is_refused(exploration: ApiExploration) -> None:
    with pytest.raises(AgentFailure, match="cannot be written for 'jest'"):
        render_api(spec_of(exploration), "jest", "tests/test_notes_api.py")
