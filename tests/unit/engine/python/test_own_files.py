"""Files that a trial writes by a name alone go into the runner's folder (B-11)."""

from __future__ import annotations

import pytest

from testwright.engine.python.model.model import Observation, Raised, Trial
from testwright.engine.python.outside.own_files import OwnFiles

pytestmark = pytest.mark.feature("B-11")

OPENED = Trial("Store.get", "store['a']", arrange=("store = Store('./notes.db')", "store['a'] = 1"))


def refused(path: str) -> Observation:
    return Observation("refused", raised=Raised("", f"sqlite3.connect …/{path}"), consulted=("cwd",))


def test_a_file_that_was_refused_is_written_in_the_runners_folder() -> None:
    moved = OwnFiles().after_refusal(OPENED, refused("notes.db"))

    assert moved is not None
    assert moved.arrange == ("store = Store(str(tmp_path / 'notes.db'))", "store['a'] = 1")
    assert moved.act == "store['a']"
    assert moved.fixtures == ("tmp_path",)


def test_each_place_that_names_the_file_is_moved_and_no_other_text() -> None:
    trial = Trial("copy", "copy('in/a.txt', ['in/a.txt', 'a.txt'])")
    moved = OwnFiles().after_refusal(trial, refused("in/a.txt"))

    assert moved is not None
    assert moved.act == "copy(str(tmp_path / 'a.txt'), [str(tmp_path / 'a.txt'), 'a.txt'])"


def test_a_name_that_was_refused_is_moved_in_the_trials_to_come() -> None:
    files = OwnFiles()
    assert files.moved(OPENED) == OPENED
    files.after_refusal(OPENED, refused("notes.db"))

    later = Trial("Store.put", "Store('notes.db').put('b')")
    assert files.moved(later).act == "Store(str(tmp_path / 'notes.db')).put('b')"


def test_a_word_without_an_ending_is_a_file_only_where_it_was_refused() -> None:
    files = OwnFiles()
    moved = files.after_refusal(Trial("Store", "Store('notes')"), refused("notes"))

    assert moved is not None
    assert moved.act == "Store(str(tmp_path / 'notes'))"
    label = Trial("label", "label('notes', tmp_path / 'a.db')")
    files.after_refusal(Trial("Store", "Store('a.db')"), refused("a.db"))
    assert files.moved(label) == label


@pytest.mark.parametrize(
    "observation",
    [
        Observation("refused", raised=Raised("", "sqlite3.connect …/other.db"), consulted=("cwd",)),
        Observation("refused", raised=Raised("", "sqlite3.connect …/notes.db")),
        Observation("refused", raised=Raised("", "socket.connect ('example.org', 80)"), consulted=("cwd",)),
        Observation("raised", raised=Raised("OSError", "…/notes.db"), consulted=("cwd",)),
    ],
)
def test_what_was_refused_for_another_reason_stays_as_it_is(observation: Observation) -> None:
    assert OwnFiles().after_refusal(OPENED, observation) is None
