"""From a project to a program that runs in a workspace of its own."""

from __future__ import annotations

import asyncio
import json
import os
import venv
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from testwright.core.errors import InterpreterError, ProjectError
from testwright.sandbox.protocol import Limits, Sandbox
from testwright.sandbox.target import PythonTarget, prepare_target
from testwright.tests.support.engine.sandboxes import PATIENT

pytestmark = pytest.mark.feature("B-05")

Prepare = Callable[..., Awaitable[PythonTarget]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "my projèct"
    (root / "src" / "shop").mkdir(parents=True)
    (root / "src" / "shop" / "__init__.py").write_text("WHO = 'the copy'\n")
    (root / "src" / "shop" / "__main__.py").write_text("import shop, sys\nprint(shop.WHO, sys.argv[1:])\n")
    return root


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One overlay serves every test here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
async def prepare(project: Path, bare_venv: Path, tmp_path: Path, shared_cache: Path) -> AsyncIterator[Prepare]:
    """Prepare the project for a bare environment; what was prepared is discarded afterwards."""
    made: list[PythonTarget] = []

    async def prepared(sandbox: Sandbox, **changes) -> PythonTarget:
        options: dict[str, Any] = {
            "python": bare_venv,
            "state": tmp_path / "state",
            "caches": [shared_cache],
            "import_roots": ["src"],
        }
        made.append(await prepare_target(project, sandbox=sandbox, **(options | changes)))
        return made[-1]

    yield prepared
    for target in made:
        await target.discard()


async def _run(target: PythonTarget, *arguments: str, **options) -> tuple[int, str]:
    async with target.workspace() as workspace:
        completed = await target.sandbox.run(workspace.program(arguments, limits=PATIENT, **options))
    return completed.exit_code, completed.stdout.decode() or completed.stderr.decode()


async def test_a_module_runs_from_the_copy_with_its_arguments(sandbox: Sandbox, prepare: Prepare) -> None:
    target = await prepare(sandbox)
    assert await _run(target, "-m", "shop", "a", "-c") == (0, "the copy ['a', '-c']\n")


async def test_a_bare_environment_can_run_pytest_with_coverage(
    sandbox: Sandbox, prepare: Prepare, project: Path
) -> None:
    (project / "test_shop.py").write_text(
        "import shop, coverage\ndef test(tmp_path): assert shop.WHO and tmp_path.exists()\n"
    )
    target = await prepare(sandbox)
    code, output = await _run(target, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:langsmith_plugin")
    assert "1 passed" in output
    assert code == 0


async def test_import_roots_come_first_and_the_overlay_last(sandbox: Sandbox, prepare: Prepare) -> None:
    target = await prepare(sandbox, import_roots=["src", "."])
    async with target.workspace() as workspace:
        program = workspace.program(["-c", "import json, sys; print(json.dumps(sys.path))"], limits=PATIENT)
        path = json.loads((await sandbox.run(program)).stdout)
        assert path[:3] == ["", str(workspace.project / "src"), str(workspace.project)]
    assert path[-1] == str(target.overlay[0])
    assert not any("worker" in entry for entry in path)


async def test_child_interpreters_find_the_import_roots_too(bubblewrap: Sandbox, prepare: Prepare) -> None:
    code = "import subprocess, sys; print(subprocess.run([sys.executable, '-m', 'shop'], capture_output=True).stdout)"
    assert (await _run(await prepare(bubblewrap), "-c", code))[1] == "b'the copy []\\n'\n"


async def test_the_environment_is_small_and_the_same_everywhere(
    sandbox: Sandbox, prepare: Prepare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    target = await prepare(sandbox)
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    _, output = await _run(target, "-c", code, environment={"PYTHONHASHSEED": "7", "EXTRA": "1"})
    seen = json.loads(output)
    assert {name: seen[name] for name in ("PYTHONHASHSEED", "EXTRA", "TZ", "LC_ALL", "PYTHONDONTWRITEBYTECODE")} == {
        "PYTHONHASHSEED": "7",
        "EXTRA": "1",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    assert seen["HOME"].startswith(str(target.scratch))
    assert seen["TMPDIR"].startswith((str(target.scratch), "/tmp"))
    assert "secret" not in seen.values()


async def test_home_and_temporary_folder_exist_and_can_be_written(sandbox: Sandbox, prepare: Prepare) -> None:
    code = "import pathlib, tempfile; (pathlib.Path.home() / 'x').touch(); tempfile.mkdtemp(); print('fine')"
    assert await _run(await prepare(sandbox), "-c", code) == (0, "fine\n")


async def test_workspaces_are_apart_from_each_other_and_from_the_project(
    sandbox: Sandbox, prepare: Prepare, project: Path
) -> None:
    target = await prepare(sandbox)
    code = "import os, shutil; shutil.rmtree('src'); open('made', 'w'); print(sorted(os.listdir()))"
    async with target.workspace() as first, target.workspace() as second:
        completed = await sandbox.run(first.program(["-c", code], limits=PATIENT))
        assert completed.stdout == b"['made']\n"
        assert (second.project / "src" / "shop" / "__init__.py").exists()
        folders = (first.project, second.scratch)
    assert (project / "src" / "shop" / "__init__.py").exists()
    assert not any(folder.exists() for folder in folders)


async def test_a_script_outside_the_project_is_shown_when_named(
    sandbox: Sandbox, prepare: Prepare, tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    tool.mkdir()
    (tool / "script.py").write_text("import helper, shop, sys\nprint(helper.NAME, shop.WHO, sys.argv[1:], __name__)\n")
    (tool / "helper.py").write_text("NAME = 'helper'\n")
    result = await _run(await prepare(sandbox), str(tool / "script.py"), "x", readable=(tool,))
    assert result == (0, "helper the copy ['x'] __main__\n")


async def test_standard_input_and_working_folder_are_passed_on(sandbox: Sandbox, prepare: Prepare) -> None:
    target = await prepare(sandbox)
    async with target.workspace() as workspace:
        code = "import os, sys; print(os.getcwd(), sys.stdin.read())"
        program = workspace.program(["-c", code], stdin=b"hi", cwd=workspace.scratch, limits=PATIENT)
        assert (await sandbox.run(program)).stdout.decode() == f"{workspace.scratch} hi\n"


async def test_exit_codes_and_uncaught_errors_are_the_programs_own(sandbox: Sandbox, prepare: Prepare) -> None:
    target = await prepare(sandbox)
    assert (await _run(target, "-c", "raise SystemExit(9)"))[0] == 9
    code, output = await _run(target, "-c", "1 / 0")
    assert code == 1
    assert output.endswith("ZeroDivisionError: division by zero\n")


async def test_functions_of_main_can_be_pickled(sandbox: Sandbox, prepare: Prepare, project: Path) -> None:
    (project / "job.py").write_text(
        "import pickle, sys\ndef work(): return 1\nassert pickle.loads(pickle.dumps(work)) is work\n"
        "import multiprocessing\nif __name__ == '__main__':\n"
        "    assert sys.modules['__main__'].work is work\n    print('same')\n"
    )
    target = await prepare(sandbox)
    async with target.workspace() as workspace:
        completed = await sandbox.run(workspace.program([str(workspace.project / "job.py")], limits=PATIENT))
    assert completed.stdout == b"same\n", completed.stderr.decode()


async def test_a_read_only_project_is_no_obstacle(bubblewrap: Sandbox, prepare: Prepare, project: Path) -> None:
    folders = [project, *(path for path in project.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        target = await prepare(bubblewrap)
        assert await _run(target, "-c", "open('new', 'w'); import shop; print(shop.WHO)") == (0, "the copy\n")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert not (project / "new").exists()


async def test_state_inside_the_project_is_not_part_of_the_copy(
    bubblewrap: Sandbox, prepare: Prepare, project: Path
) -> None:
    target = await prepare(bubblewrap, state=project / "state")
    assert target.snapshot.files == ("src/shop/__init__.py", "src/shop/__main__.py")
    assert await _run(target, "-m", "shop") == (0, "the copy []\n")


async def test_discarding_deletes_the_copy(sandbox: Sandbox, prepare: Prepare, tmp_path: Path) -> None:
    target = await prepare(sandbox)
    await target.discard()
    assert list((tmp_path / "state" / "sandbox").iterdir()) == []


async def test_what_a_dead_process_left_is_removed_and_what_is_in_use_is_not(
    weak: Sandbox, prepare: Prepare, tmp_path: Path
) -> None:
    living = await prepare(weak)
    dead = tmp_path / "state" / "sandbox" / "tdead"
    (dead / "w1" / "project").mkdir(parents=True)
    (dead / "lease").touch()
    await prepare(weak)
    assert not dead.exists()
    assert living.snapshot.path.exists()


async def test_cancelling_the_preparation_leaves_no_copy(
    weak: Sandbox, prepare: Prepare, tmp_path: Path, project: Path, bare_venv: Path
) -> None:
    await prepare(weak)
    before = set((tmp_path / "state" / "sandbox").iterdir())
    for turns in (0, 1, 3):
        task = asyncio.ensure_future(prepare(weak))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert set((tmp_path / "state" / "sandbox").iterdir()) == before


async def test_leaving_a_workspace_by_cancellation_deletes_it(weak: Sandbox, prepare: Prepare) -> None:
    target = await prepare(weak)
    entered = asyncio.Event()

    async def work() -> None:
        async with target.workspace():
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(os.listdir(target.scratch)) == ["lease", "snapshot"]  # noqa: PTH208 - names


async def test_problems_with_the_project_or_its_python_are_told_apart(weak: Sandbox, tmp_path: Path) -> None:
    async def prepared(root: Path, python: Path | None) -> None:
        await prepare_target(
            root, sandbox=weak, python=python, state=tmp_path / "s", caches=(tmp_path / "c",), import_roots=["."]
        )

    with pytest.raises(ProjectError):
        await prepared(tmp_path / "missing", None)
    with pytest.raises(InterpreterError):
        await prepared(tmp_path, tmp_path / "missing")
    assert list((tmp_path / "s" / "sandbox").iterdir()) == []


async def test_limits_of_a_program_are_passed_on(sandbox: Sandbox, prepare: Prepare) -> None:
    target = await prepare(sandbox)
    async with target.workspace() as workspace:
        program = workspace.program(["-c", "import time; time.sleep(3600)"], limits=Limits(wall_seconds=0.3))
        assert (await sandbox.run(program)).ending == "wall_clock"


async def test_folders_that_the_environment_links_to_are_seen(
    sandbox: Sandbox, prepare: Prepare, project: Path, tmp_path: Path
) -> None:
    """A monorepo: one sibling lies outside the project, one inside; the one inside is taken from the copy."""
    outside, inside, environment = tmp_path / "libs", project / "libs" / "src", tmp_path / "environment"
    for folder, name in ((outside, "far"), (inside, "near")):
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(f"NAME = {name!r}\n")
    venv.create(environment, with_pip=False, symlinks=True)
    site = next((environment / "lib").glob("python*/site-packages"))
    (site / "linked.pth").write_text(f"# a comment\nimport sys\n{outside}\n{inside}\n/nonexistent\n")
    target = await prepare(sandbox, python=environment)
    assert await _run(target, "-c", "import far, near; print(far.NAME, near.NAME)") == (0, "far near\n")
    (inside / "near.py").write_text("NAME = 'changed since'\n")
    if sandbox.kind == "bubblewrap":
        assert await _run(target, "-c", "import near; print(near.NAME)") == (0, "near\n")


async def test_sockets_fit_into_the_temporary_folder_however_long_the_state_folders_path(
    bubblewrap: Sandbox, prepare: Prepare, tmp_path: Path
) -> None:
    code = (
        "import os, socket, tempfile\n"
        "socket.socket(socket.AF_UNIX).bind(os.path.join(tempfile.mkdtemp(), 'listener-12345678'))\n"
        "print('bound')"
    )
    target = await prepare(bubblewrap, state=tmp_path / ("long" * 20))
    assert await _run(target, "-c", code) == (0, "bound\n")
