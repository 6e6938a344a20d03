"""A test run that measures applications leaves its variables as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from testwright.sandbox.worker.http.application_coverage import Applications

pytestmark = pytest.mark.feature("T-20")


@pytest.mark.parametrize("path", [None, "", "/somewhere"])
def test_the_import_path_is_afterwards_what_it_was_or_unset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str | None
) -> None:
    monkeypatch.setenv("PYTHONPATH", path or "")
    if path is None:
        monkeypatch.delenv("PYTHONPATH")
    applications = Applications(str(tmp_path), [], commands=True)
    assert os.environ["PYTHONPATH"].startswith(str(tmp_path))
    applications.stop(None)
    assert os.environ.get("PYTHONPATH") == path
    assert not {"API_LAUNCHER", "API_MEASURED"} & set(os.environ)
