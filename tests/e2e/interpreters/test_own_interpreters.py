"""testwright itself on each Python version that this machine has besides the one that runs the tests."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from filelock import FileLock

from testwright.tests.support.projects.files import ROOT
from testwright.tests.support.runs.interpreters import OWN_VERSIONS, find_interpreter

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHERS = [version for version in OWN_VERSIONS if version != RUNNING and find_interpreter(version)]
DEPENDENT = ("tests/unit/engine", "tests/unit/agents/guardrails", "tests/unit/packaging/test_public_api.py")
"""Tests whose outcome may differ between versions: syntax trees, tokens, lazy imports."""
UNUSED = [part for name in ("playwright", "benchmark", "platformdirs", "xdist") for part in ("-p", f"no:{name}")]
"""Plugins that come with our dependencies and take part in none of these tests."""
PLAIN = "--assert=plain"
"""Assertions as Python has them: to rewrite those of all files for one session takes a third as long as to run it."""


@pytest.mark.feature("T-19")
@pytest.mark.timeout(900)  # thousands of tests and a new environment, on a machine that may be busy
@pytest.mark.parametrize("version", OTHERS)
def test_what_depends_on_the_interpreter_passes_on_this_version(version):
    python = environment_of(version)

    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", PLAIN, *UNUSED, *DEPENDENT],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},  # its bytecode is made once, not by each process anew
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def environment_of(version: str) -> Path:
    """The Python of an environment of this version with our dependencies; made once for each set of dependencies."""
    pins = (ROOT / "requirements.txt", ROOT / "constraints.txt")
    key = hashlib.sha256(b"".join(path.read_bytes() for path in pins)).hexdigest()[:12]
    folder = Path(sys.prefix) / "other-versions" / f"{version}-{key}"
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    with FileLock(f"{folder.parent}-{version}.lock"):
        if not (folder / "complete").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            _run(uv, "venv", "--quiet", "--python", str(find_interpreter(version)), str(folder))
            python = str(folder / "bin" / "python")
            _run(
                uv,
                "pip",
                "install",
                "--quiet",
                "--python",
                python,
                "-c",
                str(pins[1]),
                "-r",
                str(pins[0]),
            )
            site = next((folder / "lib").glob("python*/site-packages"))
            (folder / "checkout").mkdir()
            (folder / "checkout" / "testwright").symlink_to(ROOT)
            (site / "testwright_checkout.pth").write_text(f"{folder / 'checkout'}\n")
            (folder / "complete").touch()
    return folder / "bin" / "python"


def _run(program: Path, *arguments: str) -> None:
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
