"""The report of a run (report.json). Everything outside `run` is the same for two runs of one request on one tree.

`schemas/report_schema_v1.json` is this model's JSON Schema.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ..core.outcome import ExitReason, FinalStatus
from .run_model import Count, ReportPart, Run

FailureClass = Literal["product_defect", "test_defect", "environment", "flaky", "timeout", "redundant", "unknown"]
StepStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]


class ReportPlace(ReportPart):
    """Lines of a file of the project, first and last."""

    path: str
    lines: tuple[Count, Count]


class ReportPlanStep(ReportPart):
    """A step of the plan and how it ended."""

    id: str
    type: str
    status: StepStatus
    target: str = ""
    depends_on: tuple[str, ...] = ()
    attempts: Count = 0
    error: str = ""


class Coverage(ReportPart):
    """Counts for the target's file."""

    statements: Count
    covered: Count
    branches: Count = 0
    covered_branches: Count = 0


class CoverageChange(ReportPart):
    """Coverage by the tests that were there before, and with the kept tests added; None where it was not measured."""

    before: Coverage | None = None
    after: Coverage | None = None
    source: str = Field(default="", description="What `before` was measured by: own_tests, imports or nothing.")


class DroppedCase(ReportPart):
    """A case that is not kept, and why."""

    case_id: str
    title: str = ""
    reason: str
    failure_class: FailureClass
    message: str = ""


class NotReached(ReportPart):
    """A callable that got no test, or a way through the target that no kept test took, and why.

    Attributes:
        question: what a person would have to answer so that it gets one; empty where no answer would help.
    """

    subject: str
    reason: str
    line: Count = 0
    question: str = ""


class ReportExpectation(ReportPart):
    """What a test expects, and where that comes from."""

    kind: str
    origin: Literal["documented", "inferred", "observed"]
    evidence: ReportPlace | None = None


class ReportEvidence(ReportPart):
    """The evidence record of one kept test.

    `lines` are the target's lines it covers; `mutants_killed` is None where mutants were not tried; `reruns` counts the
    passes after the first, in other orders and processes.
    """

    case_id: str
    title: str
    subject: str = ""
    priority: str = ""
    tests: tuple[str, ...] = Field(default=(), description="Node ids in the test file.")
    lines: tuple[Count, ...] = ()
    branches: Count | None = None
    mutants_killed: Count | None = None
    reruns: Count = 0
    crosses: tuple[str, ...] = Field(default=(), description="Which component it was seen to take into which other.")
    statuses: tuple[Count, ...] = Field(default=(), description="HTTP statuses that it expects of its operation.")
    expectations: tuple[ReportExpectation, ...] = ()


class ReportMutant(ReportPart):
    """A small fault put into the target: one no test noticed, or one that was set aside."""

    path: str
    line: Count
    operator: str
    before: str
    after: str
    status: Literal["survived", "uncovered", "equivalent"]
    rule: str | None = Field(default=None, description="Why it looks equivalent to the original.")


class NoticedMutant(ReportPart):
    """A mutant that tests notice.

    `noticed_by` are the case ids of the first few in the order of collection, of `tests` that are known to notice it.
    """

    path: str
    line: Count
    operator: str
    after: str
    noticed_by: tuple[str, ...] = ()
    tests: Count = 0


class Mutation(ReportPart):
    """What a seeded sample of mutants says about the kept tests. Timeouts count as killed."""

    found: Count
    sampled: Count
    seed: Count = 0
    killed: Count = 0
    timeout: Count = 0
    survived: Count = 0
    uncovered: Count = 0
    equivalent: Count = 0
    untried: Count = 0
    score: float | None = Field(default=None, description="Killed in percent of those tried, without equivalents.")
    survivors: tuple[ReportMutant, ...] = ()
    set_aside: tuple[ReportMutant, ...] = ()
    noticed: tuple[NoticedMutant, ...] = Field(default=(), description="Empty where there were too many to keep.")
    notes: tuple[str, ...] = ()


class SourceReference(ReportPart):
    """A source that was used, by the number that findings name."""

    number: Count
    path: str
    lines: tuple[int, int]
    kind: Literal["code", "document", "test", "api", "history"]
    title: str = ""


class Sources(ReportPart):
    """What was collected about a target before its spec was written, by the evidence loop."""

    collected: bool
    reason: str = Field(description="Why evidence was collected, or why not.")
    exit_reason: str = Field(default="", description="Why the loop ended: approved, max_rounds, stalled, …")
    rounds: Count = 0
    summary: str = ""
    findings: tuple[str, ...] = ()
    questions: tuple[str, ...] = Field(default=(), description="What is not known, for a person to answer.")
    references: tuple[SourceReference, ...] = ()


class TrivialSurvivor(ReportPart):
    """A trivial implementation of a function that its tests pass with."""

    title: str = Field(description="What it does: returns its argument as it is, ignores an argument, …")
    kind: Literal["constant", "empty", "argument", "measure", "swapped", "ignored", "no_effect"]
    elsewhere: bool = Field(default=False, description="Whether a test notices it that does not call the function.")


class TrivialFunction(ReportPart):
    """A function whose tests pass with trivial implementations of it, or that got none."""

    path: str
    function: str
    line: Count
    tests: Count = Field(default=0, description="Tests that call it themselves.")
    tried: Count = Field(default=0, description="Implementations that were put in its place.")
    survivors: tuple[TrivialSurvivor, ...] = ()
    left_out: str = Field(default="", description="Why none was tried.")


class Trivial(ReportPart):
    """What trivial implementations of the tested functions say about the tests."""

    functions: Count = Field(description="Functions whose tests were run on some.")
    passed: Count = Field(default=0, description="Those for which one passes all tests.")
    elsewhere: Count = Field(default=0, description="Those whose own tests one passes, and others notice it.")
    left_out: Count = 0
    rows: tuple[TrivialFunction, ...] = ()


class OperationShown(ReportPart):
    """An operation of an API, and which of its statuses kept tests show."""

    operation: str
    documented: tuple[str, ...] = Field(default=(), description="As the description names them: 404, 4XX, default.")
    shown: tuple[Count, ...] = Field(default=(), description="Statuses that kept tests expect of it.")


class OperationCounts(ReportPart):
    """How much of an API kept tests show."""

    described: Count = Field(description="Operations of the description, or of the routes.")
    covered: Count = Field(description="Those of which a kept test shows an answer of success.")
    statuses: Count = Field(description="Statuses that the description names, over all operations.")
    shown: Count = Field(description="Those that a kept test expects.")


class Operations(OperationCounts):
    """The same, operation by operation."""

    rows: tuple[OperationShown, ...] = ()


class Attempts(ReportPart):
    """How often spec and code were generated: 1 and at most 3 refinements."""

    spec: Count = 0
    code: Count = 0


class ReportTarget(ReportPart):
    """One target and what came of it."""

    path: str
    module: str = ""
    test_type: str = "unit"
    status: Literal["completed", "failed", "skipped", "pending"]
    error: str = ""
    spec_path: str = ""
    test_path: str = ""
    framework: str = ""
    cases: Count = Field(default=0, description="Cases in the spec.")
    execution: Literal["executed", "not executed"] = "not executed"
    kept: tuple[str, ...] = Field(
        default=(), description="Ids of the cases kept; of all written where nothing was executed."
    )
    dropped: tuple[DroppedCase, ...] = ()
    coverage: CoverageChange = CoverageChange()
    missing_lines: tuple[Count, ...] = Field(
        default=(), description="Statements of the target that neither its tests nor the kept ones run."
    )
    mutation: Mutation | None = Field(default=None, description="None where mutants were not tried.")
    trivial: Trivial | None = Field(default=None, description="None where mutants were not tried.")
    operations: Operations | None = Field(default=None, description="Of API tests only.")
    not_reached: tuple[NotReached, ...] = ()
    not_taken: tuple[NotReached, ...] = Field(default=(), description="Ways through the target, of unit tests only.")
    attempts: Attempts = Attempts()
    evidence: tuple[ReportEvidence, ...] = ()
    analysis: str = Field(default="", description="The analyzer's summary; empty when analysis was switched off.")
    sources: Sources | None = Field(default=None, description="None where no evidence loop belongs to the run.")
    notes: tuple[str, ...] = ()


class SuspectedDefect(ReportPart):
    """Where the code contradicts its documentation. Never frozen into a passing test."""

    id: str
    title: str
    target: str
    subject: str = ""
    documented: str
    observed: str
    reproduce: str = Field(default="", description="Lines of Python, or of curl, that show it.")
    evidence: ReportPlace | None = None


class ReportFinding(ReportPart):
    """What the analysis says about a case or a target."""

    failure_class: FailureClass
    target: str
    case_id: str | None = None
    title: str
    detail: str = ""
    evidence: dict[str, Any] | None = None


class LostTests(ReportPart):
    """A function, class or method that a test file exercised before it was written anew, and no longer does."""

    subject: str
    reason: str = ""


class WrittenFile(ReportPart):
    """A test file and what became of it in the project."""

    path: str
    outcome: Literal["added", "updated", "unchanged", "removed", "edited", "conflict", "staged"]
    reason: str = ""
    lost: tuple[LostTests, ...] = ()


class PytestLine(ReportPart):
    """A line for the file in which pytest reads the project's settings; `line` holds the whole setting."""

    file: str
    section: str
    key: str
    line: str


class OwnPytestRun(ReportPart):
    """What the project's own bare `pytest`, with its own settings, makes of the kept tests together.

    `passed` counts the tests that pass, with `settings` where some are needed.
    """

    outcome: Literal["passed", "needs_setting", "failed", "not_collected", "not_started"]
    passed: Count = 0
    reason: str = ""
    settings: tuple[PytestLine, ...] = ()


class NotUnderstood(ReportPart):
    """A part of the request that named nothing known."""

    text: str
    reason: str = ""
    suggestions: tuple[str, ...] = ()


class SkippedTarget(ReportPart):
    """A target that the plan left out."""

    target: str
    reason: str


class ReportOrigins(ReportPart):
    """Expectations of kept tests by where they come from."""

    documented: Count = 0
    inferred: Count = 0
    observed: Count = 0


class Totals(ReportPart):
    """The run in numbers."""

    targets: Count = 0
    targets_completed: Count = 0
    targets_failed: Count = 0
    targets_skipped: Count = 0
    cases: Count = 0
    kept: Count = 0
    dropped: Count = 0
    suspected_defects: Count = 0
    not_reached: Count = 0
    files_added: Count = 0
    files_updated: Count = 0
    files_unchanged: Count = 0
    files_removed: Count = 0
    files_edited: Count = 0
    files_conflicting: Count = 0
    files_staged: Count = 0
    origins: ReportOrigins = ReportOrigins()
    coverage: CoverageChange = CoverageChange()
    operations: OperationCounts | None = Field(default=None, description="Of API tests only.")


class Report(ReportPart):
    """report.json."""

    schema_version: Literal["1.0.0"] = "1.0.0"
    run: Run
    request: str
    status: FinalStatus
    exit_reason: ExitReason
    exit_code: Count
    execution: Literal["executed", "not executed"]
    analysis: Literal["analysed", "not analysed"]
    totals: Totals
    suspected_defects: tuple[SuspectedDefect, ...] = ()
    targets: tuple[ReportTarget, ...] = ()
    findings: tuple[ReportFinding, ...] = ()
    plan: tuple[ReportPlanStep, ...] = ()
    files: tuple[WrittenFile, ...] = ()
    own_pytest: OwnPytestRun | None = Field(default=None, description="None where it was not run.")
    skipped: tuple[SkippedTarget, ...] = ()
    not_understood: tuple[NotUnderstood, ...] = ()
    advice: tuple[str, ...] = ()
