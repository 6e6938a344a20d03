"""A run that is measured is followed to its end, and ended with the benchmark."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest

from testwright.benchmarks.temporal_workers import _followed, _leave, _started
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


def test_a_run_that_is_measured_ends_with_a_benchmark_that_is_terminated(tmp_path: Path) -> None:
    runs: list[Popen[bytes]] = []

    def terminated() -> None:
        command = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
        with (tmp_path / "complaint").open("w+") as complaint, _started(command, complaint) as process:
            runs.append(process)
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)

    before = signal.signal(signal.SIGTERM, _leave)
    try:
        with pytest.raises(SystemExit) as left:
            terminated()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (left.value.code, runs[0].returncode) == (128 + signal.SIGTERM, -signal.SIGTERM)
