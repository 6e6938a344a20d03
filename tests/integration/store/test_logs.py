"""The event log and the audit log: in order, on disk first, whole after a crash."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from testwright.core.errors import StoreCorrupt
from testwright.core.events import Event, EventType
from testwright.store.files.audit import AuditEntry, AuditLog
from testwright.store.files.event_log import EventLog, read_events
from testwright.tests.support.runs.audit_entries import read_attempts
from testwright.tests.support.runs.child_processes import child, wait_for_line
from testwright.utils.canonical import digest_of
from testwright.utils.redact import Redactor


def open_log(path: Path) -> EventLog:
    return EventLog(path, Redactor(["hunter2hunter2"]).value, clock=lambda: 12.5)


@pytest.mark.feature("D-07")
def test_events_are_stored_in_order_before_anyone_hears_of_them(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = open_log(path)
    heard: list[tuple[int, int]] = []
    log.subscribe(lambda event: heard.append((event.sequence, len(path.read_text().splitlines()))))
    log.emit(EventType.STARTED, "begin")
    log.emit(EventType.STEP_ENDED, "done", "s1", kept=3)
    log.close()
    assert heard == [(1, 1), (2, 2)]
    assert list(read_events(path)) == [
        Event(1, EventType.STARTED, 12.5, "begin", None, {}),
        Event(2, EventType.STEP_ENDED, 12.5, "done", "s1", {"kept": 3}),
    ]
    assert [event.sequence for event in read_events(path, after=1)] == [2]


@pytest.mark.feature("D-07", "B-08")
def test_a_resumed_log_continues_its_numbers_after_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = open_log(path)
    log.emit(EventType.STARTED, "begin")
    log.close()
    with path.open("ab") as stream:
        stream.write(b'{"sequence": 2, "type": "progr')
    assert [event.sequence for event in read_events(path)] == [1]
    resumed = open_log(path)
    assert resumed.emit(EventType.PROGRESS, "on").sequence == 2
    resumed.close()
    assert [event.message for event in read_events(path)] == ["begin", "on"]


@pytest.mark.feature("D-07")
def test_a_killed_process_leaves_a_stream_without_gaps(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    script = f"""
from pathlib import Path
from testwright.store.files.event_log import EventLog
log = EventLog(Path({str(path)!r}), lambda value: value)
while True:
    event = log.emit("progress", "x" * 3000)
    print(f"emitted {{event.sequence}}", flush=True)
"""
    with child(script) as process:
        wait_for_line(process, "emitted 50")
        process.kill()
        process.wait()
    log = open_log(path)
    log.emit(EventType.PROGRESS, "resumed")
    log.close()
    stored = [event.sequence for event in read_events(path)]
    assert len(stored) > 50
    assert stored == list(range(1, len(stored) + 1))


@pytest.mark.feature("D-07")
def test_threads_share_one_order(tmp_path: Path) -> None:
    log = open_log(tmp_path / "events.jsonl")
    heard: list[int] = []
    log.subscribe(lambda event: heard.append(event.sequence))
    threads = [
        threading.Thread(target=lambda: [log.emit(EventType.PROGRESS, "x") for _ in range(50)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    assert heard == list(range(1, 201))
    assert [event.sequence for event in read_events(tmp_path / "events.jsonl")] == heard


def test_an_event_emitted_by_a_subscriber_comes_after_the_one_it_answers(tmp_path: Path) -> None:
    log = open_log(tmp_path / "events.jsonl")
    heard: list[str] = []

    def answer(event: Event) -> None:
        if event.message == "ask":
            log.emit(EventType.PROGRESS, "answer")

    log.subscribe(answer)
    log.subscribe(lambda event: heard.append(event.message))
    log.emit(EventType.PROGRESS, "ask")
    log.close()
    assert heard == ["ask", "answer"]


def test_a_subscriber_that_fails_is_dropped_and_the_others_go_on(tmp_path: Path) -> None:
    log = open_log(tmp_path / "events.jsonl")
    heard: list[int] = []
    calls: list[int] = []

    def broken(event: Event) -> None:
        calls.append(event.sequence)
        raise BrokenPipeError

    log.subscribe(broken)
    forget = log.subscribe(lambda event: heard.append(event.sequence))
    log.emit(EventType.PROGRESS, "1")
    log.emit(EventType.PROGRESS, "2")
    forget()
    log.emit(EventType.PROGRESS, "3")
    log.close()
    assert calls == [1]
    assert heard == [1, 2]


def test_secrets_reach_neither_the_file_nor_a_subscriber(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = open_log(path)
    heard: list[Event] = []
    log.subscribe(heard.append)
    log.emit(EventType.ERROR, "login hunter2hunter2", url="https://u:pw123456@host/", api_key="abcdefgh")
    log.close()
    assert heard[0].message == "login [redacted]"
    assert heard[0].data == {"url": "https://u:[redacted]@host/", "api_key": "[redacted]"}
    assert "hunter2hunter2" not in path.read_text()
    assert "pw123456" not in path.read_text()


def test_text_that_is_no_unicode_is_stored_with_visible_escapes(tmp_path: Path) -> None:
    log = open_log(tmp_path / "events.jsonl")
    log.emit(EventType.PROGRESS, "bad \udcff and \u2028 line", path=Path("a"))
    log.close()
    (event,) = read_events(tmp_path / "events.jsonl")
    assert event.message == r"bad \udcff" + " and \u2028 line"
    assert event.data == {"path": "a"}


@pytest.mark.parametrize("line", ["no json", "[1]", '{"sequence": 1}', '{"type": "nonsense", "sequence": 1}'])
def test_a_damaged_line_before_the_last_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "events.jsonl"
    good = json.dumps(Event(1, EventType.STARTED, 1.0, "x").to_dict())
    path.write_text(f"{good}\n{line}\n{good}\n")
    with pytest.raises(StoreCorrupt, match="Line 2"):
        list(read_events(path))


def test_a_run_without_events_has_an_empty_stream(tmp_path: Path) -> None:
    assert list(read_events(tmp_path / "events.jsonl")) == []


@pytest.mark.feature("T-15")
def test_every_attempt_is_kept_with_its_reason_and_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    audit = AuditLog(path, Redactor().value)
    attempts = [
        AuditEntry("spec", 1, "malformed", digest_of({"a": 1}), "s1", "not json", at=1.0, duration_ms=3.5, tokens=7),
        AuditEntry(
            "spec",
            2,
            "invalid",
            digest_of({"a": 1}),
            "s1",
            {"cases": [], "note": "token sk-abcdefghijklmnopqrstuvwx"},
            errors=({"path": "$.cases", "message": "too few"},),
            reason="malformed: no JSON at line 1",
        ),
    ]
    for attempt in attempts:
        audit.record(attempt)
    audit.close()
    first, second = read_attempts(path)
    assert first == attempts[0]
    assert second.reason == "malformed: no JSON at line 1"
    assert second.errors == ({"path": "$.cases", "message": "too few"},)
    assert second.response == {"cases": [], "note": "token [redacted]"}


@pytest.mark.feature("T-15")
def test_a_prompts_hash_does_not_depend_on_the_order_of_its_keys() -> None:
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})
