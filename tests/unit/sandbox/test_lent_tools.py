"""Test tools that a project's environment lacks are known to be lent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testwright.sandbox.target import PythonTarget

pytestmark = pytest.mark.feature("T-06")


def test_a_tool_is_lent_where_the_overlay_has_it_and_another_tool_there_says_nothing(tmp_path: Path) -> None:
    target: Any = SimpleNamespace(overlay=(tmp_path,))
    (tmp_path / "coverage").mkdir()
    assert not PythonTarget.lends(target, "pytest")
    (tmp_path / "pytest").mkdir()
    assert PythonTarget.lends(target, "pytest")
