"""Who may import whom is held by import-linter, and import-linter is seen to hold it."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LINT = Path(sysconfig.get_path("scripts")) / "lint-imports"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("mcp/toolbox/toolbox.py", "from testwright.graph import context"),
        ("utils/python_source.py", "from testwright.engine.python import model"),
        ("graph/context.py", "from testwright.engine.python import model"),
    ],
)
def test_a_forbidden_import_is_caught(tmp_path, path, line):
    copy = tmp_path / "testwright"
    left_out = (".*", "__pycache__", "tests", "examples", "benchmarks", "docs", "build")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*left_out))
    planted = copy / path
    planted.write_text(f"{planted.read_text()}\n{line}\n")
    done = subprocess.run(
        [str(LINT), "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
