"""Modules that reach for the host from inside: by files that the host reads and writes, and by the kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.hostile.host import unharmed
from testwright.tests.support.hostile.projects import generated_text, hostile_project, run_on

pytestmark = pytest.mark.feature("B-05")

# At every import: replaces whatever the host reads, and prepares the places where it writes. Modules that are imported
# together leave each other places of their own.
PLANTS = '''"""Plants links and pipes."""

import glob
import os

_SCRATCH = os.path.dirname(os.environ.get("HOME", "/nonexistent/x"))


def _plant(path: str) -> None:
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)
        {action}
    except OSError:
        pass


for _folder in glob.glob(_SCRATCH + "/gate-*") + glob.glob(os.path.dirname(_SCRATCH) + "/requests/gate-*"):
    _names = ("results.jsonl", "coverage.json", "plan.json", "plan.part", "request.json", "ended")
    for _place, _name in enumerate(_names):
        _path = os.path.join(_folder, _name)
        _untouched = os.path.isfile(_path) and not os.path.islink(_path)
        if _place % 4 == {number} or _untouched or not os.path.lexists(_path):
            _plant(_path)


def label(n: int) -> str:
    """A label."""
    return "big" if n > 3 else "small"
'''


ACTIONS = ("os.symlink({victim!r}, path)", "os.symlink('/dev/zero', path)", "os.mkfifo(path)", "os.mkdir(path)")


def test_what_modules_plant_is_neither_written_through_nor_waited_for(tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    (host / "bashrc").write_text("alias ll='ls -l'\n")
    actions = [action.replace("{victim!r}", repr(str(host / "bashrc"))) for action in ACTIONS]
    bad = {
        f"src/pk/bad{number}.py": PLANTS.replace("{action}", action).replace("{number}", str(number))
        for number, action in enumerate(actions)
    }
    root = hostile_project(tmp_path / "project", bad)
    with unharmed(root, host, marker=str(root)):
        outcome = run_on(root, environment={"TESTWRIGHT_MUTANTS": "1"})  # its files are the host's as well
    assert "Traceback" not in outcome.err
    assert "src/pk/good.py: 2 tests" in outcome.out, outcome.out + outcome.err
    (report,) = root.glob(".testwright/runs/*/report.json")
    assert bad.keys() <= {target["path"] for target in json.loads(report.read_text())["targets"]}


DOORS = '''"""Tries the doors of the kernel."""

import ctypes

_LIBC = ctypes.CDLL(None, use_errno=True)
_DOORS = {
    "namespaces": (272, 0x10000000 | 0x00020000),
    "new mount": (430, b"cgroup2", 0),
    "keys": (250, 0, -3, 0),
    "tracing": (101, 16, 1, 0, 0),
    "kernel programs": (321, 0, 0, 0),
    "memory of nobody": (319, b"name", 0),
    "rings": (425, 1, 0),
}
_OPEN = [name for name, call in _DOORS.items() if _LIBC.syscall(*call) >= 0]


def describe(n: int) -> str:
    """What is open."""
    return " ".join(["THE DOORS:", *_OPEN, "ARE OPEN"]) if n > 0 else "NOT LOOKED FOR"
'''


def test_the_kernel_s_doors_are_shut(tmp_path: Path) -> None:
    root = hostile_project(tmp_path / "project", {"src/pk/doors.py": DOORS})
    with unharmed(root, marker=str(root)):
        outcome = run_on(root)
    assert outcome.code in (ExitCode.OK, ExitCode.PRODUCT_DEFECT), outcome.out + outcome.err
    assert "THE DOORS: ARE OPEN" in generated_text(root)
