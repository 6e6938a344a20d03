"""Suites under other conditions than those of their making, run by real processes."""

import sys
from pathlib import Path

import pytest

from testwright.benchmarks.generators import conditions
from testwright.benchmarks.generators.commands import PreparationError
from testwright.benchmarks.generators.corpus import further
from testwright.benchmarks.generators.environments import Environment
from testwright.benchmarks.generators.fresh_process import FreshProcess
from testwright.benchmarks.generators.interpreters import full_version, interpreter
from testwright.benchmarks.generators.sources import Source
from testwright.benchmarks.generators.tools.generated import Terms
from testwright.tests.support.projects.running import WITHOUT_PLUGINS

OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
TESTS = """\
import os
import sys
import warnings

import words


def test_holds():
    assert words.first("ab") == "a"


def test_warns():
    warnings.warn("old", DeprecationWarning)


def test_wants_english():
    assert not os.environ.get("LANGUAGE", "").startswith("de")


def test_fails():
    assert words.first("ab") == "b"
"""


@pytest.fixture
def source(tmp_path):
    root = tmp_path / "words-1.0"
    root.mkdir()
    (root / "words.py").write_text("def first(text):\n    return text[0]\n")
    (root / "test_words.py").write_text(TESTS)
    return Source(further("words==1.0:words"), root, "words.py", ".", "0" * 64)


@pytest.fixture
def own_environment(monkeypatch):
    """The environment of the tests in the place of one that pip would have to make."""
    own = Environment(Path(sys.prefix), "own")
    monkeypatch.setattr(conditions, "environment", lambda *_: own)
    monkeypatch.setenv("LANGUAGE", "en")
    for name, value in {**WITHOUT_PLUGINS, "PYTEST_ADDOPTS": "-p pytest_timeout"}.items():  # as one that pip makes
        monkeypatch.setenv(name, value)
    return own


def test_what_passes_plainly_and_not_elsewhere_is_named(source, own_environment, monkeypatch, tmp_path):
    monkeypatch.setattr(conditions, "PYTHONS", (OWN, "2.0"))
    found = conditions.failing_under(source, source.root, ["test_words.py"], Terms(tmp_path, tmp_path))
    locale = next(name for name in found if name.startswith("locale"))
    assert found == {
        "-W error": ["test_words.py::test_warns"],
        locale: ["test_words.py::test_wants_english"],
        f"Python {OWN}": [],
        "Python 2.0": "no Python 2.0 on this machine",
    }


def test_an_environment_that_cannot_be_made_is_told(source, own_environment, monkeypatch, tmp_path):
    def refused(name, folder, subject, python=None):
        if python is not None:
            raise PreparationError("pip install\nexit 1\nno such version")
        return own_environment

    monkeypatch.setattr(conditions, "environment", refused)
    monkeypatch.setattr(conditions, "PYTHONS", (OWN,))
    found = conditions.failing_under(source, source.root, ["test_words.py"], Terms(tmp_path, tmp_path))
    assert found[f"Python {OWN}"] == "no environment: no such version"


def test_an_interpreter_is_one_that_starts_and_says_its_version(monkeypatch, tmp_path):
    shim = tmp_path / f"python{OWN}"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    real = tmp_path / "bin" / f"python{OWN}"
    real.parent.mkdir()
    real.symlink_to(sys.executable)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{real.parent}")
    assert interpreter(OWN) == real
    assert full_version(real).startswith(f"{OWN}.")
    assert full_version(shim) == ""
    assert interpreter("2.0") is None


def test_the_lines_that_each_test_runs_are_known_by_test(source, own_environment):
    process = FreshProcess(source, own_environment, 4096)
    found = process.lines_by_test(source.root, ["test_words.py"], ["test_words.py::test_fails"])
    assert found == {"test_words.py::test_holds": {2}}
