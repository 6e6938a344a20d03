"""What an exploration rests on: what must make it be done again, and what must not (T-16)."""

import shutil

import pytest

from testwright.engine.python.project.exploration_digest import Foundations
from testwright.tests.support.projects.files import make_project
from testwright.utils.generated_header import with_header

pytestmark = pytest.mark.feature("T-16")

PROJECT = {
    "pyproject.toml": "[project]\nname = 'app'\n",
    "README.md": "# App\n",
    "src/app/__init__.py": "",
    "src/app/prices.py": "from app.money import Money\n"
    "from . import taxes\n\n\ndef price_of(thing):\n    return Money(thing)\n",
    "src/app/money.py": "from .rounding import cents\n\n\n"
    "class Money:\n    def __init__(self, amount):\n        self.a = cents(amount)\n",
    "src/app/rounding.py": "def cents(amount):\n    return round(amount, 2)\n",
    "src/app/taxes.py": "RATE = 19\n",
    "src/app/weather.py": "def forecast(day):\n    return 'sun'\n",
    "src/app/carts.py": "from .prices import price_of\n\n\n"
    "def sum_up(things):\n    return [price_of(one) for one in things]\n",
    "src/app/things.py": "class Thing:\n    pass\n",
    "src/app/rates.json": "{}\n",
    "tests/test_weather.py": "from app.weather import forecast\n\n\ndef test_it():\n    assert forecast(1)\n",
}
TARGET = "src/app/prices.py"


def digest(root, path=TARGET):
    files = sorted(one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file())
    return Foundations(root, tuple(files)).digest_of(path)


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path / "project", PROJECT)


def changed(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, "utf-8")
    return root


WORK_AGAIN = {
    "a comment in the module itself: its lines are evidence": (TARGET, "# a comment\n" + PROJECT[TARGET]),
    "a line of the module that is excluded from coverage": (
        TARGET,
        PROJECT[TARGET].replace("Money(thing)", "Money(thing)  # pragma: no cover"),
    ),
    "the module": (TARGET, PROJECT[TARGET].replace("Money(thing)", "Money(2 * thing)")),
    "a module that it imports": ("src/app/money.py", PROJECT["src/app/money.py"] + "LIMIT = 1\n"),
    "a docstring of one": ("src/app/taxes.py", '"""Taxes."""\n\nRATE = 19\n'),
    "a module that this one imports": ("src/app/rounding.py", "def cents(amount):\n    return round(amount, 1)\n"),
    "the package it is in": ("src/app/__init__.py", "import os\n"),
    "a module that uses it": ("src/app/carts.py", PROJECT["src/app/carts.py"].replace("things", "goods")),
    "a class that its parameters are named after": ("src/app/things.py", "class Thing:\n    size = 1\n"),
    "a test that names it": ("tests/test_prices.py", "from app.prices import price_of\n"),
    "a data file": ("src/app/rates.json", '{"a": 1}\n'),
    "a new data file": ("src/app/more.csv", "a,b\n"),
    "settings of the project": ("pyproject.toml", "[project]\nname = 'other'\n"),
    "a module that may hide another": ("src/money.py", ""),
}
THE_SAME = {
    "a setting of pytest beside others": (
        "pyproject.toml",
        f"{PROJECT['pyproject.toml']}\n[tool.pytest.ini_options]\npythonpath = ['src']\n",
    ),
    "a file of pytest's settings": ("pytest.ini", "[pytest]\npythonpath = src\n"),
    "a section of pytest's in a file of settings that has no other": ("setup.cfg", "[tool:pytest]\naddopts = -q\n"),
    "a comment in the module itself that moves no line": (
        TARGET,
        PROJECT[TARGET].replace("thing)\n", "thing)  # so\n"),
    ),
    "a comment elsewhere that names it": (
        "src/app/weather.py",
        PROJECT["src/app/weather.py"] + "# see price_of, prices\n",
    ),
    "a comment elsewhere about imports": (
        "src/app/money.py",
        PROJECT["src/app/money.py"] + "# no eval, no importlib\n",
    ),
    "a comment in a module that it imports": ("src/app/money.py", "# a comment\n\n" + PROJECT["src/app/money.py"]),
    "a comment in one that uses it": ("src/app/carts.py", PROJECT["src/app/carts.py"] + "# the end\n"),
    "a module that has nothing to do with it": ("src/app/weather.py", "def forecast(day):\n    return 'rain'\n"),
    "a test of that": ("tests/test_weather.py", PROJECT["tests/test_weather.py"].replace("1", "2")),
    "a test we wrote ourselves": (
        "tests/generated/test_prices.py",
        with_header("from app.prices import price_of\n", target=TARGET),
    ),
}


@pytest.mark.parametrize("what", WORK_AGAIN)
def test_work_again(project, what):
    before = digest(project)
    assert digest(changed(project, *WORK_AGAIN[what])) != before


@pytest.mark.parametrize("what", THE_SAME)
def test_the_same(project, what):
    before = digest(project)
    assert digest(changed(project, *THE_SAME[what])) == before


def test_a_generated_test_that_a_person_changed_counts(project):
    mine = with_header("from app.prices import price_of\n", target=TARGET) + "# mine\n"
    before = digest(project)
    assert digest(changed(project, "tests/generated/test_prices.py", mine)) != before


def test_a_module_that_is_gone_counts(project):
    before = digest(project)
    (project / "src/app/weather.py").unlink()
    assert digest(project) != before


def test_where_imports_cannot_be_followed_all_code_counts(project):
    changed(project, "src/app/taxes.py", "import importlib\n\nRATE = importlib.import_module('app.weather')\n")
    before = digest(project)
    assert digest(changed(project, *THE_SAME["a module that has nothing to do with it"])) != before


@pytest.mark.parametrize("word", ["pytest", "tomllib"])
def test_settings_of_pytest_count_for_code_that_may_read_them(project, word):
    changed(project, "src/app/money.py", f"import {word}\n{PROJECT['src/app/money.py']}")
    before = digest(project)
    changed(project, "pyproject.toml", f"{PROJECT['pyproject.toml']}\n[tool.pytest.ini_options]\naddopts = '-q'\n")
    assert digest(project) != before


def test_a_file_of_settings_that_does_not_parse_counts_as_it_is(project):
    changed(project, "pyproject.toml", "[tool.pytest\n")
    before = digest(project)
    changed(project, "pyproject.toml", "[tool.pytest\naddopts\n")
    assert digest(project) != before


def test_the_place_of_the_project_does_not_count(project, tmp_path):
    assert digest(shutil.copytree(project, tmp_path / "elsewhere")) == digest(project)


@pytest.mark.parametrize(
    "text", ["def broken(:\n", "\x00", "from . import *\nfrom ... import far\n", "import app.prices\n"], ids=repr
)
def test_odd_files_break_nothing(project, text):
    changed(project, "src/app/odd.py", text)
    assert digest(project) == digest(project)
    assert digest(project, "src/app/odd.py") == digest(project, "src/app/odd.py")


def test_each_module_has_a_digest_of_its_own(project):
    files = tuple(sorted(PROJECT))
    known = Foundations(project, files)
    found = {path: known.digest_of(path) for path in files if path.startswith("src/") and path.endswith(".py")}
    assert len(set(found.values())) == len(found)
    assert found[TARGET] == digest(project)


def test_an_expression_of_hundreds_of_operands_counts_as_text(project):
    changed(project, "src/app/tables.py", "TOTAL = " + " + ".join(["1"] * 2000) + "\n")

    before = digest(project)
    assert len(before) == 64
    changed(project, "src/app/tables.py", "TOTAL = " + " + ".join(["2"] * 2000) + "\n")
    assert digest(project) == before  # the target does not use it
