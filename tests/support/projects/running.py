"""Runs the tests of a small project with its own pytest, as its user would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

WITHOUT_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Environment of a pytest that needs no plugin: those of our environment take longer to load than pytest itself."""


def pytest_output(root: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """What pytest prints for a project whose packages are in `src`; warnings are errors. Fails where a test fails.

    Args:
        variables: further variables of the environment.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "error",
            *arguments,
            "tests",
        ],
        cwd=root,
        env={
            **WITHOUT_PLUGINS,
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONPATH": str(root / "src"),
            **(variables or {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
