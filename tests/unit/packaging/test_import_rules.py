"""Who may import whom is held by import-linter, and import-linter is seen to hold it."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LINT = Path(sysconfig.get_path("scripts")) / "lint-imports"
FORBIDDEN = [
    ("mcp/toolbox/toolbox.py", "testwright.graph", "context"),
    ("utils/python_source.py", "testwright.engine.python", "model"),
    ("graph/context.py", "testwright.engine.python", "model"),
]


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter prints of a copy in which all forbidden imports are planted: each run reads all modules."""
    parent = tmp_path_factory.mktemp("planted")
    copy = parent / "testwright"
    left_out = (".*", "__pycache__", "tests", "examples", "benchmarks", "docs", "build")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*left_out))
    for path, package, name in FORBIDDEN:
        planted = copy / path
        planted.write_text(f"{planted.read_text()}\nfrom {package} import {name}\n")
    done = subprocess.run(
        [str(LINT), "--no-cache"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(parent), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("path", "package", "name"), FORBIDDEN)
def test_a_forbidden_import_is_caught(complaints: str, path: str, package: str, name: str) -> None:
    importer = ".".join(("testwright", *Path(path).with_suffix("").parts))
    _, broken = complaints.split("Broken contracts", 1)
    assert f"{importer} -> {package}.{name} (l." in broken
