"""How tool calls map to the backend, what they answer, and which errors and advice they give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from testwright.core.errors import EnvironmentFault, RequestError, RunLocked, ToolBusy
from testwright.mcp.serving.backend import Job, Json, TestFiles
from testwright.tests.support.mcp.serving import ScriptedApplication, a_report, data, scripted_client, told

pytestmark = pytest.mark.feature("T-11")
SPEC_MADE = {
    "status": "spec_ready",
    "target": "src/a.py",
    "framework": "pytest",
    "spec_path": "specs/a.json",
    "test_path": "tests/generated/test_a.py",
    "attempts": 1,
    "errors": [],
    "spec": {"cases": [{"id": "tc_1"}], "suspected_defects": [], "not_reached": []},
    "message": "",
}
RESULTS: Json = {
    "framework": "pytest",
    "passed": 1,
    "failed": 1,
    "kept": [],
    "dropped": [
        {"case_id": None, "nodeid": "t.py::test_a", "class": "test_defect", "reason": "no", "message": "assert 1 == 2"}
    ],
    "tests": [],
    "coverage": None,
    "repeats": 3,
    "notes": [],
    "sandbox": "bubblewrap",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "test_a.py").write_text("def test_a():\n    assert 1 == 2\n", "utf-8")
    return root


async def test_a_run_is_asked_to_fuzz_with_a_seed(project: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    fuzzing = {"fuzz": True, "fuzz_seed": 7}
    async with scripted_client(application, project) as client:
        await client.call_tool("generate_tests", {"request": "API tests", **fuzzing})
    assert application.asked[0][1][-1] == fuzzing


async def test_a_whole_run_comes_back_as_a_small_handle_with_links(project: Path) -> None:
    application = ScriptedApplication({"generate_tests": a_report()})
    async with scripted_client(application, project) as client:
        result = await client.call_tool("generate_tests", {"request": "test cart1", "framework": "unittest"})
    answer = data(result)
    ((method, (job, request, options)),) = application.asked
    assert (method, request, options) == ("generate_tests", "test cart1", {"framework": "unittest"})
    assert isinstance(job, Job)
    assert job.root == project
    assert answer["run_id"] == job.run_id
    assert answer["counts"]["kept"] == 2
    assert answer["tests"][0]["uri"] == f"testwright://runs/{job.run_id}/tests/tests/generated/shop/test_cart1.py"
    assert answer["resources"]["report"] == f"testwright://runs/{job.run_id}/report.md"
    assert any(f"apply_tests(run_id='{job.run_id}')" in line for line in answer["next"])
    assert [block.type for block in result.content] == ["text", "resource_link", "resource_link"]
    assert len(json.dumps(answer)) < 4000


async def test_a_spec_comes_back_whole_while_it_is_small_and_as_a_uri_always(project: Path) -> None:
    large = {**SPEC_MADE, "spec": {"cases": [{"id": "tc_" + "x" * 20_000}]}}
    application = ScriptedApplication({"generate_spec": SPEC_MADE})
    async with scripted_client(application, project) as client:
        asked = {"test_type": "unit", "target": "src/a.py", "context": "mind the zero"}
        small = data(await client.call_tool("generate_test_spec", asked))
        application.answers["generate_spec"] = large
        big = data(await client.call_tool("generate_test_spec", asked))
    assert application.asked[0][1][1] == {**asked, "framework": None}
    assert small["spec_json"] == SPEC_MADE["spec"]
    assert small["spec_path"] == "testwright://runs/run-1/specs/a.json"
    assert big["spec_json"] is None
    assert big["counts"]["cases"] == 1


async def test_a_spec_that_never_became_valid_is_an_error_with_its_reasons(project: Path) -> None:
    errors = [{"path": "$.cases[0]", "message": "has no expectation"}]
    failed = {**SPEC_MADE, "status": "not_valid", "spec": None, "errors": errors, "message": "has no expectation"}
    async with scripted_client(ScriptedApplication({"generate_spec": failed}), project) as client:
        error = told(await client.call_tool("generate_test_spec", {"test_type": "unit", "target": "src/a.py"}))
    assert error["details"]["errors"] == errors
    assert "has no expectation" in error["text"]
    assert "run-1" in error["message"]


async def test_a_spec_of_a_run_that_waits_for_it_continues_that_run(project: Path) -> None:
    application = ScriptedApplication({"resume": a_report()})
    folder = application.keep(project, "spec-run", resumable=True, status="stopped")
    (folder.specs / "a.json").write_text(json.dumps({"framework": "pytest", "test_type": "unit"}), "utf-8")
    async with scripted_client(application, project) as client:
        uri = "testwright://runs/spec-run/specs/a.json"
        answer = data(await client.call_tool("generate_tests_from_spec", {"spec_path": uri}))
        missing = await client.call_tool("generate_tests_from_spec", {"spec_path": uri.replace("a.json", "b.json")})
        other = await client.call_tool("generate_tests_from_spec", {"spec_path": "testwright://runs/spec-run/lock"})
    assert application.asked[0][0] == "resume"
    assert application.asked[0][1][0].run_id == "spec-run"
    assert answer["run_id"] == "spec-run"
    assert "no file 'specs/b.json'" in told(missing)["message"]
    assert "is no spec" in told(other)["message"]


async def test_a_spec_that_is_not_valid_is_refused_before_anything_begins(project: Path) -> None:
    (project / "spec.json").write_text(json.dumps({"test_type": "unit", "cases": []}), "utf-8")
    (project / "list.json").write_text("[]", "utf-8")
    (project / "broken.json").write_text("{", "utf-8")
    application = ScriptedApplication()
    async with scripted_client(application, project) as client:
        invalid = told(await client.call_tool("generate_tests_from_spec", {"spec_path": "spec.json"}))
        no_object = told(await client.call_tool("generate_tests_from_spec", {"spec_path": "list.json"}))
        no_json = told(await client.call_tool("generate_tests_from_spec", {"spec_path": "broken.json"}))
        absent = told(await client.call_tool("generate_tests_from_spec", {"spec_path": "specs.json"}))
    assert invalid["details"]["errors"]
    assert "validate_test_spec" in invalid["advice"]
    assert "no JSON object" in no_object["message"]
    assert "is not JSON" in no_json["message"]
    assert "did you mean spec.json" in absent["advice"]
    assert application.asked == []


async def test_a_test_file_of_the_project_is_run_and_its_results_are_kept(project: Path) -> None:
    application = ScriptedApplication({"run_tests": RESULTS})
    async with scripted_client(application, project) as client:
        options = {"repeats": 1}
        asked = {"test_path": str(project / "tests" / "test_a.py"), "options": options}
        answer = data(await client.call_tool("run_tests", asked))
    tests, given = application.asked[0][1][1:]
    assert isinstance(tests, TestFiles)
    assert tests.test_path == "tests/test_a.py"
    assert list(tests.files) == ["tests/test_a.py"]
    assert given == options
    assert (answer["passed"], answer["failed"]) == (1, 1)
    assert answer["failures"][0]["class"] == "test_defect"
    assert answer["results_path"] == "testwright://runs/run-1/results.json"


async def test_a_file_without_tests_is_noted_in_the_answer(project: Path) -> None:
    nothing = {**RESULTS, "passed": 0, "failed": 0, "dropped": []}
    async with scripted_client(ScriptedApplication({"run_tests": nothing}), project) as client:
        answer = data(await client.call_tool("run_tests", {"test_path": "tests/test_a.py"}))
    (note,) = answer["notes"]
    assert note.startswith("no test was found in tests/test_a.py: pytest collects functions test_*")


async def test_the_test_files_of_a_folder_are_run_together(project: Path) -> None:
    (project / "tests" / "deep").mkdir()
    (project / "tests" / "deep" / "b_test.py").write_text("", "utf-8")
    (project / "tests" / "helper.py").write_text("", "utf-8")
    (project / "tests" / "test_link.py").symlink_to(project / "tests" / "test_a.py")
    (project / "empty").mkdir()
    application = ScriptedApplication({"run_tests": RESULTS})
    async with scripted_client(application, project) as client:
        data(await client.call_tool("run_tests", {"test_path": "tests"}))
        empty = told(await client.call_tool("run_tests", {"test_path": "empty"}))
        unfit = told(await client.call_tool("run_tests", {"test_path": "tests", "options": {"repeats": 2}}))
    assert application.asked[0][1][1].together == ("tests/test_a.py", "tests/deep/b_test.py")
    assert "holds 0 test files" in empty["message"]
    assert "repeats" in unfit["message"]


async def test_a_staged_test_is_run_with_the_other_staged_files_and_its_spec(project: Path) -> None:
    application = ScriptedApplication({"run_tests": RESULTS})
    folder = application.keep(project, "r", report=a_report())
    test = "tests/generated/shop/test_cart1.py"
    for path in (test, "tests/generated/shop/helper.py"):
        (folder.staged / path).parent.mkdir(parents=True, exist_ok=True)
        (folder.staged / path).write_text("x = 1\n", "utf-8")
    (folder.specs / "cart1.json").write_text('{"cases": []}', "utf-8")
    async with scripted_client(application, project) as client:
        data(await client.call_tool("run_tests", {"test_path": f"testwright://runs/r/tests/{test}"}))
        error = told(await client.call_tool("run_tests", {"test_path": "testwright://runs/r/tests/other.py"}))
    tests = application.asked[0][1][1]
    assert set(tests.files) == {test, "tests/generated/shop/helper.py"}
    assert tests.spec == {"cases": []}
    assert f"testwright://runs/r/tests/{test}" in error["advice"]


async def test_a_finished_run_is_analysed_from_its_report(project: Path) -> None:
    application = ScriptedApplication()
    application.keep(project, "r", report=a_report(analysis="All hold."))
    async with scripted_client(application, project) as client:
        answer = data(
            await client.call_tool("analyze_test_results", {"results_path": "testwright://runs/r/report.json"})
        )
    assert "All hold." in answer["summary"]
    assert application.asked == []


async def test_stored_results_are_analysed_and_counted_by_class(project: Path) -> None:
    findings = [{"class": "flaky", "title": "a"}, {"class": "flaky", "title": "b"}, {"class": "timeout", "title": "c"}]
    answered = {"summary": "bad", "findings": findings, "suspected_defects": [], "drop": []}
    application = ScriptedApplication({"analyze": answered})
    folder = application.keep(project, "r")
    kept = {"results": RESULTS, "spec": {"target": {"path": "src/a.py"}}}
    (folder.path / "results.json").write_text(json.dumps(kept), "utf-8")
    (project / "notes.json").write_text("{}", "utf-8")
    async with scripted_client(application, project) as client:
        uri = "testwright://runs/r/results.json"
        answer = data(await client.call_tool("analyze_test_results", {"results_path": uri}))
        error = told(await client.call_tool("analyze_test_results", {"results_path": "notes.json"}))
    assert application.asked[0][1][1:] == (RESULTS, kept["spec"])
    assert answer["counts"] == {"flaky": 2, "timeout": 1}
    assert [line.split(":")[0] for line in answer["suggestions"]] == ["flaky (2)", "timeout (1)"]
    assert "--junitxml" in error["advice"]


async def test_results_that_other_tools_wrote_are_read_from_junit_xml(project: Path) -> None:
    xml = (
        '<testsuites><testsuite tests="4"><testcase classname="t" name="ok"/>'
        '<testcase classname="t" name="bad"><failure message="AssertionError: assert 1 == 2">t</failure></testcase>'
        '<testcase classname="t" name="gone"><failure message="ModuleNotFoundError: No module named x"/></testcase>'
        '<testcase classname="t" name="later"><skipped/></testcase></testsuite></testsuites>'
    )
    (project / "junit.xml").write_text(xml, "utf-8")
    (project / "bomb.xml").write_text(f'<!DOCTYPE x [<!ENTITY a "b">]>{xml}', "utf-8")
    (project / "other.xml").write_text("<html/>", "utf-8")
    answered = {"summary": "", "findings": [], "suspected_defects": [], "drop": []}
    application = ScriptedApplication({"analyze": answered})
    async with scripted_client(application, project) as client:
        data(await client.call_tool("analyze_test_results", {"results_path": "junit.xml"}))
        bomb = told(await client.call_tool("analyze_test_results", {"results_path": "bomb.xml"}))
        other = told(await client.call_tool("analyze_test_results", {"results_path": "other.xml"}))
    results = application.asked[0][1][1]
    assert (results["passed"], results["failed"]) == (1, 2)
    assert [(one["nodeid"], one["class"]) for one in results["dropped"]] == [
        ("t::bad", "test_defect"),
        ("t::gone", "environment"),
    ]
    assert "document type" in bomb["message"]
    assert "no JUnit file" in other["message"]


async def test_tests_join_the_project_only_through_apply(project: Path) -> None:
    files = [{"path": "tests/generated/test_a.py", "outcome": "added", "reason": ""}]
    application = ScriptedApplication({"apply": files})
    application.keep(project, "r")
    async with scripted_client(application, project) as client:
        answer = data(await client.call_tool("apply_tests", {"run_id": "r"}))
        unknown = told(await client.call_tool("apply_tests", {"run_id": "s"}))
    assert answer["files"] == files
    assert answer["counts"] == {"added": 1, "conflict": 0, "edited": 0, "removed": 0, "unchanged": 0, "updated": 0}
    assert unknown["type"] == "RunNotFound"
    assert "list_runs" in unknown["advice"]


async def test_a_run_is_resumed_unless_it_is_in_progress(project: Path) -> None:
    application = ScriptedApplication({"resume": a_report()})
    application.keep(project, "stopped", status="stopped", resumable=True)
    application.keep(project, "running", status="running")
    application.keep(project, "short", status="failed")
    async with scripted_client(application, project) as client:
        assert data(await client.call_tool("resume_run", {"run_id": "stopped"}))["counts"]["kept"] == 2
        running = told(await client.call_tool("resume_run", {"run_id": "running"}))
        short = told(await client.call_tool("resume_run", {"run_id": "short"}))
    assert "is in progress" in running["message"]
    assert "cannot go on" in short["message"]


async def test_context_tools_are_called_with_paths_relative_to_their_root(project: Path) -> None:
    application = ScriptedApplication({"call_tool": {"errors": []}})
    async with scripted_client(application, project) as client:
        data(await client.call_tool("lint_code", {"file_path": str(project / "tests/test_a.py")}))
        outside = told(await client.call_tool("lint_code", {"file_path": "/etc/hostname"}))
        climbing = told(await client.call_tool("get_codebase_context", {"query": "x", "file_paths": ["../.."]}))
    assert application.asked == [("call_tool", (project, "lint_code", {"file_path": "tests/test_a.py"}))]
    assert outside["type"] == climbing["type"] == "ToolInputError"


async def test_with_several_roots_a_call_says_which_one_it_is_about(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    application = ScriptedApplication({"generate_tests": a_report(), "call_tool": {"errors": []}})
    async with scripted_client(application, project, tmp_path / "other") as client:
        nameless = told(await client.call_tool("generate_tests", {"request": "x"}))
        named = data(await client.call_tool("generate_tests", {"request": "x", "root": "other"}))
        data(await client.call_tool("lint_code", {"file_path": str(project / "tests/test_a.py")}))
    assert "root set to one of project, other" in nameless["advice"]
    assert named["root"] == "other"
    assert application.asked[0][1][0].root == tmp_path / "other"
    assert application.asked[1][1][0] == project


@pytest.mark.feature("T-10")
async def test_with_several_roots_a_test_file_to_validate_is_named_by_its_absolute_path(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    application = ScriptedApplication({"call_tool": {"valid": True}})
    async with scripted_client(application, project, tmp_path / "other") as client:
        asked = {"code_path": "tests/test_a.py", "framework": "pytest"}
        error = told(await client.call_tool("validate_test_code", asked))
        climbing = told(await client.call_tool("validate_test_code", {**asked, "code_path": "../x.py"}))
        absolute = str(project / "tests/test_a.py")
        data(await client.call_tool("validate_test_code", {**asked, "code_path": absolute}))
    assert error["advice"] == f"call again with the absolute path: {absolute}"
    assert "climbs" in climbing["message"]
    assert application.asked[-1][1][0] == project


async def test_a_staged_file_is_validated_by_the_uri_that_generating_it_gave(project: Path) -> None:
    application = ScriptedApplication({"call_tool": {"errors": [], "valid": True}})
    application.keep(project, "run-7")
    uri = "testwright://runs/run-7/tests/tests/generated/test_a.py"
    async with scripted_client(application, project) as client:
        data(await client.call_tool("validate_test_code", {"code_path": uri, "framework": "pytest"}))
        gone = told(await client.call_tool("lint_code", {"file_path": uri.replace("run-7", "run-8")}))
    ((_, (_, name, sent, run)),) = application.asked
    assert (name, sent["code_path"], run) == ("validate_test_code", "tests/generated/test_a.py", "run-7")
    assert gone["type"] == "RunNotFound"


async def test_arguments_that_do_not_fit_are_all_named_with_the_signature(project: Path) -> None:
    async with scripted_client(ScriptedApplication(), project) as client:
        error = told(await client.call_tool("generate_tests", {"reqest": "x", "framework": "nose"}))
    assert {one["path"] for one in error["details"]["errors"]} == {"$.request", "$.reqest", "$.framework"}
    assert "generate_tests(request, framework?, test_type?, fuzz?, fuzz_seed?, root?, wait_seconds?)" in error["advice"]


async def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_what_is_near(project: Path) -> None:
    async with scripted_client(ScriptedApplication(), project) as client:
        with pytest.raises(MCPError, match="did you mean generate_tests") as unknown:
            await client.call_tool("generate_test", {})
        with pytest.raises(MCPError, match="there are: cover_module"):
            await client.get_prompt("nothing_like_it", {})
        with pytest.raises(MCPError, match="needs: module"):
            await client.get_prompt("cover_module", {})
    assert unknown.value.code == -32602


@pytest.mark.parametrize(
    "error",
    [
        RequestError("nothing of that name", advice="Did you mean src/a.py?"),
        EnvironmentFault("no interpreter", advice="install one", details={"tried": ["python3"]}),
        ToolBusy("busy", advice="call again in 9 s", details={"retry_after_seconds": 9}),
    ],
)
async def test_an_error_of_the_backend_is_answered_with_its_type_and_advice(project: Path, error: Any) -> None:
    async with scripted_client(ScriptedApplication({"generate_tests": error}), project) as client:
        found = told(await client.call_tool("generate_tests", {"request": "x"}))
    assert (found["type"], found["message"], found["advice"]) == (type(error).__name__, error.message, error.advice)
    assert found["details"] == error.details
    assert error.advice in found["text"]


async def test_a_project_locked_by_another_process_is_busy_without_advice_to_kill_it(project: Path) -> None:
    error = RunLocked("process 7 works on it", advice="end it with `kill 7`", details={"pid": 7})
    async with scripted_client(ScriptedApplication({"generate_tests": error}), project) as client:
        found = told(await client.call_tool("generate_tests", {"request": "x"}))
    assert (found["type"], found["details"]["retry_after_seconds"]) == ("ToolBusy", 30)
    assert "kill" not in found["text"]


async def test_an_unexpected_error_shows_the_client_no_internals(project: Path) -> None:
    async with scripted_client(ScriptedApplication({"generate_tests": KeyError("inner")}), project) as client:
        result = await client.call_tool("generate_tests", {"request": "x"})
    assert result.is_error
    assert "inner" not in str(result)


async def test_secrets_do_not_leave_in_errors(project: Path) -> None:
    key = "sk-" + "a1B2" * 8
    error = RequestError(f"the endpoint refused {key}")
    async with scripted_client(ScriptedApplication({"generate_tests": error}), project) as client:
        result = await client.call_tool("generate_tests", {"request": "x"})
    assert key not in str(result)
