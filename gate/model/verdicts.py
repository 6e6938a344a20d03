"""Defines the verdict on each generated test: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...utils.canonical import attributes
from .classify import FailureClass
from .coverage_data import CoverageData
from .mutant_results import MutationReport

VerdictName = Literal["kept", "failed", "flaky", "error", "timeout"]


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """Whether one test is kept, and if not, why.

    Attributes:
        failure_class: class of the taxonomy; None for kept tests.
        reason: one sentence for people; empty for kept tests.
        message: the exception in one line.
        runs: how often the test was run.
        causes: names of the conditions that a flaky test fails under; see `conditions.py`.
        relation: it `makes fail`, `needs` before it, or `fails beside` the related tests.
        related: their node ids.
    """

    nodeid: str
    path: str
    name: str
    verdict: VerdictName
    case_id: str | None = None
    failure_class: FailureClass | None = None
    reason: str = ""
    message: str = ""
    trace: str = ""
    seconds: float = 0.0
    runs: int = 1
    causes: tuple[str, ...] = ()
    relation: str = ""
    related: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form; the class stands under `class`."""
        return {
            **attributes(self, "case_id", "nodeid", "name", "verdict"),
            "class": self.failure_class,
            "reason": self.reason,
            "message": self.message,
            "longrepr": self.trace,
            **attributes(self, "runs", "causes", "relation", "related"),
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """What the gate found out about some test files.

    Attributes:
        contents: the verified text of each file by path.
        verdicts: in the order of collection.
        coverage: of the first run, by test; kept and dropped tests alike. None when nothing was measured.
        repeats: how often each kept test passed after its first run.
        launches: processes started.
        mutation: which mutants the kept tests notice; None where none were tried.
        pictures: of browser tests that failed, see `SuiteResult.pictures`.
    """

    framework: str
    contents: Mapping[str, str]
    verdicts: tuple[CaseVerdict, ...]
    coverage: CoverageData | None = None
    repeats: int = 0
    notes: tuple[str, ...] = ()
    sandbox: str = ""
    runner_version: str = ""
    seconds: float = 0.0
    launches: int = 0
    mutation: MutationReport | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def kept(self) -> tuple[CaseVerdict, ...]:
        """The tests that hold."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict == "kept")

    @property
    def dropped(self) -> tuple[CaseVerdict, ...]:
        """The tests that do not."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict != "kept")

    def kept_coverage(self) -> CoverageData | None:
        """What the kept tests and their imports reach, without the dropped ones."""
        if self.coverage is None:
            return None
        return self.coverage.of_tests({"", *(verdict.nodeid for verdict in self.kept)})
