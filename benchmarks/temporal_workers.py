"""How much faster workers on Temporal are where modules wait for a model, and what Temporal costs where they do not.

    python -m testwright.benchmarks.temporal_workers [--modules 8] [--latency 15] [--workers 1 2 4]
    python -m testwright.benchmarks.temporal_workers --latency 0 [--modules 6] [--pairs 3]

Each module has one function and one request to a model that answers after `--latency` seconds. Each worker executes one
step at a time, so that the speed-up is that of workers. Times are from the first step's start to the last one's end, as
the run's events have them; processes have loaded everything before.

With `--latency 0` the embedded engine does all the work, in one process (`--jobs 1`) and by one worker, in turn, so
many times: what else the machine does falls on both. Times are from the first step's end to the last one's, of the
clock and of the processors: of command and worker and all that they started, without the server.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import IO, NoReturn

import psutil

from testwright.store.files.event_log import EventTail
from testwright.tests.support.projects.files import ROOT
from testwright.tests.support.runs.comparison import REQUEST
from testwright.tests.support.runs.temporal_server import temporal_server, worker
from testwright.tests.support.runs.waiting_parts import VARIABLES, WaitingModel, parts_project

_OFTEN = 0.01


@dataclass(frozen=True, slots=True)
class Measured:
    """One run, of which the steps are measured that make tests.

    Attributes:
        seconds: from the first one's start to the last one's end.
        marginal: from the first one's end: without what is done once, and without what a run in one process has done
            of its first step before it begins.
        processor: seconds of the processors meanwhile, of command and workers, and of all that they started.
    """

    seconds: float
    marginal: float
    processor: float


def main() -> None:
    """Measure and print."""
    given = _arguments()
    signal.signal(signal.SIGTERM, _leave)
    if given.latency:
        _print_speed_up(given)
    else:
        _print_overhead(given)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--modules", type=int, default=8)
    parser.add_argument("--latency", type=float, default=15.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--pairs", type=int, default=3, help="runs of each kind where nothing waits")
    return parser.parse_args()


def _leave(number: int, _: object) -> NoReturn:
    """End by an exception, so that the blocks that started server, workers and run end them."""
    # A second signal would interrupt that.
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _print_speed_up(given: argparse.Namespace) -> None:
    first = 0.0
    print("| workers | seconds | times as fast | answers of the model |\n|---:|---:|---:|---:|")
    for count in given.workers:
        with WaitingModel(given.latency) as model:
            run = _measured(given, count, model)
            asked = sum(model.answered.values())
        first = first or run.seconds
        print(f"| {count} | {run.seconds:.1f} | {first / run.seconds:.2f} | {asked} |", flush=True)


def _print_overhead(given: argparse.Namespace) -> None:
    kinds = {"one process": list[Measured](), "one worker": list[Measured]()}
    print("| run | seconds | processor seconds |\n|---|---:|---:|")
    for _ in range(given.pairs):
        for count, (name, runs) in enumerate(kinds.items()):
            runs.append(_measured(given, count, None))
            print(f"| {name} | {runs[-1].marginal:.2f} | {runs[-1].processor:.2f} |", flush=True)
    alone, worked = kinds.values()
    seconds, processor = (
        statistics.median(value(other) / value(one) for one, other in zip(alone, worked, strict=True))
        for value in (lambda run: run.marginal, lambda run: run.processor)
    )
    print(f"| one worker : one process, median of pairs | {seconds:.3f} | {processor:.3f} |")


def _measured(given: argparse.Namespace, count: int, model: WaitingModel | None) -> Measured:
    """Measure a run with so many workers; with 0 in one process."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = parts_project(Path(folder) / "project", given.modules)
        command = [sys.executable, str(ROOT / "main.py"), "run", REQUEST, "--root", str(root)]
        command += ["--run-id", "r", "--apply", "--jobs", str(max(1, count))]
        if model is not None:
            command += ["--model", "spec=openai:waiting", "--base-url", model.base_url]
        workers: list[int] = []
        if count:
            server = stack.enter_context(temporal_server())
            started = [worker(server, "--jobs", "1", waits=True, **VARIABLES) for _ in range(count)]
            workers = [stack.enter_context(one).pid for one in started]
            command += ["--on", server.address]
        # A file, because nobody would read a pipe before the run has ended.
        complaint = stack.enter_context(tempfile.TemporaryFile("w+"))
        with _started(command, complaint) as process:
            measured = _followed(process, workers, root / ".testwright/runs/r/events.jsonl", given.modules)
        if process.returncode or measured is None:
            complaint.seek(0)
            sys.exit(f"the run ended with {process.returncode}:\n{complaint.read()}")
        return measured


@contextmanager
def _started(command: list[str], complaint: IO[str]) -> Iterator[Popen[bytes]]:
    """Start a run for the block; one that the block leaves behind by an exception is ended."""
    with Popen(command, env={**os.environ, **VARIABLES}, stdout=DEVNULL, stderr=complaint) as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise


def _followed(process: Popen[bytes], workers: list[int], events: Path, modules: int) -> Measured | None:
    """Look at the processes when the first step begins, when it ends and when the last one ends; None without these."""
    tail, begun, ends = EventTail(events), 0.0, list[tuple[float, float]]()
    while len(ends) < modules:
        # Asked first: what a run that has ended wrote last is still read.
        is_over = process.poll() is not None
        for event in tail.new():
            if not str(event.step_id).startswith("generate_"):
                continue
            if event.type == "step_started":
                begun = begun or event.at
            elif event.type == "step_ended":
                ends.append((event.at, _processor_seconds([process.pid, *workers])))
        if is_over and len(ends) < modules:
            return None
        time.sleep(_OFTEN)
    return Measured(ends[-1][0] - begun, ends[-1][0] - ends[0][0], ends[-1][1] - ends[0][1])


def _processor_seconds(processes: list[int]) -> float:
    """What these processes, and all that they have started, have used."""
    used = 0.0
    for pid in processes:
        with suppress(psutil.Error):
            first = psutil.Process(pid)
            for one in (first, *first.children(recursive=True)):
                with suppress(psutil.Error):
                    used += sum(one.cpu_times()[:4])
    return used


if __name__ == "__main__":
    main()
