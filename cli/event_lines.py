"""Prints a run's events on stdout, one JSON object a line, for programs that follow a run."""

from __future__ import annotations

import json
import sys

from ..core.events import Event, EventSink


def with_event_lines(shown: EventSink) -> EventSink:
    """A sink that prints each event at once, as events.jsonl holds it, and passes it to the progress display on stderr.

    A reader that closes the pipe ends the lines, never the run.
    """
    is_open = True

    def sink(event: Event) -> None:
        nonlocal is_open
        shown(event)
        if not is_open:
            return
        try:
            sys.stdout.write(json.dumps(event.to_dict(), sort_keys=True) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            is_open = False

    return sink
