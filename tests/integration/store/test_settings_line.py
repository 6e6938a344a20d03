"""Adding one line to a project's settings, with consent, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import UsageError
from testwright.store.files.settings_line import add_setting

pytestmark = pytest.mark.feature("T-06")
TOML = "tool.pytest.ini_options"
PATH = 'pythonpath = ["src"]'


def added(root: Path, text: str | None, *, file: str = "pyproject.toml", section: str = TOML, line: str = PATH) -> str:
    if text is not None:
        (root / file).write_text(text)
    assert add_setting(root, file, section, line.partition(" ")[0], line)
    return (root / file).read_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"[{TOML}]\n{PATH}\n"),
        ("[project]\nname = 'a'", f"[project]\nname = 'a'\n\n[{TOML}]\n{PATH}\n"),
        (f"[{TOML}]  # ours\naddopts = '-q'\n", f"[{TOML}]  # ours\n{PATH}\naddopts = '-q'\n"),
        (f"[{TOML}]\npythonpath = ['lib']\n\n[tool.b]\nx = 1\n", f"[{TOML}]\n{PATH}\n\n[tool.b]\nx = 1\n"),
    ],
)
def test_the_line_joins_its_table_and_the_rest_stays_byte_for_byte(tmp_path, before, after):
    assert added(tmp_path, before) == after


def test_an_ini_file_gets_its_section(tmp_path):
    found = added(tmp_path, "[metadata]\nname = a\n", file="setup.cfg", section="tool:pytest", line="pythonpath = src")
    assert found == "[metadata]\nname = a\n\n[tool:pytest]\npythonpath = src\n"


def test_a_line_that_is_there_changes_nothing(tmp_path):
    added(tmp_path, None)
    assert not add_setting(tmp_path, "pyproject.toml", TOML, "pythonpath", PATH)


@pytest.mark.parametrize(
    "text",
    [
        f"[{TOML}]\npythonpath = [\n  'lib',\n]\n",
        "tool.pytest.ini_options.addopts = '-q'\n",
        f"text = '''\n[{TOML}]\n'''\n",
        "broken = \n",
    ],
)
def test_a_file_that_would_read_otherwise_is_left_alone_and_the_line_is_shown(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        add_setting(tmp_path, "pyproject.toml", TOML, "pythonpath", PATH)
    assert PATH in str(refused.value.advice)
    assert (tmp_path / "pyproject.toml").read_text() == text


def test_a_file_above_the_project_is_never_changed(tmp_path):
    (tmp_path / "inner").mkdir()
    with pytest.raises(UsageError, match="outside the project"):
        add_setting(tmp_path / "inner", "../pytest.ini", "pytest", "pythonpath", "pythonpath = inner")
    assert not (tmp_path / "pytest.ini").exists()


@pytest.mark.parametrize(
    ("file", "section", "key"),
    [
        (".git/config", "core", "fsmonitor"),
        (".git/pytest.ini", "pytest", "pythonpath"),
        ("pytest.ini", "pytest", "addopts"),
        ("setup.cfg", "options", "pythonpath"),
        (".venv/pyproject.toml", TOML, "pythonpath"),
    ],
)
def test_a_forged_report_changes_no_other_setting(tmp_path, file, section, key):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    with pytest.raises(UsageError, match="no setting of pytest's"):
        add_setting(tmp_path, file, section, key, f"{key} = evil")
    assert not (tmp_path / file).exists()
