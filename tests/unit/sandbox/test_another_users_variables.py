"""Which variables hold nonsense while tests run as another user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.sandbox.worker.suites.user_environment import asked_variables

pytestmark = pytest.mark.feature("T-10")

READING = 'import os\n\nLEVEL = os.environ.get("SHOP_LEVEL")\nDEBUG = os.environ.get("DEBUG")\n'
SETTINGS = """
from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    ENVIRONMENT: str = "local"
    debug: bool = False
"""


def test_what_code_reads_and_what_many_people_have_set_holds_nonsense(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("DEBUG", raising=False)
    (tmp_path / "shop.py").write_text(READING)
    assert {"SHOP_LEVEL", "DEBUG", "ENVIRONMENT"} <= set(asked_variables(str(tmp_path)))


def test_what_the_settings_of_the_project_give_keeps_its_value(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DEBUG", "True")
    (tmp_path / "shop.py").write_text(READING)
    assert "DEBUG" not in asked_variables(str(tmp_path))


def test_fields_of_checked_settings_take_no_nonsense(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("DEBUG", raising=False)
    (tmp_path / "shop.py").write_text(READING)
    (tmp_path / "settings.py").write_text(SETTINGS)
    found = asked_variables(str(tmp_path))
    assert "SHOP_LEVEL" in found
    assert not {"DEBUG", "ENVIRONMENT"} & set(found)
