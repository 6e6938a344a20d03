"""Staged tests are run, pruned, verified and accepted through tools, in the real sandbox (T-11, T-12)."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from testwright.core.errors import ToolFailure
from testwright.engine.python.write.render import render
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.services import ToolServices
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.mcp.tools.run_tests import SERVER_WALL_SECONDS, module_name, server_wall_seconds
from testwright.sandbox.target import PythonTarget, prepare_target
from testwright.tests.support.engine.sandboxes import needed_sandbox
from testwright.tests.support.mcp.tool_session import expectation, make_services, unit_case, unit_spec, write_files

TEST = "tests/generated/test_cart.py"
SPEC = "specs/cart.json"
ODD_SPECS = {"specs/odd.json": '{"test_type": "api"}', "specs/phone.json": '{"framework": "maestro"}'}


@asynccontextmanager
async def tools_over(folder: Path):
    """A client whose tools run code in bubblewrap, and its services."""
    made: list[PythonTarget] = []

    async def target() -> PythonTarget:
        if not made:
            made.append(
                await prepare_target(
                    services.root,
                    sandbox=needed_sandbox("bubblewrap"),
                    python=None,
                    state=services.run_folder.scratch,
                    caches=(services.cache_dir,),
                    import_roots=("src",),
                )
            )
        return made[0]

    services = make_services(folder, python_target=target)
    try:
        async with ToolClient(build_toolbox(services)) as client:
            yield client, services
    finally:
        for one in made:
            await one.discard()


async def stage(client: ToolClient) -> None:
    wrong = unit_case(
        id="tc_half_of_six",
        title="half of 6 is 4",
        act={"expression": "half(6)"},
        expect=[expectation(value="4", origin="inferred")],
    )
    spec = unit_spec(cases=[unit_case(), wrong])
    await client.call("write_file", {"path": SPEC, "contents": json.dumps(spec)})
    await client.call("write_file", {"path": f"staged/{TEST}", "contents": render(spec, "pytest")})


@pytest.mark.feature("T-11", "T-12")
async def test_what_does_not_hold_is_dropped_and_the_rest_becomes_part_of_the_project(tmp_path):
    async with tools_over(tmp_path) as (client, services):
        await stage(client)
        ran = await client.call("run_tests", {"test_path": TEST, "options": {"spec_path": SPEC, "repeats": 1}})
        assert ran["kept"] == ["tc_half_of_four"]
        assert [one["case_id"] for one in ran["dropped"]] == ["tc_half_of_six"]
        assert ran["coverage"]["after"]["covered"] > ran["coverage"]["before"]["covered"]
        assert ran["sandbox"] == "bubblewrap"
        drop = {"test_path": TEST, "spec_path": SPEC, "drop": ["tc_half_of_six", "tc_gone"], "framework": "pytest"}
        pruned = await client.call("prune_tests", drop)
        assert (pruned["kept"], pruned["removed"]) == (["tc_half_of_four"], ["tc_half_of_six"])
        assert pruned["unknown"] == ["tc_gone"]
        together = await client.call("verify_suite", {"test_paths": [TEST]})
        assert (together["passed"], together["failed"]) == (1, 0)
        accepted = await client.call("accept_tests", {"test_paths": [TEST]})
        assert accepted == {"files": [{"path": TEST, "outcome": "added"}]}
        text = (services.root / TEST).read_text()
        assert "def test_half_of_four" in text
        assert "half_of_six" not in text
        spec = json.loads((services.run_folder.path / SPEC).read_text())
        assert [case["id"] for case in spec["cases"]] == ["tc_half_of_four"]


def staged_spec(services: ToolServices, **changes) -> None:
    spec = unit_spec(**changes)
    write_files(services.run_folder.path, {SPEC: json.dumps(spec), f"staged/{TEST}": render(spec, "pytest")})


async def test_without_a_case_left_the_staged_file_goes(tmp_path):
    services = make_services(tmp_path)
    staged_spec(services)
    async with ToolClient(build_toolbox(services)) as client:
        drop = {"test_path": TEST, "spec_path": SPEC, "drop": ["tc_half_of_four"], "framework": "pytest"}
        assert (await client.call("prune_tests", drop))["kept"] == []
    assert not (services.run_folder.staged / TEST).exists()


async def test_a_file_that_a_person_wrote_is_not_overwritten(tmp_path):
    services = make_services(tmp_path)
    staged_spec(services)
    write_files(services.root, {TEST: "def test_mine():\n    assert len('a') == 1\n"})
    async with ToolClient(build_toolbox(services)) as client:
        with pytest.raises(ToolFailure, match=TEST) as caught:
            await client.call("accept_tests", {"test_paths": [TEST]})
    assert caught.value.details["conflicts"]
    assert "test_mine" in (services.root / TEST).read_text()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run_tests", {"test_path": "tests/none.py"}),
        ("run_tests", {"test_path": TEST, "options": {"spec_path": "specs/none.json"}}),
        ("run_tests", {"test_path": "src/shop/cart.py"}),
        ("run_tests", {"test_path": TEST, "options": {"spec_path": "specs/phone.json"}}),
        ("run_tests", {"test_path": TEST, "options": {"framework": "jest"}}),
        ("verify_suite", {"test_paths": ["tests/none.py"]}),
        ("accept_tests", {"test_paths": ["../none.py"]}),
        ("prune_tests", {"test_path": TEST, "spec_path": "specs/odd.json", "drop": [], "framework": "pytest"}),
        ("prune_tests", {"test_path": TEST, "spec_path": "specs/bad.json", "drop": [], "framework": "pytest"}),
    ],
)
async def test_a_missing_file_is_a_failure_that_names_it(tmp_path, tool, arguments):
    services = make_services(tmp_path)
    staged_spec(services)
    write_files(services.run_folder.path, {**ODD_SPECS, "specs/bad.json": "{"})
    async with ToolClient(build_toolbox(services)) as client:
        with pytest.raises(ToolFailure) as caught:
            await client.call(tool, arguments)
    assert caught.value.message


def test_a_file_is_imported_by_the_name_that_a_folder_of_the_import_path_gives_it():
    spec = {"target": {"path": "app/api.py", "module": "served.api"}}

    assert module_name(spec, "app/api.py", (".",)) == "served.api"
    assert module_name(spec, "src/desk/models.py", ("src", ".")) == "desk.models"
    assert module_name(None, "src/desk/__init__.py", ("src",)) == "desk"
    assert module_name(None, "desk/models.py", (".",)) == "desk.models"


def test_many_tests_of_an_application_have_longer_than_few():
    few, many = {"cases": [{}] * 10}, {"cases": [{}] * 900}
    assert server_wall_seconds([few]) == SERVER_WALL_SECONDS
    assert server_wall_seconds([few, many]) > server_wall_seconds([many]) > SERVER_WALL_SECONDS
