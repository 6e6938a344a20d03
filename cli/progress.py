"""Live progress of a run on stderr: what is done with which module on a terminal, a line per event elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..core.events import Event, EventSink, EventType
from .console import Console
from .run_progress import RunProgress, first_test

_SILENCE_SECONDS = 10
_BAR_WIDTH = 20
_BESIDE = _BAR_WIDTH + 14
"""Columns that spinner, bar and elapsed time take."""


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[EventSink]:
    """A sink that shows events while the context is open.

    Args:
        quiet: show nothing at all (`--json`, `--quiet`).

    On a terminal: a bar over the plan's steps with the modules at work, a line for each step that ended, and the first
    generated test as code. Elsewhere: plain lines for the plan, ended steps and suspected defects, and where none came
    for ten seconds, what is being done, so that a CI log shows steady progress.
    """
    if quiet:
        yield lambda event: None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = LineProgress(console)
        with _every_second(lines.tick):
            yield lines
        return
    with Progress(
        SpinnerColumn(),
        BarColumn(bar_width=_BAR_WIDTH),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
    ) as progress:
        yield BarProgress(progress)


@contextmanager
def show_phases(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """What shows the phases of work that has no plan: the present one with its time, or a line for each.

    Args:
        quiet: show nothing at all.
    """
    console, begin = Console(stderr=True), time.monotonic()
    if quiet:
        yield lambda _: None
    elif not console.is_terminal:
        yield lambda text: console.print(f"{time.monotonic() - begin:6.1f}s  {text}", markup=False)
    else:
        columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("starting", total=None)
            yield lambda text: progress.update(task, description=text)


@contextmanager
def _every_second(tick: Callable[[], None]) -> Iterator[None]:
    """Call a function each second from a thread of its own, until the block ends."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(1):
            tick()

    thread = threading.Thread(target=work, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class LineProgress:
    """Plain lines: what ended, and how far the plan is; what is being done where no line came for a while.

    Usable from any thread.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._run = RunProgress(clock)
        self._begin = self._last = clock()
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Print the line that an event is worth."""
        with self._lock:
            for one in self._run.in_reading_order(event):
                if line := self._run.note(one):
                    self._print(line)

    def tick(self) -> None:
        """Print what is being done, where nothing was printed for ten seconds."""
        with self._lock:
            if self._clock() - self._last >= _SILENCE_SECONDS:
                self._print(self._run.description())

    def _print(self, line: str) -> None:
        self._last = self._clock()
        self._console.print(f"{self._last - self._begin:6.1f}s  {line}", markup=False)


class BarProgress:
    """A bar over the steps, with what is being done beside it, and the first test as code."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._run = RunProgress()
        self._task = progress.add_task("planning", total=None)

    def __call__(self, event: Event) -> None:
        """Print the line that an event is worth, and bring the bar up to date."""
        for one in self._run.in_reading_order(event):
            self._show(one)

    def _show(self, event: Event) -> None:
        line = self._run.note(event)
        if line:
            self._progress.console.print(line, markup=False)
        if "first_tests" in event.data:
            self._show_first_test(event)
        if event.type is EventType.PLAN_READY:
            self._progress.update(self._task, total=self._run.total or None)
        width = max(20, self._progress.console.width - _BESIDE)
        text = self._run.description()
        shown = text if len(text) <= width else f"{text[: width - 1]}…"
        self._progress.update(self._task, description=shown, completed=self._run.ended)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Show no bar during the block."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()

    def _show_first_test(self, event: Event) -> None:
        code = first_test(Path(str(event.data.get("path", ""))))
        if code:
            # Its lexers are for people who watch a run; no other command waits for them.
            from rich.syntax import Syntax

            self._progress.console.print(Syntax(code, "python", background_color="default", word_wrap=False))
