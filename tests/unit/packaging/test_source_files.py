"""What a run leaves in the checkout is no source of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.tests.support import source_files


def test_files_of_runs_environments_and_test_data_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ["app/runs.py", "main.py"]
    for path in (*kept, "examples/shop/.testwright/runs/1/first/test_shop.py", ".venv/a.py", "tests/data/b.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    monkeypatch.setattr(source_files, "ROOT", tmp_path)
    found = source_files.python_files.__wrapped__()
    assert [path.relative_to(tmp_path).as_posix() for path in found] == kept
