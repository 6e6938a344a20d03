"""A class has the settings that it inherits, and is none for the name of another module's class."""

from __future__ import annotations

import ast

import pytest

from testwright.engine.api.document.settings_variables import settings_variables
from testwright.engine.python.project.layout import ModulePlace

pytestmark = pytest.mark.feature("T-10")

SETTINGS = """
from pydantic_settings import BaseSettings

class Base(BaseSettings):
    token: str
"""
TABLES = """
from sqlalchemy.orm import DeclarativeBase

class Base(DeclarativeBase):
    pass
"""


def _variables(**sources: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    modules = [
        (ModulePlace(f"{name.replace('__', '/')}.py", name.replace("__", "."), "."), ast.parse(source))
        for name, source in sources.items()
    ]
    for one in settings_variables(modules):
        found.setdefault(one.owner, []).append(one.variable)
    return found


def test_a_table_with_a_base_of_the_same_name_has_no_settings() -> None:
    table = "from db import Base\n\nclass User(Base):\n    password: str\n"
    assert _variables(conf=SETTINGS, db=TABLES, models=table) == {"Base": ["TOKEN"]}
    assert _variables(db=TABLES, models=table, conf=SETTINGS) == {"Base": ["TOKEN"]}


def test_a_base_that_another_library_has_is_none_of_the_project() -> None:
    table = "from elsewhere import Base\n\nclass User(Base):\n    password: str\n"
    assert _variables(conf=SETTINGS, models=table) == {"Base": ["TOKEN"]}


@pytest.mark.parametrize(
    "source",
    [
        "from desk.conf import Base\n\nclass Web(Base):\n    key: str\n",
        "from desk.conf import Base as Common\n\nclass Web(Common):\n    key: str\n",
        "from .conf import Base\n\nclass Web(Base):\n    key: str\n",
        "from . import conf\n\nclass Web(conf.Base):\n    key: str\n",
        "import desk.conf\n\nclass Web(desk.conf.Base):\n    key: str\n",
        "import desk.conf as c\n\nclass Web(c.Base):\n    key: str\n",
        "from .conf import *\n\nclass Web(Base):\n    key: str\n",
        # The package hands it on, or the folder of the package is on the path.
        "from desk import Base\n\nclass Web(Base):\n    key: str\n",
        "from conf import Base\n\nclass Web(Base):\n    key: str\n",
    ],
)
def test_a_base_is_found_however_it_is_imported(source: str) -> None:
    assert _variables(desk__conf=SETTINGS, desk__web=source)["Web"] == ["TOKEN", "KEY"]


def test_a_class_may_have_the_name_of_the_one_that_it_inherits_from() -> None:
    source = "from conf import Base\n\nclass Base(Base):\n    key: str\n"
    assert _variables(conf=SETTINGS, web=source) == {"Base": ["TOKEN", "TOKEN", "KEY"]}
