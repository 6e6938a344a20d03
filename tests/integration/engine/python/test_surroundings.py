"""Code that looks at its surroundings gets tests that set them, with the results that pytest has (B-02, B-11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.engine.python.write.render import render
from testwright.tests.support.engine.exploration import files, trial, watched
from testwright.tests.support.engine.written_tests import written_spec, written_tests
from testwright.tests.support.projects.files import make_project
from testwright.tests.support.projects.running import pytest_output

SETTINGS = '''
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Settings:
    mode: str
    port: int
    cache: Path


def debug_enabled() -> bool:
    """Return whether debugging is on."""
    return os.environ.get("APP_DEBUG", "").lower() in ("1", "true", "yes")


def load() -> Settings:
    """Read the settings.

    Raises:
        ValueError: the mode is unknown.
    """
    mode = os.getenv("APP_MODE", "fast")
    if mode not in ("fast", "careful"):
        raise ValueError(f"unknown mode {mode}")
    cache = Path(os.environ["APP_CACHE"]) if "APP_CACHE" in os.environ else Path.home() / ".cache" / "app"
    return Settings(mode, int(os.environ.get("APP_PORT", "80")), cache)


def local_path(name: str) -> str:
    """Return the absolute path of a file in the working folder."""
    return os.path.abspath(name)
'''


@pytest.mark.feature("B-11")
def test_variables_home_and_working_folder_are_set_and_the_tests_pass_on_any_machine(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, SETTINGS)
    text = render(spec, "pytest")
    assert spec["not_reached"] == []
    assert 'monkeypatch.setenv("APP_DEBUG", app_debug)' in text
    assert 'monkeypatch.delenv("APP_CACHE", raising=False)' in text
    assert 'monkeypatch.setenv("HOME", str(tmp_path))' in text
    assert "monkeypatch.chdir(tmp_path)" in text
    assert "== str(tmp_path / " in text

    root = make_project(tmp_path / "elsewhere", {**files(SETTINGS), "tests/test_written.py": text})
    nonsense = {"APP_DEBUG": "yes", "APP_MODE": "nonsense", "APP_PORT": "x", "APP_CACHE": "/nowhere"}
    assert "passed" in pytest_output(root, variables=nonsense)


@pytest.mark.feature("B-02")
def test_unittest_has_no_such_tests_and_says_so(tmp_path: Path) -> None:
    spec = written_spec(tmp_path, SETTINGS, framework="unittest")
    reasons = {entry["subject"]: entry["reason"] for entry in spec["not_reached"]}
    assert reasons["debug_enabled"].startswith("its surroundings have to be changed")
    assert "monkeypatch" not in render(spec, "unittest")


DICE = '''
import random


def roll(sides: int = 6) -> int:
    """Return a number from 1 to sides."""
    return random.randint(1, sides)
'''

AGENDA = '''
class Agenda:
    """Entries with reminders."""

    def __init__(self):
        self.entries = []

    def entry(self):
        """Begin an entry."""
        return Entry(self)

    def wipe(self):
        """Remove all entries."""
        del self.entries[:]


class Entry:
    """One entry; it is on the agenda once it is confirmed."""

    def __init__(self, agenda):
        self.agenda = agenda

    def confirm(self):
        """Put it on the agenda."""
        self.agenda.entries.append(self)
        return self


default_agenda = Agenda()


def planned():
    """Return the entries of the default agenda."""
    return default_agenda.entries.copy()


def wipe():
    """Remove the entries of the default agenda."""
    default_agenda.wipe()
'''


@pytest.mark.feature("B-11")
def test_chance_is_seeded_where_a_test_can_seed_it_and_what_one_seed_gives_is_not_pinned(tmp_path: Path) -> None:
    text = written_tests(tmp_path, DICE)
    assert "def test_roll_stays_in_range():\n    random.seed(1)\n\n    assert 1 <= roll(" in text
    assert "==" not in text


@pytest.mark.feature("B-06")
def test_the_object_that_functions_of_a_module_share_is_replaced_by_one_of_the_test(tmp_path: Path) -> None:
    text = written_tests(tmp_path, AGENDA)
    staged = 'monkeypatch.setattr("shop.cart.default_agenda", agenda)\n'
    assert f"    agenda.entry().confirm()\n    {staged}\n    wipe()\n\n    assert agenda.entries == []\n" in text


ENVIRONMENT = '''
import os


def merged(extra):
    """Return the environment with more variables."""
    found = {}
    found.update(os.environ)
    found.update(extra)
    return len(found) >= len(extra)


def mode():
    """Return one variable."""
    return os.environ.get("APP_MODE")
'''


def test_whoever_copies_the_whole_environment_asks_for_none_of_its_variables(tmp_path: Path) -> None:
    seen = watched(tmp_path, ENVIRONMENT, [trial("merged({'A': '1'})"), trial("mode()")])
    assert seen["merged({'A': '1'})"].consulted == ()
    assert seen["mode()"].consulted == ("env:APP_MODE",)


STORE = '''
"""A store of words.

>>> store = Store("words.txt")
>>> store.add("apple")
>>> store.words()
['apple']
"""
from pathlib import Path


class Store:
    """Words in a file, one a line."""

    def __init__(self, name: str):
        self._path = Path(name)
        self._path.touch()

    def add(self, word: str) -> None:
        """Put a word in."""
        self._path.write_text(self._path.read_text() + word + "\\n")

    def words(self) -> list[str]:
        """All of them."""
        return self._path.read_text().split()
'''


@pytest.mark.feature("B-11")
def test_a_file_that_a_document_names_without_a_folder_is_written_in_the_tests_own(tmp_path: Path) -> None:
    text = render(written_spec(tmp_path, STORE), "pytest")
    assert 'Store(str(tmp_path / "words.txt"))' in text
    assert 'Store("words.txt")' not in text
    assert '["apple"]' in text
