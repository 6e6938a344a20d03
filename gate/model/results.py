"""Defines the results of running tests: plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...utils.canonical import attributes
from .coverage_data import CoverageData

Outcome = Literal["passed", "failed", "error", "skipped", "xfailed", "timeout", "crashed", "not_run"]


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback that lies in the project."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that ended a test or a collection.

    Attributes:
        type_name: class name, without its module.
        bases: names of its base classes.
        missing: the module an ImportError could not find, else None.
        frames: frames in the project, outermost first.
        inside: whether the innermost frame of all is one of them.
    """

    type_name: str
    message: str = ""
    bases: tuple[str, ...] = ()
    missing: str | None = None
    frames: tuple[Frame, ...] = ()
    inside: bool = False

    def is_a(self, name: str) -> bool:
        """Whether the exception is of that class or derived from it."""
        return name == self.type_name or name in self.bases

    @property
    def summary(self) -> str:
        """Type and first line of the message."""
        first = self.message.strip().splitlines()[0] if self.message.strip() else ""
        return f"{self.type_name}: {first}" if first else self.type_name


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test of one run.

    Attributes:
        nodeid: `tests/generated/test_x.py::test_y[row]`; for unittest `path::Class::method`.
        case_id: the spec's case id that its names, its row id or its docstring tell (`utils/case_names.py`).
        phase: where it ended: setup, call or teardown.
        seconds: all phases together.
        place: the file its function stands in, and that function's first line, its decorators' if it has some.
        things: what it made, wrote, removed or bound that other processes could, too; only of watched runs.
        acts: what its own code did beyond calling the target, `event: what`; only of runs with `acts`.
    """

    nodeid: str
    path: str
    name: str
    outcome: Outcome
    case_id: str | None = None
    phase: str = "call"
    seconds: float = 0.0
    failure: Failure | None = None
    trace: str = ""
    things: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    place: tuple[str, int] | None = None

    @property
    def message(self) -> str:
        """One line about the failure; empty when it passed."""
        return self.failure.summary if self.failure else ""

    def to_dict(self) -> dict[str, Any]:
        """The seam's form of a test: nodeid, case_id, name, outcome, seconds, message, longrepr."""
        return {
            **attributes(self, "nodeid", "case_id", "name", "outcome", "seconds", "message"),
            "longrepr": self.trace,
        }


@dataclass(frozen=True, slots=True)
class CollectError:
    """A test file that could not be collected."""

    path: str
    failure: Failure
    trace: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {"path": self.path, "message": self.failure.summary, "longrepr": self.trace}


@dataclass(frozen=True, slots=True)
class OutsideAct:
    """What a test file did while no test of it ran: while it was collected, or after its tests.

    Attributes:
        holder: the test function or class in whose decorators or body it stands; "" for elsewhere in the file.
        act: `event: what`.
    """

    path: str
    holder: str
    act: str


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """One run of a suite.

    Attributes:
        tests: in the order they ran; tests that hung or killed the process come last.
        notes: what a reader must know about how it ran (the project's conftest was left out, …).
        runner_version: version of pytest, or of Python for unittest.
        launches: processes started.
        locale, encoding: what was in force where another one was asked for; see `journal.Record`.
        acts_outside_tests: what test files themselves did outside of their tests; only of runs with `acts`.
        pictures: screenshots and traces of browser tests that failed: contents by POSIX path, one folder a test.
    """

    framework: str
    tests: tuple[CaseResult, ...] = ()
    collect_errors: tuple[CollectError, ...] = ()
    coverage: CoverageData | None = None
    notes: tuple[str, ...] = ()
    sandbox: str = ""
    runner_version: str = ""
    seconds: float = 0.0
    launches: int = 0
    locale: str | None = None
    encoding: str | None = None
    acts_outside_tests: tuple[OutsideAct, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    def by_nodeid(self) -> Mapping[str, CaseResult]:
        """The tests by node id."""
        return {test.nodeid: test for test in self.tests}

    def counts(self) -> dict[str, int]:
        """How many tests had which outcome; outcomes that did not occur are left out."""
        return dict(sorted(Counter(test.outcome for test in self.tests).items()))

    def to_dict(self) -> dict[str, Any]:
        """JSON form; `coverage` holds the branches and lines of single tests as well."""
        per_test: dict[str, dict[str, list[int]]] = {}
        if self.coverage is not None:
            for test in self.tests:
                reach = self.coverage.of_test(test.nodeid)
                per_test[test.nodeid] = {path: sorted(part.lines) for path, part in reach.items()}
        return {
            "framework": self.framework,
            "counts": self.counts(),
            "tests": [test.to_dict() for test in self.tests],
            "collect_errors": [error.to_dict() for error in self.collect_errors],
            "coverage": None if self.coverage is None else {**self.coverage.to_dict(), "by_test": per_test},
            **attributes(self, "notes", "sandbox", "runner_version", "seconds"),
        }


def failure_from_worker(raw: Mapping[str, Any] | None) -> Failure | None:
    """Read an exception as the worker described it."""
    if raw is None:
        return None
    return Failure(
        type_name=str(raw["type"]),
        message=str(raw.get("message", "")),
        bases=tuple(raw.get("bases", ())),
        missing=raw.get("missing"),
        frames=tuple(Frame(**frame) for frame in raw.get("frames", ())),
        inside=bool(raw.get("inside", False)),
    )
