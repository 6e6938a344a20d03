"""`[tool.testwright.app]` says in one place how the application under test is started."""

from __future__ import annotations

from pathlib import Path
from string import Template

import pytest

from testwright.config.settings import load_settings
from testwright.config.target_variables import filled_variables, taken_variables
from testwright.core.errors import SettingsError

pytestmark = pytest.mark.feature("T-20")


def loaded(folder: Path, text: str, **flags: object):
    (folder / "testwright.toml").write_text(text)
    return load_settings({"root": folder, **flags})


def test_the_table_is_the_settings_of_the_application(tmp_path: Path):
    text = (
        '[env]\nREGION = "eu"\n'
        '[app]\nobject = "shop.web:make_app()"\ncommand = "serve {port}"\nready = "/health"\nenv = { LEVEL = "1" }\n'
    )
    settings = loaded(tmp_path, text, trust_project=True)
    assert settings.app_object == "shop.web:make_app()"
    assert settings.app_command == "serve {port}"
    assert settings.app_ready == "/health"
    assert settings.variables == {"LEVEL": "1", "REGION": "eu"}


def test_a_command_of_the_table_needs_consent_as_any_command(tmp_path: Path):
    settings = loaded(tmp_path, '[app]\nobject = "shop.web:app"\ncommand = "serve {port}"\n')
    assert settings.app_object == "shop.web:app"
    assert settings.app_command is None
    assert "app_command" in settings.ignored


def test_a_value_of_the_environment_is_used_and_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHOP_SECRET", "hunter2-and-more")
    settings = loaded(tmp_path, '[app.env]\nSECRET = "${SHOP_SECRET}"\n', trust_project=True)
    assert settings.variables == {"SECRET": "hunter2-and-more"}
    assert "hunter2" not in str(settings.stored())


def test_a_project_does_not_take_values_of_the_environment_without_consent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SHOP_SECRET", "hunter2-and-more")
    settings = loaded(tmp_path, '[app.env]\nSECRET = "${SHOP_SECRET}"\n')
    assert settings.variables == {}
    assert "env" in settings.ignored


def test_a_value_that_the_environment_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHOP_SECRET", raising=False)
    settings = loaded(tmp_path, '[app.env]\nSECRET = "${SHOP_SECRET}"\n', trust_project=True)
    with pytest.raises(SettingsError, match="SHOP_SECRET"):
        _ = settings.variables


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[app]\nport = 80\n", r"app\.port"),
        ('app = "shop"\n', "not a table"),
        ('app-command = "a"\n[app]\ncommand = "b"\n', r"app\.command and app_command"),
        ('[env]\nA = "1"\n[app.env]\nA = "2"\n', "sets A in env and in app.env"),
        ('[app]\nobject = "shop.web"\n', "app_object"),
    ],
    ids=["unknown name", "no table", "said twice", "variable set twice", "no attribute"],
)
def test_a_table_that_is_wrong_is_named(tmp_path: Path, text: str, problem: str):
    with pytest.raises(SettingsError, match=problem):
        loaded(tmp_path, text)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("eu", None),
        ("${SIDE}", "${SIDE}"),
        ("${SIDE:-west}", "${SIDE}"),
        ("${FLOOR:-first}", None),
        ("a$b-${SIDE}-${FLOOR:-$1}", "a$$b-${SIDE}-$$1"),
    ],
)
def test_what_takes_from_the_environment_is_known_by_its_form(value: str, form: str | None):
    variables = {"PLACE": value}
    assert taken_variables(variables, {"SIDE": "east"}) == ({"PLACE": form} if form else {})
    if form:
        filled = filled_variables(variables, {"SIDE": "east"})["PLACE"]
        assert Template(form).substitute(SIDE="east") == filled
