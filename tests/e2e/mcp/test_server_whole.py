"""The server with testwright behind it: both halves of a run, tests of a person, several clients, cancelling."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from testwright.mcp.tools import validate_spec
from testwright.tests.support.mcp.serving import (
    Children,
    Progress,
    data,
    project_with_endless_test,
    quick_project,
    real_client,
    real_server,
    told,
)
from testwright.tests.support.projects.files import copy_of_shop, tree

NUMBERS = "src/small/numbers.py"


def text_of(result: Any) -> str:
    """The text of a resource."""
    return str(result.contents[0].text)


@pytest.mark.feature("T-11", "B-10")
@pytest.mark.smoke
async def test_a_spec_is_written_then_its_tests_then_they_join_the_project_when_asked(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    before = tree(root)
    first, second = Progress(), Progress()
    async with real_client(root) as client:
        asked = {"test_type": "unit", "target": NUMBERS}
        made = data(await client.call_tool("generate_test_spec", asked, progress_callback=first))
        spec = json.loads(text_of(await client.read_resource(made["spec_path"])))
        checked = {"spec_json": spec, "schema_type": "unit"}
        assert data(await client.call_tool("validate_test_spec", checked))["valid"]
        waiting = data(await client.call_tool("get_report", {"run_id": made["run_id"]}))
        given = {"spec_path": made["spec_path"]}
        done = data(await client.call_tool("generate_tests_from_spec", given, progress_callback=second))
        report = json.loads(text_of(await client.read_resource(done["resources"]["report_json"])))
        staged = {"code_path": done["tests"][0]["uri"], "framework": "pytest"}
        assert data(await client.call_tool("validate_test_code", staged))["valid"]
        assert tree(root) == before
        added = data(await client.call_tool("apply_tests", {"run_id": done["run_id"]}))
        again = data(await client.call_tool("apply_tests", {"run_id": done["run_id"]}))
    assert spec == made["spec_json"]
    assert waiting["status"] == "stopped"
    assert waiting["exit_reason"] == "spec_ready"
    assert done["run_id"] == made["run_id"]
    assert done["counts"]["kept"] == made["counts"]["cases"] > 0
    assert report["targets"][0]["coverage"]["after"]["branches"] > 0
    assert [file["outcome"] for file in added["files"]] == ["added"]
    assert [file["outcome"] for file in again["files"]] == ["unchanged"]
    assert set(tree(root)) - set(before) == {made["test_path"]}
    for heard in (first, second):
        assert heard.values == sorted(set(heard.values))
        assert heard.totals[-1] is not None
        assert heard.values[-1] < heard.totals[-1]
    assert any("validating the spec" in message for message in first.messages)
    assert any("running the tests" in message for message in second.messages)


@pytest.mark.feature("T-11")
async def test_a_spec_that_a_person_wrote_becomes_tests_of_another_framework(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    spec = {
        "schema_version": "1.0.0",
        "test_type": "unit",
        "title": "Bounds",
        "language": "python",
        "framework": "pytest",
        "target": {"path": NUMBERS},
        "imports": ["from small.numbers import clamp"],
        "cases": [_case("tc_inside", "clamp(2, 0, 3)", "2"), _case("tc_wrong", "clamp(9, 0, 3)", "4")],
        "suspected_defects": [],
        "not_reached": [],
    }
    (root / "bounds.json").write_text(json.dumps(spec), "utf-8")  # its name is no part of what is asked for
    async with real_client(root) as client:
        asked = {"spec_path": "bounds.json", "framework": "unittest"}
        done = data(await client.call_tool("generate_tests_from_spec", asked))
        staged = text_of(await client.read_resource(done["tests"][0]["uri"]))
        report = json.loads(text_of(await client.read_resource(done["resources"]["report_json"])))
    (target,) = report["targets"]
    assert target["framework"] == "unittest"
    assert done["not_understood"] == []
    assert target["kept"] == ["tc_inside"]
    assert [(one["case_id"], one["class"]) for one in target["dropped"]] == [("tc_wrong", "test_defect")]
    assert target["test_path"] == "tests/generated/small/test_small_numbers__bounds.py"
    assert "unittest.TestCase" in staged
    assert "clamp(9, 0, 3)" not in staged


def _case(name: str, call: str, value: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"{call} gives {value}",
        "subject": "clamp",
        "priority": "high",
        "preconditions": [],
        "steps": [f"Call {call}"],
        "expected": f"the result is {value}",
        "arrange": {"fixtures": [], "statements": []},
        "act": {"expression": call, "mode": "call"},
        "expect": [
            {
                "kind": "equals",
                "actual": "result",
                "value": value,
                "origin": "inferred",
                "evidence": {"path": NUMBERS, "lines": [4, 12]},
            }
        ],
    }


@pytest.mark.feature("T-11", "B-07")
async def test_a_person_s_tests_are_run_measured_and_analysed(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    (root / "tests").mkdir()
    body = (
        "import asyncio\nimport pytest\nfrom small.numbers import clamp\n\n\n"
        "def test_inside():\n    assert clamp(2, 0, 3) == 2\n\n\n"
        "def test_wrong():\n    assert clamp(9, 0, 3) == 4\n\n\n"
        "def test_lacks():\n    import nothing_of_that_name\n"
    )
    (root / "tests" / "test_numbers.py").write_text(body, "utf-8")
    async with real_client(root) as client:
        asked = {"test_path": "tests/test_numbers.py", "options": {"target": NUMBERS, "repeats": 1, "baseline": False}}
        ran = data(await client.call_tool("run_tests", asked))
        all_of_them = data(await client.call_tool("run_tests", {"test_path": "tests"}))
        analysed = data(await client.call_tool("analyze_test_results", {"results_path": ran["results_path"]}))
        kept = json.loads(text_of(await client.read_resource(ran["results_path"])))
        checked = {"code_path": "tests/test_numbers.py", "framework": "pytest"}
        found = data(await client.call_tool("validate_test_code", checked))
    assert (ran["passed"], ran["failed"]) == (1, 2)
    assert (all_of_them["passed"], all_of_them["failed"]) == (1, 2)
    assert ran["coverage"]["after"]["covered"] > 0
    assert kept["results"]["passed"] == 1
    assert analysed["counts"] == {"test_defect": 1, "environment": 1}
    assert not found["valid"]


@pytest.mark.feature("B-10", "T-11")
async def test_a_request_for_a_module_of_the_shop_comes_back_small_with_its_suspected_defect(tmp_path: Path) -> None:
    root = copy_of_shop(tmp_path)
    (root / "testwright.toml").write_text("trials = 300\nrepeats = 1\nmutants = 0\n", "utf-8")
    before = tree(root)
    async with real_client(root) as client:
        planned = data(await client.call_tool("plan_tests", {"request": "unit tests for src/shop/cart.py"}))
        result = await client.call_tool("generate_tests", {"request": "unit tests for src/shop/cart.py"})
        done = data(result)
        page = data(await client.call_tool("get_report", {"run_id": done["run_id"]}))
        listed = data(await client.call_tool("list_runs", {}))
    assert planned["targets"] == 1
    assert [step["type"] for step in planned["steps"]] == ["generate_unit_tests", "verify_suite"]
    assert done["counts"]["kept"] > 0
    assert done["counts"]["files_staged"] == 1
    assert len(result.content[0].model_dump()["text"]) < 6000
    assert page["text"].startswith("#")
    assert [run["run_id"] for run in listed["runs"]] == [done["run_id"]]
    assert tree(root) == before


@pytest.mark.feature("T-09", "T-16")
async def test_hundreds_of_validations_of_one_spec_at_once_cost_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, called = validate_spec.check_spec, list[object]()

    def counted(*arguments: Any, **options: Any) -> dict[str, Any]:
        called.append(arguments)
        return real(*arguments, **options)

    monkeypatch.setattr("testwright.mcp.tools.validate_spec.check_spec", counted)
    asked = {"spec_json": {"schema_version": "1.0.0", "cases": []}, "schema_type": "unit"}
    async with real_server([tmp_path]) as server, Client(server) as one, Client(server) as other:
        calls = [each.call_tool("validate_test_spec", asked) for each in (one, other) for _ in range(100)]
        answers = [data(one) for one in await asyncio.gather(*calls)]
        strict = data(await one.call_tool("validate_test_spec", {**asked, "strict": True}))
    assert len(called) == 1
    assert all(answer == answers[0] for answer in answers)
    assert strict == answers[0]
    assert not strict["valid"]


@pytest.mark.feature("T-11")
async def test_a_missing_target_is_an_error_with_similar_names_and_leaves_no_run(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    async with real_client(root) as client:
        wrong = {"test_type": "unit", "target": "src/small/nombers.py"}
        missing = told(await client.call_tool("generate_test_spec", wrong))
        several = told(await client.call_tool("generate_test_spec", {**wrong, "target": "src/small"}))
        unable = told(await client.call_tool("generate_test_spec", {"test_type": "api", "target": NUMBERS}))
        runs = data(await client.call_tool("list_runs", {}))["runs"]
    assert NUMBERS in missing["advice"]
    assert "src/small/names.py" in several["advice"]
    assert "no FastAPI, Starlette" in unable["message"]
    assert runs == []


@pytest.mark.feature("B-10")
async def test_a_cancelled_call_leaves_no_process_and_a_run_that_can_go_on(tmp_path: Path) -> None:
    root = project_with_endless_test(tmp_path / "small")
    children = Children()
    async with real_client(root, heartbeat_seconds=0.05) as client:
        with anyio.CancelScope() as scope:

            async def once_it_runs(_: str) -> None:
                if children():
                    scope.cancel()

            asked = {"test_path": "tests/test_endless.py", "options": {"test_seconds": 600, "wall_seconds": 3600}}
            await client.call_tool("run_tests", asked, progress_callback=Progress(once_it_runs))
        assert scope.cancelled_caught
        runs = data(await client.call_tool("list_runs", {}))["runs"]
        # The server still works, and the project is free again: this run had its lock.
        done = data(await client.call_tool("generate_test_spec", {"test_type": "unit", "target": NUMBERS}))
    assert [(run["status"], run["exit_reason"]) for run in runs] == [("failed", "interrupted")]
    assert done["counts"]["cases"] > 0
    assert children() == []


@pytest.mark.feature("B-10", "B-08")
async def test_a_generation_that_was_cancelled_is_listed_and_goes_on(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    async with real_client(root) as client:
        with anyio.CancelScope() as scope:

            async def in_the_middle(message: str) -> None:
                if "writing the spec" in message:
                    scope.cancel()

            asked = {"request": f"unit tests for {NUMBERS}"}
            await client.call_tool("generate_tests", asked, progress_callback=Progress(in_the_middle))
        (run,) = data(await client.call_tool("list_runs", {}))["runs"]
        done = data(await client.call_tool("resume_run", {"run_id": run["run_id"]}))
    assert scope.cancelled_caught
    assert (run["status"], run["resumable"]) == ("stopped", True)
    assert done["run_id"] == run["run_id"]
    assert done["counts"]["kept"] > 0


@pytest.mark.feature("T-12")
async def test_a_build_sees_the_project_as_it_is_now_and_changes_nothing(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    (root / "Makefile").write_text("build:\n\tgrep -q clamp src/small/numbers.py\n", "utf-8")
    before = tree(root)
    async with real_client(root) as client:
        good = data(await client.call_tool("run_build", {}))
        (root / NUMBERS).write_text("def other(: pass\n", "utf-8")
        bad = data(await client.call_tool("run_build", {}))
    assert (good["status"], bad["status"]) == ("passed", "failed")
    assert {path for path, text in tree(root).items() if before.get(path) != text} == {NUMBERS}
    assert (root / ".testwright" / ".gitignore").is_file()


@pytest.mark.feature("T-12", "T-11")
async def test_documents_of_an_api_are_read_inside_the_root_only(tmp_path: Path) -> None:
    root = quick_project(tmp_path / "small")
    document = {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": {}}
    (root / "openapi.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "secret.json").write_text(json.dumps({**document, "info": {"title": "secret"}}), "utf-8")
    (root / "link.json").symlink_to(tmp_path / "secret.json")
    async with real_client(root) as client:
        found = data(await client.call_tool("get_openapi_spec", {"endpoint": "openapi.json"}))
        outside = ("../secret.json", str(tmp_path / "secret.json"), f"file://{tmp_path}/secret.json", "link.json")
        answers = [await client.call_tool("get_openapi_spec", {"endpoint": one}) for one in outside]
    assert found["valid"]
    titles = [(answer.structured_content or {}).get("summary", {}).get("title") for answer in answers]
    assert titles == [None, "T", None, None]  # an absolute path that is no file of the project may be an operation


@pytest.mark.feature("B-10")
async def test_more_work_than_the_server_accepts_is_refused_with_advice_to_retry(tmp_path: Path) -> None:
    root = project_with_endless_test(tmp_path / "small")
    async with real_client(root, waiting=0) as client:
        progress = Progress()
        endless = {"test_path": "tests/test_endless.py", "options": {"test_seconds": 600, "wall_seconds": 3600}}
        holding = asyncio.create_task(client.call_tool("run_tests", endless, progress_callback=progress))
        await progress.until(lambda message: message.startswith("running"))
        busy = told(await client.call_tool("generate_test_spec", {"test_type": "unit", "target": NUMBERS}))
        cheap = data(await client.call_tool("get_ast_analysis", {"file_path": NUMBERS}))
        holding.cancel()
        await asyncio.wait({holding})
    assert busy["type"] == "ToolBusy"
    assert busy["details"]["retry_after_seconds"] >= 5
    assert "call again in" in busy["advice"]
    assert cheap["module"] == "small.numbers"
