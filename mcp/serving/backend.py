"""Declares what the product server needs of the application behind it: a protocol over plain data.

The application implements it in an outer layer, `app`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ...core.events import EventSink

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long work: a run of its own, or the continuation of one.

    Attributes:
        root: the project, one of the served roots.
        run_id: the run's id; its folder is created when the work begins.
        on_event: called with every event, in order, from any thread.
    """

    root: Path
    run_id: str
    on_event: EventSink = lambda _: None


@dataclass(frozen=True, slots=True)
class TestFiles:
    """Test files to run.

    Attributes:
        test_path: the requested file or folder, relative to the project.
        files: contents by path: the tests, and the files staged beside them.
        spec: the spec the tests were written from, which names their cases; None when there is none.
        together: the test files below a folder, to be run together; empty for one file.
    """

    __test__ = False

    test_path: str
    files: Mapping[str, str]
    spec: Json | None = None
    together: tuple[str, ...] = ()


class McpBackend(Protocol):
    """The operations of testwright, as the server calls them. Every method raises only errors of `core/errors.py`.

    Only `apply` adds files to a project. Work that is cancelled ends everything it started before the cancellation
    passes through.
    """

    def state(self, root: Path) -> Path:
        """Returns the folder in which a project's runs are kept."""
        ...

    def new_run_id(self) -> str:
        """Returns an unused run id."""
        ...

    async def plan(self, root: Path, request: str, options: Mapping[str, Any]) -> Json:
        """Plans a request: `steps`, `understood`, `not_understood`, `skipped`."""
        ...

    async def generate_tests(self, job: Job, request: str, options: Mapping[str, Any]) -> Json:
        """Executes a whole run, its tests staged, and returns its report.

        Args:
            options: `framework`, `test_type`, `fuzz` and `fuzz_seed`, where they are given.
        """
        ...

    async def generate_spec(
        self, job: Job, *, test_type: str, target: str, context: str, framework: str | None
    ) -> Json:
        """Executes a run until its spec is ready.

        Returns:
            `status` (`spec_ready`, `not_valid` or `nothing_to_test`), `target`, `framework`, `spec_path`, `test_path`,
            `attempts`, `errors`, `spec` (None without one), `message`.
        """
        ...

    async def generate_from_spec(self, job: Job, *, spec: Mapping[str, Any], name: str, framework: str | None) -> Json:
        """Executes a run from a given spec, and returns its report.

        Args:
            name: the spec's file name without its suffix; the test file is named after it.
        """
        ...

    async def resume(self, job: Job) -> Json:
        """Continues a run from where it stopped, and returns its report."""
        ...

    async def run_tests(self, job: Job, tests: TestFiles, options: Mapping[str, Any]) -> Json:
        """Runs test files in the sandbox, and returns the answer of the tool `run_tests`; it is kept in the run."""
        ...

    async def analyze(self, job: Job, *, results: Mapping[str, Any], spec: Mapping[str, Any], target: Json) -> Json:
        """Analyses stored results: `summary`, `findings`, `suspected_defects`, `drop`; kept in the run."""
        ...

    async def apply(self, root: Path, run_id: str) -> list[Json]:
        """Adds a run's staged tests to the project, and returns `path`, `outcome` and `reason` of each."""
        ...

    async def run(self, root: Path, run_id: str) -> Json | None:
        """Describes a run of this project, or returns None: `status`, `request`, `resumable`, `files`, `report`.

        `report` is None without one, and where it does not read: then `report_fault` says why.
        """
        ...

    async def runs(self, root: Path) -> list[Json]:
        """Lists the stored runs of this project, newest first: `run_id`, `created_at` and others."""
        ...

    async def call_tool(self, root: Path, name: str, arguments: Mapping[str, Any], run_id: str | None = None) -> Json:
        """Calls one of the tools for graphs on this project; no run is opened or kept.

        Args:
            run_id: the run whose files the arguments may name; by default those of no run.
        """
        ...
