"""Users sign up and log in while an API is explored, and again in the tests that are kept."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.test_checks.spec_rules import quality_issues
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.budget import ApiBudget
from testwright.engine.api.probe.explore import explore_api
from testwright.engine.api.probe.sign_in.prepare import CredentialSources
from testwright.engine.api.probe.sign_in.try_out import seeded_users
from testwright.engine.api.write.compose import compose_spec, undeclared_notes
from testwright.engine.api.write.render import render_api
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.members import APP, DOCUMENT, VARIABLES
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.utils.schema_registry import validator

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.waits]
BUDGET = ApiBudget(operation=9, proposals=70, pairs=8)
FILES = {"src/members.py": APP}


async def _explored(folder: Path, variables: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    launch = AppLaunch("members:app", import_roots=("src",), environment=variables)
    async with prepared(folder, FILES) as target:
        api = api_from_document(DOCUMENT, path="src/members.py")
        seeded = seeded_users("", {}, variables)
        exploration = await explore_api(target, api, launch, sources=CredentialSources(seeded=seeded), budget=BUDGET)
    spec = compose_spec(exploration, framework="pytest", target={"name": "Members"}, launch=launch, start="start it")
    return spec, undeclared_notes(exploration)


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[str]]:
    return asyncio.run(_explored(tmp_path_factory.mktemp("explored"), VARIABLES))


@pytest.fixture(scope="module")
def spec(explored: tuple[dict[str, Any], list[str]]) -> dict[str, Any]:
    return explored[0]


def statuses(spec: dict[str, Any], operation: str) -> set[tuple[int, str]]:
    """Status and who asked, of the cases of an operation."""
    return {
        (case["expect"][0]["statuses"][0], str(case["act"]["request"].get("auth") or ""))
        for case in spec["cases"]
        if case["operation"].get("operation_id") == operation
    }


def test_every_operation_is_asked_as_who_may_and_as_who_may_not(spec: dict[str, Any]) -> None:
    assert [error.message for error in validator("schemas/api_test_schema_v2.json").iter_errors(spec)] == []
    assert list(quality_issues(spec, "api")) == []
    assert {(201, "")} <= statuses(spec, "signUp")
    assert {(200, ""), (400, "")} <= statuses(spec, "logIn")
    cases = {case["id"]: case for case in spec["cases"]}
    assert {"tc_log_in_with_a_wrong_password", "tc_log_in_with_an_unknown_name"} <= set(cases)
    assert any("with_a_token_whose_end_was_changed" in name for name in cases)
    [unshown] = [case for name, case in cases.items() if name == "tc_list_notes_made_by_another_user"]
    assert {"body_equals": []} in [{one["kind"]: one.get("value")} for one in unshown["expect"]]
    assert {(200, "user"), (401, "")} <= statuses(spec, "readMe")
    assert {(200, "user"), (401, ""), (403, "other_user")} <= statuses(spec, "readNote")
    assert {(204, "user"), (401, ""), (403, "other_user")} <= statuses(spec, "removeNote")
    assert {(200, "admin"), (401, ""), (403, "user")} <= statuses(spec, "listMembers")


def test_updates_change_something_and_are_read_back(spec: dict[str, Any]) -> None:
    cases = {case["id"]: case for case in spec["cases"]}
    read = cases["tc_read_note_after_change_note_with_other_values"]
    [made, changed] = [step["body"]["content"] for step in read["arrange"]["requests"]]
    assert made["title"] != changed["title"]
    told = {one["pointer"]: one["value"] for one in read["expect"] if one["kind"] == "body_value"}
    assert told["/title"] == changed["title"]
    assert told["/owner"] == "{{USER_EMAIL}}"


def test_an_undeclared_refusal_is_a_remark_about_the_document_and_no_defect(
    explored: tuple[dict[str, Any], list[str]],
) -> None:
    spec, notes = explored
    assert [defect["title"] for defect in spec["suspected_defects"] if "answer 40" in defect["title"]] == []
    assert any("does not declare the 401 for those who may not of 7 operations" in note for note in notes)


def test_no_password_and_no_token_is_written_down(spec: dict[str, Any]) -> None:
    assert "Aa1-1a2b" not in str(spec)
    assert VARIABLES["LIBRARIAN_PASSWORD"] not in str([spec["auth"], spec["cases"], spec["suspected_defects"]])
    assert spec["auth"]["admin"]["variable"] == "LIBRARIAN_PASSWORD"
    assert spec["auth"]["user"]["sign_in"]["keeps"]


@pytest.mark.parametrize("framework", ["pytest", "unittest"])
def test_the_tests_sign_in_anew_and_pass(framework: str, spec: dict[str, Any], tmp_path: Path) -> None:
    root = make_project(tmp_path, FILES)
    files = render_api({**spec, "framework": framework}, framework, "tests/api/test_members_api.py")
    for file in files:
        (root / file.path).parent.mkdir(parents=True, exist_ok=True)
        (root / file.path).write_text(file.contents, encoding="utf-8")
    modules = {"pytest": ["pytest", "-q", "tests/api"], "unittest": ["unittest", "discover", "-s", "tests/api"]}
    done = subprocess.run(
        [sys.executable, "-m", *modules[framework]],
        cwd=root,
        env={**os.environ, **WITHOUT_PLUGINS, **VARIABLES, "PYTEST_ADDOPTS": "-p no:cacheprovider"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if framework == "pytest":
        assert files[0].contents.count("def test_anonymous_requests_are_refused(") == 1
        assert "def test_read_note_as_another_user(fresh_user, fresh_other_user):" in files[0].contents


async def test_users_that_a_reset_forgets_sign_in_again_each_time(tmp_path: Path) -> None:
    spec, _ = await _explored(tmp_path, {**VARIABLES, "MEMBERS_IN_MEMORY": "1"})
    assert not spec["auth"]["user"]["sign_in"]["keeps"]
    assert {(200, "user"), (403, "other_user")} <= statuses(spec, "readNote")
