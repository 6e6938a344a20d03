"""What a clone brings along neither runs outside of the sandbox nor shows the sandbox more than the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import EnvironmentFault
from testwright.sandbox.javascript import node
from testwright.sandbox.javascript.jest import _Reader
from testwright.sandbox.javascript.node import find_node
from testwright.sandbox.javascript.project import installed_modules

pytestmark = pytest.mark.feature("B-01")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    return tmp_path / "clone"


def a_node(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / "node"
    program.write_text(f"#!/bin/sh\ntouch {folder}/started\necho v24.1.0\n")
    program.chmod(0o755)
    return program


def test_packages_of_the_project_and_of_its_repository_are_shown(clone):
    (clone / "node_modules").mkdir()
    (clone / "packages" / "money" / "node_modules").mkdir(parents=True)
    found = dict(installed_modules(clone, "packages/money"))
    assert found == {"packages/money": clone / "packages/money/node_modules", ".": clone / "node_modules"}
    (clone / "packages" / "rates").mkdir()
    (clone / "packages" / "rates" / "node_modules").symlink_to("../money/node_modules")
    assert dict(installed_modules(clone / "packages" / "rates", ".")) == {".": clone / "packages/money/node_modules"}


@pytest.mark.parametrize("place", ["home", "home/node_modules", "clone/.git"])
def test_a_link_that_leads_elsewhere_is_refused(clone, place):
    (clone.parent / place).mkdir(parents=True, exist_ok=True)
    (clone / "node_modules").symlink_to(clone.parent / place)
    with pytest.raises(EnvironmentFault, match="no folder of packages inside the project"):
        dict(installed_modules(clone, "."))


@pytest.mark.parametrize("entry", ["./node_modules/.bin", "node_modules/.bin", "{clone}/node_modules/.bin", "{link}"])
def test_a_node_of_the_clone_is_not_started(clone, monkeypatch, entry):
    program = a_node(clone / "node_modules" / ".bin")
    (clone.parent / "link").symlink_to(program.parent)
    monkeypatch.chdir(clone)
    with pytest.raises(EnvironmentFault, match="no Node"):
        find_node({"PATH": entry.format(clone=clone, link=clone.parent / "link")}, root=clone)
    assert not (program.parent / "started").exists()


def test_the_node_behind_that_of_the_clone_is_found(clone):
    own, users = a_node(clone / "node_modules" / ".bin"), a_node(clone.parent / "tools")
    found = find_node({"PATH": f"{own.parent}:{users.parent}"}, root=clone)
    assert found.path == users


@pytest.mark.parametrize(("ended_here", "crashed"), [(True, False), (False, True)])
def test_a_process_that_ends_itself_is_no_test_that_hangs(ended_here, crashed):
    reader = _Reader("/p")
    reader.line('{"file": "/p/a.test.js"}')
    reader.line('{"begin": "a stops", "file": "/p/a.test.js"}')
    run = reader.run("", ended_here=ended_here)
    assert (run.hung, run.crashed) == ("a stops", crashed)
