"""Test files take the layout of the project that they join: its own linter and formatter have nothing to say."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from ruff.__main__ import find_ruff_bin  # pyrefly: ignore[implicit-reexport] - ruff 0.9 has it only there

from testwright.analysis import project_style
from testwright.analysis.project_style import in_project_style
from testwright.utils.generated_header import is_untouched, with_header

PLACE = "tests/generated/test_cart.py"
LONG = "a sentence that goes on until nobody reads it"
BODY = f'''"""Unit tests for shop.cart."""

import json
import pytest
import yaml
from shop.cart import Cart, add

from tools.money import cents


@pytest.mark.parametrize(("text", "amount"), [pytest.param({LONG!r}, json.loads("1"), id="one")])
def test_add_returns_the_{"long_" * 14}sum(text, amount):
    """{LONG.capitalize()}, and then some more of it (tc_add)."""
    assert add(Cart(), cents(amount), yaml) == {{"text": {LONG + " " + LONG!r}}}
'''
FILES = {PLACE: with_header(BODY, target="src/shop/cart.py")}


def project(root: Path, **files: str) -> Path:
    (root / "src/shop").mkdir(parents=True)
    (root / "src/shop/cart.py").touch()
    for name, text in files.items():
        (root / name.replace("_toml", ".toml").replace("dot_", ".")).write_text(text)
    return root


def ruff(root: Path, *command: str) -> str:
    done = subprocess.run([find_ruff_bin(), *command, "."], cwd=root, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode else ""


def styled(root: Path, files: dict[str, str] = FILES):
    return asyncio.run(in_project_style(root, files))


@pytest.mark.parametrize("length", [79, 88, 100, 120])
def test_the_projects_own_linter_and_formatter_accept_the_file(tmp_path, length):
    settings = f"""
        [tool.ruff]
        line-length = {length}
        [tool.ruff.lint]
        select = ["E", "F", "I", "RUF100"]
        isort.known-first-party = ["tools"]
        isort.force-single-line = true
        [tool.ruff.format]
        quote-style = "single"
    """
    root = project(tmp_path, pyproject_toml=settings)

    found = styled(root)

    assert found.problem == ""
    assert is_untouched(found.contents[PLACE])
    place = root / PLACE
    place.parent.mkdir(parents=True)
    place.write_text(found.contents[PLACE])
    assert ruff(root, "check", "--no-cache") == ""
    assert ruff(root, "check", "--no-cache", "--select", "I,E501") == ""
    assert ruff(root, "format", "--no-cache", "--check") == ""
    assert "from shop.cart import Cart\nfrom shop.cart import add\nfrom tools.money" in found.contents[PLACE]


def test_settings_nearest_to_the_folder_where_a_file_lands_count(tmp_path):
    root = project(tmp_path, ruff_toml="line-length = 60\n")
    (root / "tests").mkdir()
    (root / "tests/.ruff.toml").write_text("line-length = 140\n")

    text = styled(root).contents[PLACE]

    assert '[pytest.param("a sentence that goes on until nobody reads it", json.loads("1"), id="one")]' in text


def test_settings_of_the_repository_count_for_a_project_within_it(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "ruff.toml").write_text('line-length = 140\n[format]\nquote-style = "single"\n')
    root = project(tmp_path / "packages/shop")

    assert "id='one'" in styled(root).contents[PLACE]


def test_settings_for_black_and_isort_count_where_ruff_has_none(tmp_path):
    settings = '[tool.black]\nline-length = 140\n[tool.isort]\nprofile = "google"\nknown_first_party = ["tools"]\n'

    text = styled(project(tmp_path, pyproject_toml=settings)).contents[PLACE]

    assert "import yaml\n\nfrom shop.cart import add\nfrom shop.cart import Cart\nfrom tools.money import cents" in text


BLACK = "[tool.black]\nline_length = 140\nskip-string-normalization = true\n"
WIDE = "from shop.cart import Cart, add, amounts, brackets, countries, discounts, earnings, fees\n"
SHORT = with_header(f"{WIDE}\n\nassert add(u'one', fees)\n", target="src/shop/cart.py")


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        # Black formats where ruff only lints, and isort orders where ruff has nothing to say about imports.
        (f"{BLACK}[tool.ruff]\nline-length = 60\n", ["    fees,\n", "assert add('one', fees)"]),
        (f"{BLACK}[tool.ruff.format]\nquote-style = 'double'\n", ['assert add("one", fees)']),
        ("[tool.isort]\nline_length = 140\n[tool.ruff]\nline-length = 120\n", [WIDE]),
        ("[tool.isort]\nforce_single_line = true\n[tool.ruff.lint]\nselect = ['I']\n", [WIDE]),
        ("[tool.isort]\nforce_single_line = true\n[tool.ruff.lint]\nselect = ['E']\n", ["import Cart\nfrom"]),
        # Alone, isort breaks lines at 79 columns, and at 88 with the profile of black.
        ("[tool.isort]\nknown_first_party = 'shop, tools'\n", ["    fees,\n"]),
        ("[tool.isort]\nprofile = 'black'\n", [WIDE]),
        ("[tool.isort]\nprofile = 'google'\n", ["import Cart\nfrom"]),
        ("[tool.isort]\nadd_imports = ['import os']\n", ["import os\n"]),
    ],
)
def test_settings_for_black_and_isort_are_read_as_those_tools_read_them(tmp_path, settings, parts):
    found = styled(project(tmp_path, pyproject_toml=settings), {PLACE: SHORT})

    assert found.problem == ""
    assert [part for part in parts if part not in found.contents[PLACE]] == []


def test_a_configuration_may_extend_one_of_its_repository_or_a_folder_above(tmp_path):
    package = "[tool.ruff]\nextend = '../../base.toml'\n"
    (tmp_path / "ruff.toml").write_text("[format]\nquote-style = 'single'\n")
    (tmp_path / "repository/.git").mkdir(parents=True)
    (tmp_path / "repository/base.toml").write_text("extend = '../ruff.toml'\nline-length = 140\n")
    root = project(tmp_path / "repository/packages/shop", pyproject_toml=package)

    found = styled(root)

    assert found.problem == ""
    assert "id='one'" in found.contents[PLACE]
    assert LONG + " " + LONG in found.contents[PLACE]


def test_a_file_of_which_more_than_the_layout_would_change_is_left_and_named(tmp_path, monkeypatch):
    # No rule of ruff is known to do so today: one that comes must not go unnoticed.
    monkeypatch.setattr(project_style, "is_same_code", lambda *_texts, **_options: False)

    found = styled(project(tmp_path, ruff_toml="line-length = 88\n"))

    assert found.contents == FILES
    assert PLACE in found.problem


def test_a_project_that_configures_nothing_gets_the_file_as_it_is(tmp_path):
    assert styled(project(tmp_path, pyproject_toml="[project]\nname = 'shop'\n")).contents == FILES


def test_a_broken_configuration_leaves_the_file_and_is_named(tmp_path):
    found = styled(project(tmp_path, ruff_toml="line-lenth = 1\n"))

    assert found.contents == FILES
    assert "line-lenth" in found.problem


def test_a_configuration_cannot_name_files_outside_of_the_project(tmp_path):
    secret = tmp_path / "secret.toml"
    secret.write_text("password = 'hunter2'\n")
    root = project(tmp_path / "project", ruff_toml=f"extend = {str(secret)!r}\n")

    found = styled(root)

    assert found.contents == FILES
    assert "hunter2" not in found.problem
    assert "secret.toml, which is outside of the repository" in found.problem
