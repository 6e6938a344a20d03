"""Live progress of a run on stderr: a line per event that a person cares about, quiet when stderr is no terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..core.events import Event, EventSink, EventType
from .console import Console

_SAID = frozenset({"warning", "first_tests"})
"""Data of events that a person is told of."""


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[EventSink]:
    """A sink that shows events while the context is open.

    Args:
        quiet: show nothing at all (`--json`).

    On a terminal: a bar over the plan's steps and a line for each step that ended. Elsewhere: plain lines for the plan,
    ended steps and suspected defects, so that a CI log shows steady progress.
    """
    if quiet:
        yield lambda event: None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console)
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        yield _Bar(progress)


def _ending(event: Event) -> str:
    """How a step ended. What is wrong with the environment concerns all steps: the summary gives it, once."""
    if event.data.get("exit_reason") in ("environment", "run_ended"):
        return f"{event.step_id} {event.data['status']}: {event.data['exit_reason'].replace('_', ' ')}"
    return event.message


class _Lines:
    """Plain lines: what ended, and how far the plan is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._ended = 0
        self._steps = 0
        self._begin = time.monotonic()

    def __call__(self, event: Event) -> None:
        if event.type is EventType.PLAN_READY:
            self._steps = len(event.data.get("steps", ()))
            self._print_line(event.message)
        elif event.type is EventType.STEP_ENDED:
            self._ended += 1
            total = f"/{self._steps}" if self._steps else ""  # a resumed run makes no new plan
            self._print_line(f"[{self._ended}{total}] {_ending(event)}")
        elif event.type is EventType.DEFECT_SUSPECTED or not _SAID.isdisjoint(event.data):
            self._print_line(event.message)

    def _print_line(self, text: str) -> None:
        self._console.print(f"{time.monotonic() - self._begin:6.1f}s  {text}", markup=False)


class _Bar:
    """A bar over the steps, with what is being done beside it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("planning", total=None)
        self._busy: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        if event.type is EventType.PLAN_READY:
            self._progress.update(self._task, total=len(event.data.get("steps", ())) or None)
            self._progress.console.print(event.message, markup=False)
        elif event.type is EventType.STEP_ENDED:
            self._busy.pop(event.step_id or "", None)
            self._progress.advance(self._task)
            self._progress.console.print(_ending(event), markup=False)
        elif event.type is EventType.DEFECT_SUSPECTED or not _SAID.isdisjoint(event.data):
            self._progress.console.print(event.message, markup=False)
        elif event.type in (EventType.STEP_STARTED, EventType.NODE_STARTED) and event.step_id:
            self._busy[event.step_id] = event.message
        self._progress.update(self._task, description="; ".join(self._busy.values())[:70] or "working")
