"""What a person is told to do where the application lacks a variable."""

from types import SimpleNamespace
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch, start_failure
from testwright.engine.api.document.apps import find_administrator, find_secret_variables
from testwright.engine.python.project.layout import ModulePlace


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(
    ("settings", "is_named"),
    [("[tool.testwright.app]\nenv = { SHOP_DB = 'x' }", True), ("[tool.testwright.env]\nOTHER = 'x'", False)],
)
def test_trust_is_named_where_an_ignored_setting_has_the_missing_variable(tmp_path, settings, is_named):
    (tmp_path / "pyproject.toml").write_text(settings)
    target: Any = SimpleNamespace(root=tmp_path, interpreter=None)
    fault = start_failure(AppLaunch("shop:app"), "KeyError: 'SHOP_DB'", target)
    assert 'SHOP_DB = "…"' in fault.advice
    assert ("testwright trust" in fault.advice) is is_named


SETTINGS = """
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class DeskSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="DESK_")

    database_url: str
    signing_secret: str = Field(min_length=8)
    mail_token: str = Field(..., validation_alias="MAIL_TOKEN")
    page_size: int = Field(default=20)


class Keys(BaseSettings):
    partner_key: str
    admin_email: str = "ada@example.com"
    admin_password: str

    class Config:
        env_prefix = "keys_"
"""


@pytest.mark.feature("T-10")
def test_variables_of_settings_have_the_prefix_and_the_names_that_their_class_gives_them(tmp_path):
    (tmp_path / "config.py").write_text(SETTINGS)
    places = [ModulePlace("config.py", "config", ".")]
    assert find_secret_variables(tmp_path, places) == [
        *("DESK_SIGNING_SECRET", "KEYS_ADMIN_PASSWORD", "KEYS_PARTNER_KEY", "MAIL_TOKEN"),
    ]
    assert find_administrator(tmp_path, places) == ("KEYS_ADMIN_EMAIL", "KEYS_ADMIN_PASSWORD")


@pytest.mark.feature("T-10")
def test_the_advice_names_the_variable_of_a_field_that_is_missing(tmp_path):
    (tmp_path / "config.py").write_text(SETTINGS)
    target: Any = SimpleNamespace(root=tmp_path, interpreter=None)
    why = "1 validation error for DeskSettings\ndatabase_url\n  Field required [type=missing]"
    assert 'DESK_DATABASE_URL = "…"' in start_failure(AppLaunch("shop:app"), why, target).advice
    alias = "1 validation error for MailSettings\nmail_token\n  Field required [type=missing]"
    assert 'MAIL_TOKEN = "…"' in start_failure(AppLaunch("shop:app"), alias, target).advice


BASES = """
from typing import Annotated, ClassVar

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Common(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="DESK_")

    kinds: ClassVar[list[str]]
    access_key: Annotated[str, Field(min_length=8)]
    page_token: Annotated[str, Field(default="first")]
    mail_token: str = Field(alias="mailToken", validation_alias=AliasChoices("MAIL_TOKEN", "SMTP_TOKEN"))
"""
INHERITED = """
from desk.bases import Common


class Worker(Common):
    queue_secret: str


class Web(Common, env_prefix="WEB_"):
    access_key: str
"""


@pytest.mark.feature("T-10")
def test_settings_take_fields_and_prefix_from_the_class_they_inherit_from(tmp_path):
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/__init__.py").write_text("")
    (tmp_path / "desk/bases.py").write_text(BASES)
    (tmp_path / "desk/roles.py").write_text(INHERITED)
    places = [ModulePlace(f"desk/{name}.py", f"desk.{name}", ".") for name in ("bases", "roles")]
    assert find_secret_variables(tmp_path, places) == [
        *("DESK_ACCESS_KEY", "DESK_QUEUE_SECRET", "MAIL_TOKEN", "SMTP_TOKEN", "WEB_ACCESS_KEY"),
    ]


@pytest.mark.feature("T-10")
@pytest.mark.parametrize(("owner", "variable"), [("Common", "DESK_ACCESS_KEY"), ("Web", "WEB_ACCESS_KEY")])
def test_the_advice_names_the_variable_of_the_settings_that_lack_it(tmp_path, owner, variable):
    (tmp_path / "bases.py").write_text(BASES)
    (tmp_path / "roles.py").write_text(INHERITED)
    target: Any = SimpleNamespace(root=tmp_path, interpreter=None)
    why = f"pydantic_core.ValidationError: 1 validation error for {owner}\naccess_key\n  Field required [type=missing]"
    advice = start_failure(AppLaunch("shop:app"), why, target).advice
    assert f'{variable} = "…"' in advice
    assert advice.count('= "…"') == 1


@pytest.mark.feature("T-10")
def test_the_name_of_a_setting_is_no_environment_variable(tmp_path):
    (tmp_path / "settings.py").write_text(
        'from os import getenv\n\nMAIL = {"PASSWORD": getenv("MAIL_PASSWORD"), "API_KEY": None}\n'
    )
    assert find_secret_variables(tmp_path, [ModulePlace("settings.py", "settings", ".")]) == ["MAIL_PASSWORD"]
