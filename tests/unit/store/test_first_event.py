"""When a run began."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.core.events import EventType
from testwright.store.files.event_log import EventLog, first_event_time

pytestmark = pytest.mark.feature("B-13")


def test_a_run_began_when_its_first_event_was_written_however_often_it_was_resumed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert first_event_time(path) is None
    for at in (86_400.0, 172_800.0):
        log = EventLog(path, lambda value: value, clock=lambda at=at: at)
        log.emit(EventType.STARTED, "started")
        log.close()
    assert first_event_time(path) == 86_400.0


@pytest.mark.parametrize(
    "line", ["{", "[]", json.dumps({"at": "now"}), json.dumps({"at": 1e300}), json.dumps({"at": 0})]
)
def test_a_first_event_without_a_time_that_can_be_printed_says_nothing(line: str, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(f"{line}\n")
    assert first_event_time(tmp_path / "events.jsonl") is None
