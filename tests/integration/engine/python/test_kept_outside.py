from __future__ import annotations

import pytest

from testwright.engine.python.model.model import Trial
from testwright.engine.python.source.literals import literal_places
from testwright.tests.support.engine.written_tests import written_spec

ARCHIVE = '''
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import List


@dataclass
class Note:
    title: str
    tags: List[str] = field(default_factory=list)


class Shelf:
    def __init__(self):
        self._titles = {}

    def has(self, title: str) -> bool:
        return title in self._titles

    def add(self, title: str) -> None:
        self._titles[title] = True


class Archive:
    """Notes in a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(str(path))
        self._database.execute("CREATE TABLE IF NOT EXISTS notes (title TEXT, tags TEXT)")

    def close(self) -> None:
        self._database.close()

    def keep(self, note: Note) -> None:
        """Remember a note."""
        self._database.execute("INSERT INTO notes VALUES (?, ?)", (note.title, ",".join(note.tags)))

    def count(self) -> int:
        """How many notes there are."""
        return self._database.execute("SELECT COUNT(*) FROM notes").fetchone()[0]

    def shelf(self) -> Shelf:
        """The titles of all notes."""
        shelf = Shelf()
        for (title,) in self._database.execute("SELECT title FROM notes"):
            shelf.add(title)
        return shelf
'''


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return written_spec(tmp_path_factory.mktemp("archive"), ARCHIVE)


def steps_of(spec: dict, subject: str) -> list[str]:
    cases = [case for case in spec["cases"] if case["subject"] == subject]
    return ["; ".join((*case["arrange"]["statements"], case["act"]["expression"])) for case in cases]


@pytest.mark.feature("B-18")
def test_what_a_command_wrote_to_a_database_is_asked_for_by_the_other_members(spec: dict) -> None:
    asked = steps_of(spec, "Archive.count")
    assert any(".keep(Note(" in text for text in asked)
    assert not all(".keep(" in text for text in asked)


@pytest.mark.feature("B-18")
def test_an_object_that_a_call_returns_is_asked_for_what_was_put_in(spec: dict) -> None:
    assert any(".keep(Note(" in text and ".shelf().has(" in text for text in steps_of(spec, "Archive.shelf"))


@pytest.mark.feature("B-18")
def test_a_command_whose_effect_is_asked_for_is_not_listed_as_without_a_test(spec: dict) -> None:
    assert "Archive.keep" not in {entry["subject"] for entry in spec["not_reached"]}


def test_the_name_of_a_database_file_is_no_input_to_vary() -> None:
    trial = Trial("Archive.keep", "archive.keep('note')", arrange=("archive = Archive(tmp_path / 'records.db')",))
    assert [place.value for place in literal_places(trial)] == ["note"]
