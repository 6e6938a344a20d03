"""What each session of a run used outlives its process."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.core.errors import StorageError, StoreCorrupt
from testwright.store.database.database import Store
from testwright.store.files.sessions import SessionFile, SessionUsage

pytestmark = pytest.mark.feature("B-08")

FIRST = SessionUsage(10.0, 1.0, 2.0, [{"tool": "run_tests", "calls": 3, "cached": 1, "failed": 0, "seconds": 4.0}])


def test_a_run_without_sessions_has_none(tmp_path: Path) -> None:
    assert SessionFile(tmp_path / "sessions.json").all() == []


def test_sessions_are_read_as_they_were_stored_and_the_last_one_is_replaced_as_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    SessionFile(path).keep([], FIRST)
    again = SessionFile(path)
    earlier = again.all()
    assert earlier == [FIRST]
    for seconds in (1.0, 2.0):
        again.keep(earlier, SessionUsage(seconds, tool_calls=[]))
    assert SessionFile(path).all() == [FIRST, SessionUsage(2.0, tool_calls=[])]


def test_storing_is_due_once_a_second(tmp_path: Path) -> None:
    now = [0.0]
    sessions = SessionFile(tmp_path / "sessions.json", clock=lambda: now[0])
    assert sessions.due()
    sessions.keep([], FIRST)
    assert not sessions.due()
    now[0] = 1.0
    assert sessions.due()


def test_a_file_that_does_not_read_is_said_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    for text in ("{", "[]", '{"sessions": [{"unknown": 1}]}'):
        path.write_text(text)
        with pytest.raises(StoreCorrupt) as caught:
            SessionFile(path).all()
        assert "Delete it" in caught.value.advice
        assert path.read_text() == text


def test_a_place_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_text("")
    with pytest.raises(StorageError):
        SessionFile(tmp_path / "no folder" / "sessions.json").keep([], FIRST)


def test_a_run_goes_on_with_the_settings_that_were_recorded_last_without_secrets(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.runs.create("r", request="x", root="/p", settings={"max_tokens": 1}, version="1")
        store.runs.record_settings("r", {"max_tokens": 2, "api_key": "k"})
        assert store.runs.get("r").settings == {"max_tokens": 2}
