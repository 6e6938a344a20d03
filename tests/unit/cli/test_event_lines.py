"""`run --events`: each event as one line of JSON on stdout, beside the progress on stderr."""

from __future__ import annotations

import json

import pytest

from testwright.cli.event_lines import with_event_lines
from testwright.core.events import Event, EventType

pytestmark = pytest.mark.feature("D-07")


def event(number: int, message: str = "started: it") -> Event:
    return Event(number, EventType.STARTED, 1.5, message, None, {"of": "it"})


def test_events_are_printed_in_order_and_shown_as_before(capsys):
    shown: list[Event] = []
    sink = with_event_lines(shown.append)
    for number in (1, 2):
        sink(event(number))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [one.to_dict() for one in shown]
    assert [line["sequence"] for line in lines] == [1, 2]


def test_a_text_of_several_lines_stays_one_line(capsys):
    with_event_lines(lambda _: None)(event(1, "first\nsecond\u2028third"))
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 1
    assert json.loads(out)["message"] == "first\nsecond\u2028third"


def test_a_reader_that_has_gone_ends_the_lines_and_not_the_run(monkeypatch):
    class Closed:
        def write(self, text: str) -> None:
            raise BrokenPipeError

    shown: list[Event] = []
    monkeypatch.setattr("sys.stdout", Closed())
    sink = with_event_lines(shown.append)
    for number in (1, 2):
        sink(event(number))
    assert len(shown) == 2
