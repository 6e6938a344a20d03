"""Which Python the target runs in, with real virtual environments."""

from __future__ import annotations

import json
import shutil
import sys
import venv
from pathlib import Path

import pytest

from testwright.core.errors import InterpreterError
from testwright.core.exit_code import ExitCode
from testwright.sandbox.executable import executable_folders
from testwright.sandbox.interpreter import find_interpreter
from testwright.sandbox.protocol import Program, Sandbox
from testwright.tests.support.engine.sandboxes import PATIENT
from testwright.utils.user_folders import exposes_home

pytestmark = pytest.mark.feature("B-05")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


def _script(path: Path, does: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return path


def test_without_anything_else_it_is_ours(project: Path) -> None:
    found = find_interpreter(project, None, {})
    assert found.path == Path(sys.executable)
    assert found.version == sys.version_info[:3]
    assert found.origin == "testwright's own"


def test_the_projects_environment_comes_before_the_active_one(project: Path, bare_venv: Path) -> None:
    venv.create(project / ".venv", with_pip=False, symlinks=True)
    found = find_interpreter(project, None, {"VIRTUAL_ENV": str(bare_venv)})
    assert found.path == project / ".venv" / "bin" / "python"
    assert found.origin == "project environment .venv"
    assert project / ".venv" in found.prefix_paths
    assert any(Path(sys.base_prefix).is_relative_to(folder) for folder in found.prefix_paths)
    assert found.site_paths[0] == next((project / ".venv" / "lib").glob("python*/site-packages"))


def test_a_package_of_a_repository_has_the_environment_at_its_top_before_the_active_one(
    tmp_path: Path, bare_venv: Path
) -> None:
    top, package, other = (tmp_path / name for name in ("mono", "mono/packages/shop", "mono/packages/money"))
    for folder in (package, other, top / ".git"):
        folder.mkdir(parents=True)
    venv.create(top / ".venv", with_pip=False, symlinks=True)
    site = next((top / ".venv" / "lib").glob("python*/site-packages"))
    (site / "links.pth").write_text(f"{package}\n{other}\n{top}\n{tmp_path / 'elsewhere'}\n")
    (tmp_path / "elsewhere").mkdir()
    found = find_interpreter(package, None, {"VIRTUAL_ENV": str(bare_venv)})
    assert found.path == top / ".venv" / "bin" / "python"
    assert found.origin == f"environment of the repository, {top / '.venv'}"
    assert set(found.linked) == {package, other}, "neither the whole repository nor what lies outside of it"


def test_outside_a_repository_no_environment_above_the_project_is_taken(project: Path) -> None:
    venv.create(project.parent / ".venv", with_pip=False, symlinks=True)
    assert find_interpreter(project, None, {}).path == Path(sys.executable)


def test_the_active_environment_comes_before_ours(project: Path, bare_venv: Path) -> None:
    found = find_interpreter(project, None, {"VIRTUAL_ENV": str(bare_venv)})
    assert found.path == bare_venv / "bin" / "python"
    assert found.origin == "active environment (VIRTUAL_ENV)"


def test_an_explicit_one_comes_first_and_may_be_an_environments_folder(project: Path, bare_venv: Path) -> None:
    venv.create(project / ".venv", with_pip=False, symlinks=True)
    for explicit in (bare_venv / "bin" / "python", bare_venv):
        found = find_interpreter(project, explicit, {})
        assert (found.path, found.origin) == (bare_venv / "bin" / "python", "--python")


def test_an_explicit_one_may_be_a_name_on_the_path(
    project: Path, bare_venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(bare_venv / "bin"))
    assert find_interpreter(project, Path("python"), {}).path == bare_venv / "bin" / "python"


def test_an_explicit_one_that_does_not_work_is_an_error(project: Path, tmp_path: Path) -> None:
    with pytest.raises(InterpreterError, match="is not an executable file") as raised:
        find_interpreter(project, tmp_path / "nowhere", {})
    assert "--python" in raised.value.advice
    with pytest.raises(InterpreterError, match="does not answer like a Python: oh no"):
        find_interpreter(project, _script(tmp_path / "bad", "echo oh no >&2; exit 1"), {})


def test_a_broken_environment_is_passed_over_and_said_so(project: Path) -> None:
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text("home = /gone/bin\n")
    (project / ".venv" / "bin" / "python").symlink_to("/gone/bin/python3")
    found = find_interpreter(project, None, {})
    assert found.path == Path(sys.executable)
    assert found.notes[0].startswith("project environment .venv passed over")


@pytest.mark.feature("B-07")
def test_too_old_a_python_is_an_error_not_passed_over(project: Path, tmp_path: Path) -> None:
    answer = '{"executable": "", "version": [3, 8, 18], "implementation": "cpython", "prefixes": [], "libraries": [], '
    old = _script(tmp_path / "old" / "python", f'echo \'{answer}"sites": [], "user_site": "/none"}}\'')
    with pytest.raises(InterpreterError, match=r"is 3\.8\.18; 3\.9 or newer") as raised:
        find_interpreter(project, old, {})
    assert raised.value.details["version"] == "3.8.18"
    assert raised.value.exit_code is ExitCode.ENVIRONMENT


def test_nothing_inside_the_project_is_executed(project: Path, tmp_path: Path) -> None:
    """An environment is a folder somebody else filled: its files may be anything."""
    venv.create(project / ".venv", with_pip=False, symlinks=True)
    site = next((project / ".venv" / "lib").glob("python*/site-packages"))
    (site / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n")
    (site / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    find_interpreter(project, None, {})
    shutil.rmtree(project / ".venv" / "bin")
    _script(project / ".venv" / "bin" / "python", f"touch {tmp_path / 'ran'}")
    found = find_interpreter(project, None, {})
    assert found.base.parent == Path(sys._base_executable).parent  # pyrefly: ignore[missing-attribute]
    (project / "fake").mkdir()
    _script(project / "fake" / "python", f"touch {tmp_path / 'ran'}")
    (project / ".venv" / "pyvenv.cfg").write_text(f"home = {project / 'fake'}\n")
    assert find_interpreter(project, None, {}).path == Path(sys.executable)
    assert not (tmp_path / "ran").exists()


def test_an_environment_that_shares_the_systems_packages_has_both(project: Path) -> None:
    venv.create(project / ".venv", with_pip=False, symlinks=True, system_site_packages=True)
    found = find_interpreter(project, None, {})
    assert len(found.site_paths) >= 2


def test_a_home_folder_is_never_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    executable = tmp_path / "bin" / "python3"
    executable.parent.mkdir()
    executable.touch(mode=0o755)
    assert executable_folders(executable) == (executable,)
    for folder in (tmp_path, tmp_path / ".local", tmp_path.parent, Path("/")):
        folder.mkdir(exist_ok=True)
        assert exposes_home(folder)
    assert not exposes_home(tmp_path / "envs" / "one")


async def test_an_environment_runs_in_the_sandbox_though_its_base_is_elsewhere(
    sandbox: Sandbox, project: Path, bare_venv: Path, tmp_path: Path
) -> None:
    found = find_interpreter(project, bare_venv, {})
    code = "import ctypes, hashlib, json, ssl, sqlite3, sys; print(sys.prefix)"
    program = Program(
        (str(found.path), "-c", code), project, readable=found.prefix_paths, writable=(project,), limits=PATIENT
    )
    completed = await sandbox.run(program)
    assert completed.stdout.decode().strip() == str(bare_venv), completed.stderr.decode()


def test_editable_installs_outside_the_project_are_readable_where_a_person_chose_the_environment(
    project: Path, tmp_path: Path
) -> None:
    """Import hooks of editable installs are code, but where they lead is said in direct_url.json."""
    venv.create(project / ".venv", with_pip=False, symlinks=True)
    site = next((project / ".venv" / "lib").glob("python*/site-packages"))
    places = {name: tmp_path / name for name in ("editable one", "plain", "broken")}
    for name, place in places.items():
        place.mkdir()
        (site / f"{name.split()[0]}-1.dist-info").mkdir()
        said = {"url": place.as_uri(), "dir_info": {"editable": name != "plain"}}
        text = "{" if name == "broken" else json.dumps(said)
        (site / f"{name.split()[0]}-1.dist-info" / "direct_url.json").write_text(text)
    chosen = (
        find_interpreter(project, None, {}, trusted=True),
        find_interpreter(project, project / ".venv", {}),
        find_interpreter(project, None, {"VIRTUAL_ENV": str(project / ".venv")}),
    )
    for found in chosen:
        assert found.linked == (places["editable one"],)
        assert places["editable one"] in found.prefix_paths
        assert found.notes == ()
    unchosen = find_interpreter(project, None, {})
    assert unchosen.linked == ()
    assert places["editable one"] not in unchosen.prefix_paths
    [note] = unchosen.notes
    assert str(places["editable one"]) in note
    assert "trust the project" in note


def test_facts_read_from_files_are_those_that_the_interpreter_itself_gives(project: Path, tmp_path: Path) -> None:
    """An environment inside the project is never asked; the same one outside of it is."""
    for place in (project / ".venv", tmp_path / "outside"):
        venv.create(place, with_pip=False, symlinks=True)
    read, asked = find_interpreter(project, None, {}), find_interpreter(project, tmp_path / "outside", {})
    assert (read.version, read.implementation) == (asked.version, asked.implementation)
    assert read.base.resolve() == asked.base.resolve()
    assert [site.relative_to(project / ".venv") for site in read.site_paths] == [
        site.relative_to(tmp_path / "outside") for site in asked.site_paths
    ]
    assert {folder for folder in read.prefix_paths if not folder.is_relative_to(project)} >= {
        folder for folder in asked.prefix_paths if not folder.is_relative_to(tmp_path) and not folder.is_file()
    }
