"""Settings of isort are found in each of its five files, in its order; what it does not take counts for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.analysis.isort_files import isort_table
from testwright.analysis.ruff_configuration import layout_settings

TOML = "[tool.isort]\nprofile = 'google'\n"


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("dot_", ".").replace("__", ".")).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".isort.cfg", "[settings]\nprofile = black\n"),
        (".isort.cfg", "[isort]\nprofile = black\n"),
        ("pyproject.toml", "[tool.isort]\nprofile = 'black'\n"),
        ("setup.cfg", "[metadata]\nname = shop\n\n[isort]\nprofile = black\n"),
        ("setup.cfg", "[tool:isort]\nprofile = black\n"),
        ("tox.ini", "[tox]\nenv_list = 3%%\n\n[isort]\nprofile = black\n"),
    ],
)
def test_each_file_of_isort_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert isort_table([tmp_path]) == {"profile": "black"}
    layout = layout_settings(tmp_path, "tests/test_cart.py")
    assert layout is not None
    assert layout.ordering["line-length"] == 88


def test_the_first_file_in_isorts_order_counts_and_the_nearest_folder_before_it(tmp_path: Path) -> None:
    top = write(tmp_path, pyproject__toml=TOML, dot_isort__cfg="[settings]\nline_length = 99\n")
    assert isort_table([top]) == {"line_length": "99"}
    tests = write(tmp_path / "tests", setup__cfg="[isort]\nline_length = 120\n")
    assert isort_table([tests, top]) == {"line_length": "120"}


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("root = true\n\n[*]\nindent_style = space\nmax_line_length = 100\n", "100"),
        ("[*]\nmax_line_length = 80\n[*.{py,pyi}]\nmax_line_length = 120\n", "120"),
        ("[*.js]\nmax_line_length = 80\n", None),
        ("[*]\nmax_line_length = off\n", None),
        ("no section at all", None),
    ],
)
def test_an_editorconfig_counts_where_the_project_names_isort(tmp_path: Path, text: str, length: str | None) -> None:
    write(tmp_path, dot_editorconfig=text)
    assert isort_table([tmp_path]) is None, "it speaks to every editor; this project may not use isort"
    (tmp_path / "requirements-dev.txt").write_text("isort==8.0.1\n")
    found = isort_table([tmp_path])
    assert (found or {}).get("line_length") == length


@pytest.mark.parametrize("name", [".isort.cfg", "setup.cfg", "tox.ini", "pyproject.toml"])
def test_a_file_that_does_not_parse_says_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[isort\nprofile = black")
    assert isort_table([tmp_path]) is None


def test_lists_of_an_ini_file_are_names_line_by_line(tmp_path: Path) -> None:
    write(tmp_path, setup__cfg="[isort]\nknown_first_party =\n    shop\n    tools\nforce_single_line = True\n")
    layout = layout_settings(tmp_path, "tests/test_cart.py")
    assert layout is not None
    assert layout.ordering["lint.isort.known-first-party"] == ["shop", "tools"]
    assert layout.ordering["lint.isort.force-single-line"] is True
