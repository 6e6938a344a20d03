"""An open store and a run in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from testwright.store.database.database import Store
from testwright.store.files.run_folder import RunFolder


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def store(state_dir: Path) -> Iterator[Store]:
    with Store.open(state_dir) as opened:
        opened.runs.create("r1", request="tests for a.py", root="/project", settings={"jobs": 2}, version="1.0")
        yield opened


@pytest.fixture
def folder(state_dir: Path) -> RunFolder:
    return RunFolder(state_dir, "r1").create()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root
