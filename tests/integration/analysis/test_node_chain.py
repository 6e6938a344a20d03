"""Node and the JavaScript chain: found where they are, installed once and whole, and missing with advice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from testwright.analysis.javascript.chain import CHECKS, ToolChain
from testwright.analysis.javascript.checks import JavaScriptChecks, ScriptFile
from testwright.cli.doctor import javascript_check
from testwright.config.settings import Settings
from testwright.core.errors import EnvironmentFault, StorageError, ToolFailure
from testwright.sandbox.javascript import node
from testwright.sandbox.javascript.node import NodeRuntime, find_node, is_supported
from testwright.sandbox.javascript.npm_folder import NpmFolder
from testwright.tests.support.mcp.js_chain import MACHINE_CACHE, use_machine_cache
from testwright.utils.user_folders import cache_folders

pytestmark = pytest.mark.feature("T-10")

COUNTING_NPM = """
import os, sys
with open(sys.argv[1], "a") as calls:
    calls.write(" ".join(sys.argv[2:]) + "\\n")
os.makedirs("node_modules/eslint")
"""
HANGING_NPM = """
import os, signal, sys
os.makedirs("node_modules/half")
with open(sys.argv[1], "w") as told:
    told.write(str(os.getpid()))
signal.pause()
"""
INSTALLER = """
import sys
from pathlib import Path
from testwright.analysis.javascript.chain import CHECKS
from testwright.sandbox.javascript.node import NodeRuntime
CHECKS.install([Path(sys.argv[1])], NodeRuntime(Path(sys.executable), (24, 0, 0), tuple(sys.argv[2:]), "machine"))
"""


def stand_in(folder: Path, source: str, *arguments: str) -> NodeRuntime:
    """A Node whose npm is a script of ours."""
    script = folder / f"npm-{len(list(folder.glob('npm-*')))}.py"
    script.write_text(source)
    return NodeRuntime(Path(sys.executable), (24, 0, 0), (sys.executable, str(script), *arguments), "machine")


def a_program(folder: Path, name: str, says: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho {says}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ((18, 20, 0), False),
        ((20, 18, 3), False),
        ((20, 19, 0), True),
        ((21, 7, 0), False),
        ((22, 12, 0), False),
        ((22, 13, 0), True),
        ((23, 5, 0), False),
        ((24, 0, 0), True),
        ((26, 1, 0), True),
    ],
)
def test_node_has_to_be_what_eslint_runs_on(version, enough):
    assert is_supported(version) is enough


def test_an_old_node_and_no_wheel_are_told_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    a_program(tmp_path / "bin", "node", "v16.20.0")
    with pytest.raises(EnvironmentFault, match=r"16\.20\.0") as caught:
        find_node({"PATH": str(tmp_path / "bin")})
    assert "testwright[js]" in caught.value.advice
    with pytest.raises(EnvironmentFault, match="no Node new enough"):
        find_node({"PATH": str(tmp_path / "empty")})


def test_a_node_without_npm_serves_for_checking_but_not_for_installing(tmp_path, monkeypatch):
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    a_program(tmp_path / "bin", "node", "v24.1.0")
    only = {"PATH": str(tmp_path / "bin")}
    assert find_node(only).version == (24, 1, 0)
    with pytest.raises(EnvironmentFault, match="no npm"):
        find_node(only, with_npm=True)


def test_the_newest_node_is_taken_wherever_it_comes_from(tmp_path):
    a_program(tmp_path / "bin", "node", "v99.0.0")
    assert find_node({"PATH": str(tmp_path / "bin")}).version == (99, 0, 0)
    assert find_node({"PATH": str(tmp_path / "empty")}).origin == "wheel"


def test_the_chain_is_installed_once_however_many_ask(tmp_path):
    calls = tmp_path / "calls"
    npm = stand_in(tmp_path, COUNTING_NPM, str(calls))
    found: list[ToolChain] = []
    asking = [
        threading.Thread(target=lambda: found.append(CHECKS.install([tmp_path / "cache"], npm))) for _ in range(4)
    ]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(calls.read_text().splitlines()) == 1
    assert "ci --ignore-scripts --no-audit --no-fund" in calls.read_text()
    assert len({one.folder for one in found}) == 1
    assert [one.fresh for one in found].count(True) == 1
    assert CHECKS.find_installed([tmp_path / "other", tmp_path / "cache"]) == CHECKS.install([tmp_path / "cache"])


def test_an_installation_that_is_killed_leaves_nothing_that_looks_whole(tmp_path):
    told, cache = tmp_path / "told", tmp_path / "cache"
    os.mkfifo(told)
    hanging = stand_in(tmp_path, HANGING_NPM, str(told))
    installing = subprocess.Popen([sys.executable, "-c", INSTALLER, str(cache), *hanging.npm])
    npm_process = int(told.read_text())
    try:
        installing.kill()
        installing.wait()
        assert CHECKS.find_installed([cache]) is None
        assert not (cache / "javascript" / CHECKS.lock_hash()).exists()
        assert list((cache / "javascript").glob("*.new-*")) != []
    finally:
        os.kill(npm_process, signal.SIGKILL)
    done = CHECKS.install([cache], stand_in(tmp_path, COUNTING_NPM, str(tmp_path / "calls")))
    assert done.script.is_file()
    assert list((cache / "javascript").glob("*.new-*")) == []


def test_npm_that_fails_is_quoted_with_advice_and_leaves_nothing(tmp_path):
    npm = stand_in(tmp_path, "import sys\nsys.exit('npm error code ENOTFOUND')\n")
    with pytest.raises(EnvironmentFault, match="ENOTFOUND") as caught:
        CHECKS.install([tmp_path / "cache"], npm)
    assert "registry" in caught.value.advice
    assert list((tmp_path / "cache" / "javascript").glob("*-*")) == []


def test_npm_that_does_not_end_is_ended(tmp_path):
    npm = stand_in(tmp_path, "import signal\nsignal.pause()\n")
    with pytest.raises(EnvironmentFault, match="did not install"):
        CHECKS.install([tmp_path / "cache"], npm, seconds=0.2)


def test_another_folder_of_the_users_takes_the_chain_where_the_cache_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    done = CHECKS.install(
        [tmp_path / "file" / "below", tmp_path / "other"],
        stand_in(tmp_path, COUNTING_NPM, str(tmp_path / "calls")),
    )
    assert done.folder.is_relative_to(tmp_path / "other")
    with pytest.raises(StorageError, match="There is no folder"):
        CHECKS.install([tmp_path / "file" / "below"])


def test_new_rules_need_no_new_installation(tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    npm = stand_in(tmp_path, COUNTING_NPM, str(calls))
    first = CHECKS.install([tmp_path / "cache"], npm)
    monkeypatch.setattr(NpmFolder, "_scripts_name", lambda _: "checks-of-another-version")
    second = CHECKS.install([tmp_path / "cache"], npm)
    assert (first.folder, first.script.parent != second.script.parent) == (second.folder, True)
    assert len(calls.read_text().splitlines()) == 1


def test_a_damaged_chain_is_told_with_its_place(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folders = cache_folders(tmp_path / "project")
    done = CHECKS.install(folders, stand_in(tmp_path, COUNTING_NPM, str(tmp_path / "calls")))
    with pytest.raises(ToolFailure, match="broke off") as caught:
        asyncio.run(JavaScriptChecks(tmp_path / "project").issues([ScriptFile("a.js", "1")]))
    assert str(done.folder) in caught.value.advice


def test_the_doctor_tells_the_state_of_the_checks(tmp_path, monkeypatch):
    settings = Settings(root=tmp_path)
    there = javascript_check(settings, {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "empty")})
    assert (there.ok, there.required) == (True, False)
    assert "not installed yet" in there.found
    use_machine_cache(monkeypatch)
    asyncio.run(JavaScriptChecks(tmp_path).issues([ScriptFile("a.js", "1")]))
    assert str(MACHINE_CACHE) in javascript_check(settings, os.environ).found
    monkeypatch.setattr(node, "_WHEEL", "no_such_wheel_is_installed")
    without = javascript_check(settings, {"PATH": "", "XDG_CACHE_HOME": str(tmp_path)})
    assert (without.ok, without.required) == (False, False)
    assert "testwright[js]" in without.meaning
