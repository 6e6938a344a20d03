"""Tools that testwright installs and executes: a clone that brings some of its own has none of them executed."""

from __future__ import annotations

import sys
import tempfile
import venv
from pathlib import Path

import pytest

from testwright.analysis.javascript.chain import CHECKS
from testwright.core.errors import StorageError
from testwright.sandbox.interpreter import find_interpreter
from testwright.sandbox.javascript.node import NodeRuntime
from testwright.sandbox.overlay import test_overlay as overlay_of
from testwright.tests.support.hostile.projects import hostile_project, run_on
from testwright.utils.user_folders import cache_folders, writable_folder

FORGED = "raise SystemExit('forged')\n"
NPM = "import os\nos.makedirs('node_modules/eslint')\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return hostile_project(tmp_path / "project")


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user whose own cache folder cannot be written, as in many containers."""
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def _forged_chain(cache: Path) -> None:
    script = cache / CHECKS.lock_hash() / CHECKS._scripts_name() / "check.mjs"
    script.parent.mkdir(parents=True)
    script.write_text("forged")


def _npm(folder: Path) -> NodeRuntime:
    script = folder / "npm.py"
    script.write_text(NPM)
    return NodeRuntime(Path(sys.executable), (24, 0, 0), (sys.executable, str(script)), "machine")


@pytest.mark.parametrize("place", [".testwright/cache/javascript", ".cache/testwright/javascript"])
def test_a_chain_that_came_with_the_project_is_not_executed(
    place: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _forged_chain(root / place)
    if place.startswith(".cache"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(root / ".cache"))
    assert CHECKS.find_installed(cache_folders(root)) is None
    installed = CHECKS.install(cache_folders(root), _npm(tmp_path))
    assert installed.fresh
    assert not installed.script.is_relative_to(root)
    assert installed.script.read_bytes() == (CHECKS.source / "check.mjs").read_bytes()


def test_test_tools_that_came_with_the_project_judge_nothing(root: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True, with_pip=False)
    (ours,) = overlay_of(find_interpreter(root, bare / "bin" / "python"), [tmp_path / "probe"])
    forged = root / ".testwright" / "cache" / "overlay" / ours.name
    for package in ("pytest", "coverage"):
        (forged / package).mkdir(parents=True)
        (forged / package / "__init__.py").write_text(FORGED)
    outcome = run_on(root, "--python", str(bare / "bin" / "python"), apart=True)
    assert outcome.code == 0, outcome.err
    assert (root / "tests" / "generated").is_dir()


def test_a_cache_in_the_repository_around_the_project_is_the_repositorys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    root = hostile_project(tmp_path / "clone" / "packages" / "one")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "clone" / ".cache"))
    assert cache_folders(root) == (tmp_path / "temporary" / cache_folders(root)[0].name,)


def test_a_cache_that_leads_into_the_project_is_the_projects(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert all(not folder.resolve().is_relative_to(root) for folder in cache_folders(root))


def test_a_temporary_folder_that_others_prepared_is_not_used(root: Path, tmp_path: Path) -> None:
    (prepared,) = cache_folders(root)[1:]
    prepared.symlink_to(tmp_path)
    assert prepared not in cache_folders(root)
    prepared.unlink()
    prepared.mkdir()
    prepared.chmod(0o777)
    assert prepared not in cache_folders(root)
    with pytest.raises(StorageError, match="There is no folder"):
        writable_folder(cache_folders(root), "overlay")
