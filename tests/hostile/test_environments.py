"""Environments that a cloned project brings along: they show nothing of the host and start nothing on it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from testwright.sandbox.distributions import plain_distributions
from testwright.sandbox.fingerprint import installed_digest
from testwright.sandbox.interpreter import Interpreter, find_interpreter
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import generated_text, hostile_project, run_on

SECRET = "PRIVATE-KEY-OF-THE-HOST"
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
REAL = Path(sys.executable).resolve()


@dataclass(frozen=True, slots=True)
class Host:
    """A host with something to lose, beside a cloned project.

    Attributes:
        secret: a folder that the project has no business with; it holds the file `key`.
        mark: there when a program of the attacker's ran outside the sandbox.
    """

    root: Path
    secret: Path
    mark: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def site(self) -> Path:
        return self.venv / "lib" / f"python{VERSION}" / "site-packages"

    def make_venv(self, *, home: Path | str = REAL.parent, python: Path | None = REAL) -> None:
        """A virtual environment of the project, made by hand; `python` is where its interpreter leads."""
        self.site.mkdir(parents=True)
        (self.venv / "bin").mkdir()
        (self.venv / "pyvenv.cfg").write_text(f"home = {home}\nversion = {VERSION}.1\n")
        if python is not None:
            (self.venv / "bin" / "python").symlink_to(python)

    def make_trap(self, path: Path) -> Path:
        """A program that leaves the mark and then answers like a Python."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\ntouch {self.mark}\nexec {REAL} "$@"\n')
        path.chmod(0o755)
        return path


@pytest.fixture
def host(tmp_path: Path) -> Host:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text(SECRET)
    reads = f'def see(n: int) -> str:\n    """See."""\n    return open({str(secret / "key")!r}).read()\n'
    return Host(hostile_project(tmp_path / "project", {"src/pk/see.py": reads}), secret, tmp_path / "ran")


def _home(host: Host) -> None:
    host.make_venv(home=host.secret / "bin")


def _path_file(host: Host) -> None:
    host.make_venv()
    (host.site / "evil.pth").write_text(f"{host.secret}\n{host.secret.parent}\n/etc\n/\n")


def _editable(host: Host) -> None:
    host.make_venv()
    (host.site / "evil-1.dist-info").mkdir()
    said = {"url": host.secret.as_uri(), "dir_info": {"editable": True}}
    (host.site / "evil-1.dist-info" / "direct_url.json").write_text(json.dumps(said))


def _python_is_a_link_to_the_secret(host: Host) -> None:
    (host.secret / "key").chmod(0o755)
    host.make_venv(python=host.secret / "key")


def _link_of_the_project(host: Host) -> None:
    host.make_venv()
    (host.root / "vendored").symlink_to(host.secret)
    (host.site / "evil.pth").write_text(f"{host.root / 'vendored'}\n")


def _packages_are_a_link(host: Host) -> None:
    host.make_venv()
    host.site.rmdir()
    host.site.symlink_to(host.secret)


def _environment_is_a_link(host: Host) -> None:
    (host.secret / "pyvenv.cfg").write_text(f"home = {REAL.parent}\nversion = {VERSION}.1\n")
    (host.secret / "bin").mkdir()
    (host.secret / "bin" / "python").symlink_to(REAL)
    host.venv.symlink_to(host.secret)


TRICKS = [
    _home,
    _path_file,
    _editable,
    _python_is_a_link_to_the_secret,
    _link_of_the_project,
    _packages_are_a_link,
    _environment_is_a_link,
]


def shown(interpreter: Interpreter) -> set[Path]:
    """Everything that is mounted for an interpreter: paths, and what they really are."""
    return {place for path in interpreter.prefix_paths for place in (path, path.resolve())}


@pytest.mark.parametrize("trick", TRICKS)
def test_an_environment_of_the_project_shows_no_folder_of_the_host(trick: Callable[[Host], None], host: Host) -> None:
    trick(host)
    found = find_interpreter(host.root, None, {})
    assert [path for path in shown(found) if host.secret.is_relative_to(path) or path.is_relative_to(host.secret)] == []
    assert [path for path in shown(found) if path.is_relative_to("/etc") or path == Path("/")] == []


@pytest.mark.parametrize("trick", [_home, _path_file])
def test_a_run_with_such_an_environment_tells_nothing_of_the_host(trick: Callable[[Host], None], host: Host) -> None:
    trick(host)
    with unharmed(host.secret, marker=str(host.root)):
        outcome = run_on(host.root)
    assert outcome.code in (0, 8), outcome.err
    assert SECRET not in generated_text(host.root) + outcome.out + outcome.err


def test_an_interpreter_link_to_a_program_of_the_host_is_not_followed_outside_the_sandbox(host: Host) -> None:
    host.make_venv(python=host.make_trap(host.root.parent / "downloads" / "python3"))
    found = find_interpreter(host.root, None, {})
    assert not host.mark.exists()
    assert found.path == Path(sys.executable)
    assert "is no installed Python" in found.notes[0]


def test_a_home_with_a_program_called_python_is_not_executed(host: Host) -> None:
    trap = host.make_trap(host.root.parent / "downloads" / "bin" / "python")
    host.make_venv(home=trap.parent, python=None)
    host.make_trap(host.venv / "bin" / "python")
    found = find_interpreter(host.root, None, {})
    assert not host.mark.exists()
    assert found.path == Path(sys.executable)
    assert "is no installed Python" in found.notes[0]


def test_a_second_clone_that_looks_like_an_installation_runs_in_the_sandbox_only(host: Host) -> None:
    """Its facts are read, and pip is not run by it for test tools that the environment lacks."""
    clone = host.root.parent / "clone"
    trap = host.make_trap(clone / "bin" / f"python{VERSION}")
    (clone / "lib" / f"python{VERSION}").mkdir(parents=True)
    (clone / "lib" / f"python{VERSION}" / "os.py").touch()
    host.make_venv(home=trap.parent, python=trap)
    found = find_interpreter(host.root, None, {})
    assert (found.base, found.is_users) == (trap, False)
    assert not host.mark.exists()


@pytest.mark.parametrize("place", ["project", "repository"])
def test_a_project_below_a_folder_of_installed_programs_brings_no_python_of_the_users(
    place: str, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was cloned to /opt, or a part of a repository there."""
    repository = host.root.parent
    (repository / ".git").mkdir()
    monkeypatch.setenv("PYENV_ROOT", str(repository.parent))
    fake = (host.root if place == "project" else repository) / "fake"
    trap = host.make_trap(fake / "bin" / f"python{VERSION}")
    (fake / "lib" / f"python{VERSION}").mkdir(parents=True)
    (fake / "lib" / f"python{VERSION}" / "os.py").touch()
    host.make_venv(home=trap.parent, python=trap)
    found = find_interpreter(host.root, None, {})
    assert (found.base, found.is_users) == (trap, False)
    assert not host.mark.exists()


def test_pipes_and_endless_files_in_place_of_metadata_are_passed_over(host: Host) -> None:
    host.make_venv()
    for name in ("pipe-1.dist-info", "endless-1.dist-info", "good-1.dist-info"):
        (host.site / name).mkdir()
    os.mkfifo(host.site / "pipe-1.dist-info" / "METADATA")
    (host.site / "endless-1.dist-info" / "METADATA").symlink_to("/dev/zero")
    (host.site / "good-1.dist-info" / "METADATA").write_text("Name: good\n")
    os.mkfifo(host.site / "pipe.pth")
    (host.site / "endless.pth").symlink_to("/dev/zero")
    assert [found.metadata["Name"] for found in plain_distributions([host.site])] == ["good"]
    assert installed_digest(host.site)


def test_pipes_and_endless_files_among_the_packages_are_passed_over(host: Host) -> None:
    host.make_venv()
    os.mkfifo(host.site / "pipe.pth")
    (host.site / "endless.pth").symlink_to("/dev/zero")
    found = find_interpreter(host.root, None, {})
    assert found.linked == ()
