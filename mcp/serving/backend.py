"""What a server needs of the application behind it: a protocol over plain data, implemented in an outer room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ...core.events import Event, EventSink

Json = dict[str, Any]


def _unheard(_: Event) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long work: a run of its own, or the continuation of one.

    Attributes:
        root: the project, one of the served roots.
        run_id: the run's id; its folder is made when the work begins.
        on_event: told of every event, in order, from any thread.
    """

    root: Path
    run_id: str
    on_event: EventSink = _unheard


@dataclass(frozen=True, slots=True)
class TestFiles:
    """Test files to run.

    Attributes:
        test_path: the file or folder asked for, relative to the project.
        files: contents by path, the tests themselves and what was staged beside them.
        spec: the spec it was written from, which names its cases; None when there is none.
        together: the test files below a folder, to be run in company; empty for one file.
    """

    __test__ = False

    test_path: str
    files: Mapping[str, str]
    spec: Json | None = None
    together: tuple[str, ...] = ()


class ServedApplication(Protocol):
    """What testwright can do, as the server calls it. Every method raises errors of `errors.py`, nothing else.

    Nothing here adds a file to a project, except `apply`. Work that is cancelled has ended everything it started before
    the cancellation passes through.
    """

    def state(self, root: Path) -> Path:
        """The folder in which a project's runs are kept."""
        ...

    def new_run_id(self) -> str:
        """An id that no run has."""
        ...

    async def plan(self, root: Path, request: str, options: Mapping[str, Any]) -> Json:
        """The plan for a request: `steps`, `understood`, `not_understood`, `skipped`."""
        ...

    async def generate_tests(self, job: Job, request: str, options: Mapping[str, Any]) -> Json:
        """A whole run, tests staged; the answer is its report.

        Args:
            options: `framework` and `test_type`, where they are said.
        """
        ...

    async def generate_spec(
        self, job: Job, *, test_type: str, target: str, context: str, framework: str | None
    ) -> Json:
        """The spec half of a run.

        Returns:
            `status` (`spec_ready`, `not_valid` or `nothing_to_test`), `target`, `framework`, `spec_path`, `test_path`,
            `attempts`, `errors`, `spec` (None without one), `message`.
        """
        ...

    async def generate_from_spec(self, job: Job, *, spec: Mapping[str, Any], name: str, framework: str | None) -> Json:
        """The code half of a run, from a spec that is given; the answer is its report.

        Args:
            name: the spec's file, without its ending; its tests are called after it.
        """
        ...

    async def resume(self, job: Job) -> Json:
        """Continue a run from where it stopped; the answer is its report."""
        ...

    async def run_tests(self, job: Job, tests: TestFiles, options: Mapping[str, Any]) -> Json:
        """Run a test file in the sandbox; the answer is that of the built-in tool `run_tests`, kept in the run."""
        ...

    async def analyze(self, job: Job, *, results: Mapping[str, Any], spec: Mapping[str, Any], target: Json) -> Json:
        """What stored results mean: `summary`, `findings`, `suspected_defects`, `drop`; kept in the run."""
        ...

    async def apply(self, root: Path, run_id: str) -> list[Json]:
        """Add a run's staged tests to the project: `path`, `outcome`, `reason` of each."""
        ...

    async def run(self, root: Path, run_id: str) -> Json | None:
        """What is known of a run of this project (`status`, `request`, `resumable`, `report`, `files` …), or None."""
        ...

    async def call_tool(self, root: Path, name: str, arguments: Mapping[str, Any]) -> Json:
        """What one of the tools of a run answers for this project; nothing of a run is opened or kept."""
        ...
