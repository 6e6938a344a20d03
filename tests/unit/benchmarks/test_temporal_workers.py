"""A run that is measured is followed to its end, also where it writes its last events just before it ends."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import Popen

import pytest

from testwright.benchmarks.temporal_workers import _followed
from testwright.core.events import Event, EventType
from testwright.utils.canonical import canonical_json

STEPS = [
    Event(1, EventType.STEP_STARTED, 10.0, "begun", "generate_a"),
    Event(2, EventType.STEP_ENDED, 12.0, "ended", "generate_a"),
    Event(3, EventType.STEP_ENDED, 15.0, "ended", "generate_b"),
]


@pytest.mark.parametrize(("ended", "seconds"), [(3, 5.0), (2, None)])
def test_what_a_run_wrote_last_is_read_after_its_end(tmp_path: Path, ended: int, seconds: float | None) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text("".join(f"{canonical_json(event.to_dict())}\n" for event in STEPS[:ended]))
    with Popen([sys.executable, "-S", "-c", ""]) as process:
        process.wait()
        measured = _followed(process, [], events, modules=2)
    assert (measured and measured.seconds) == seconds
