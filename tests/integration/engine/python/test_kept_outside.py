from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testwright.engine.python.model.model import Observation, Trial, Value
from testwright.engine.python.search.result_queries import ReopenedFiles, ResultQueries
from testwright.engine.python.source.literals import literal_places
from testwright.tests.support.engine.python_projects import context_of, write_project
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

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.commit()
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


@pytest.mark.feature("B-18")
def test_a_new_object_on_the_same_file_is_asked_for_what_a_with_block_wrote(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"archive.py": ARCHIVE}), "archive.py")
    reopened = ReopenedFiles(context.facts)
    built = "archive = Archive(tmp_path / 'records.db')"
    asked = Trial("Archive.count", "archive.count()", arrange=(built,), fixtures=("tmp_path",))
    written = replace(asked, arrange=(built, "archive.keep(Note('a'))"))

    assert reopened.follow_up(asked, Observation("returned", Value("int", "0"))) == []
    (trial,) = reopened.follow_up(written, Observation("returned", Value("int", "1")))

    block = "with Archive(tmp_path / 'records.db') as archive:\n    archive.keep(Note('a'))"
    assert trial.arrange == (block, built)
    assert reopened.follow_up(written, Observation("returned", Value("int", "0"))) == []


@pytest.mark.feature("B-18")
def test_several_things_that_were_put_in_are_written_in_one_with_block(tmp_path: Path) -> None:
    _, context = context_of(write_project(tmp_path, {"archive.py": ARCHIVE}), "archive.py")
    reopened = ReopenedFiles(context.facts)
    built = "archive = Archive(tmp_path / 'records.db')"
    asked = Trial("Archive.count", "archive.count()", arrange=(built,), fixtures=("tmp_path",))
    written = replace(asked, arrange=(built, "archive.keep(Note('a'))", "archive['b'] = 1"))

    assert reopened.follow_up(asked, Observation("returned", Value("int", "0"))) == []
    (trial,) = reopened.follow_up(written, Observation("returned", Value("int", "2")))

    block = "with Archive(tmp_path / 'records.db') as archive:\n    archive.keep(Note('a'))\n    archive['b'] = 1"
    assert trial.arrange == (block, built)


def test_what_an_operator_returns_is_asked_as_a_whole(tmp_path: Path) -> None:
    source = "class Bag:\n    def __add__(self, other):\n        return Bag()\n    def count(self):\n        return 1\n"
    _, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    added = Trial("Bag.__add__", "bag + Bag()", arrange=("bag = Bag()",))
    found = ResultQueries(context).follow_up(added, Observation("returned", Value("m.Bag")))
    assert [trial.act for trial in found] == ["(bag + Bag()).count()"]


def test_the_name_of_a_database_file_is_no_input_to_vary() -> None:
    trial = Trial("Archive.keep", "archive.keep('note')", arrange=("archive = Archive(tmp_path / 'records.db')",))
    assert [place.value for place in literal_places(trial)] == ["note"]


def test_a_result_that_is_written_as_the_call_that_made_it_is_asked_for_its_items(tmp_path: Path) -> None:
    source = "class Bag:\n    def __iter__(self):\n        return iter([1])\n\n\ndef bag(items):\n    return Bag()\n"
    _, context = context_of(write_project(tmp_path, {"m.py": source}), "m.py")
    made = Trial("bag", "bag(items=[1])")

    for shown, asked in (("bag([1])", [("bag(items=[1])", "iterate")]), ("bag([2])", [])):
        seen = Observation("returned", Value("m.Bag", source=shown))
        assert [(trial.act, trial.mode) for trial in ResultQueries(context).follow_up(made, seen)] == asked
