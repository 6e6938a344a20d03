"""The report from plain data: the planning graph's final state and what is known about the run.

Sorted throughout, so that equal work gives an equal report. Nothing here fails because something is missing: a run that
broke off has a report as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from ..core.outcome import (
    NOTHING_PUBLIC,
    ExitReason,
    RunCounts,
    count_undone,
    exit_code_of,
    exit_reason_of,
    status_of,
)
from .fault_advice import advice_of_faults, is_rejected
from .model import (
    Coverage,
    CoverageChange,
    NotUnderstood,
    OwnPytestRun,
    Report,
    ReportFinding,
    ReportOrigins,
    ReportPlanStep,
    ReportTarget,
    SkippedTarget,
    StepStatus,
    SuspectedDefect,
    Totals,
    WrittenFile,
)
from .not_reached import places_not_reached
from .operations import counts_of
from .own_pytest import own_pytest_lines
from .reading import added_up, count, failure_class, items, mapping, parts, place, rows, stable, text, words
from .run_model import Run
from .targets import Made, classes_of, target_of, without_removed, without_superseded_steps
from .written_files import written_files

_GENERATES = "generate_"
_CRASHES = re.compile(r"^sd_.*_(server_error|no_answer)(_|$)")
"""Ids of defects of APIs that no reading of a document can excuse; they come first."""
_OF_REPOSITORIES = ("crawl_repository", "write_test_cases", "engineer_tests")

_ADVICE = {
    ExitReason.BUDGET_EXHAUSTED: "A ceiling ended the run; what was kept until then is in the report. "
    "`testwright resume` with the run's id and a higher ceiling does the rest, and pays for nothing twice.",
    ExitReason.INTERRUPTED: "The run was interrupted; `testwright resume` with the run's id goes on where it stopped.",
    ExitReason.ENVIRONMENT: "The target's environment stands in the way; `testwright doctor` shows what is missing.",
    ExitReason.MODEL_QUOTA: "The account at the model's endpoint is used up, and waiting does not help; the embedded "
    "engine works without a model.",
    ExitReason.MODEL_RATE_LIMIT: "The model's endpoint limits the rate: lower --jobs, or run again later.",
    ExitReason.MODEL_REFUSED: "The model refuses the request: try another model, or none.",
    ExitReason.GOAL_VALIDATION_FAILED: "The goal agent was not content with what was kept; plan.json has its critique.",
    ExitReason.TERMINATED: "An agent ended the run; the steps say which, and why. What was accepted before is in the "
    "project.",
    ExitReason.NOT_UNDERSTOOD: "Name files, folders, modules, classes or functions of the project.",
    ExitReason.NOTHING_KEPT: "No test was kept; what stands at the targets and the dropped cases says why.",
    ExitReason.TIMEOUT: "Every test ran out of time: the target waits for something, or needs longer limits.",
    ExitReason.FLAKY: "Every test changed its result between runs or under another condition; its row says which.",
}

_OWN_OUTCOMES = ("passed", "needs_setting", "failed", "not_collected", "not_started")
"""Outcomes of the project's own pytest, from good to bad."""

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the run came to.

    Attributes:
        plan: the `ReportPlanStep`s of the final planning state; results of generate steps have the fields of
            `TestingAgentState`, those of verify_suite `dropped`, those of accept_tests `files`.
        understanding: the planner's `not_understood` and `skipped`.
        attempt_counts: step id → attempts.
        ended: the `ExitReason` that ended the run early, or the graph's own; None for the end of the plan.
        files: what became of the test files (path, outcome, reason), when no step of the plan says so.
        advice: lines to show before ours.
        private: folders whose paths differ between runs; they are cut from every text outside `run`.
    """

    request: str
    plan: Sequence[Json]
    understanding: Json = field(default_factory=dict)
    attempt_counts: Mapping[str, int] = field(default_factory=dict)
    ended: str | None = None
    analysed: bool = True
    fail_on_defect: bool = False
    files: Sequence[Json] = ()
    advice: Sequence[str] = ()
    private: Sequence[str] = ()


def build_report(run: Run, outcomes: Outcomes, *, redact: Callable[[Any], Any] = lambda value: value) -> Report:
    """The report of a run.

    Args:
        run: what differs from run to run; its settings and warnings go through `redact`.
        redact: takes secrets out of a JSON value (`Redactor.value`).

    Raises:
        ValueError: `outcomes.ended` is no exit reason.
    """
    private = sorted(outcomes.private, key=lambda folder: (-len(folder), folder))
    plan = rows(stable(redact(list(outcomes.plan)), private))
    understanding = mapping(stable(redact(dict(outcomes.understanding)), private))
    generating = [step for step in plan if text(step.get("type")).startswith(_GENERATES)]
    later = [row for step in plan if step not in generating for row in rows(mapping(step.get("result")).get("dropped"))]
    every = [(step, target_of(step, later, analysed=outcomes.analysed)) for step in generating]
    every.sort(key=lambda pair: (pair[1].path, pair[1].test_type, pair[1].test_path))
    defects = _defects(every)
    made = without_superseded_steps(every)
    files = written_files(plan, rows(stable(redact(list(outcomes.files)), private)), [target for _, target in made])
    made, replaced = without_removed(made, files)
    targets = tuple(target for _, target in made)
    planned = parts(SkippedTarget, understanding.get("skipped"))
    unread = [row for step in plan for row in parts(SkippedTarget, mapping(step.get("result")).get("left_out"))]
    skipped = tuple(sorted([*planned, *unread], key=lambda row: (row.target, row.reason)))
    unknown = _not_understood(understanding)
    own_pytest = _own_pytest(plan, sum(len(row.tests) for target in replaced for row in target.evidence))
    executed = any(target.execution == "executed" for target in targets)
    totals = totals_of(targets, defects, files)
    tally = _counts_of(run, plan, made, kept=totals.kept, said=(len(defects), len(planned), len(unknown)))
    reason = exit_reason_of(tally, ended=outcomes.ended, fail_on_defect=outcomes.fail_on_defect)
    report = Report(
        run=_without_secrets(run, redact),
        request=text(redact(outcomes.request)),
        status=status_of(reason),
        exit_reason=reason,
        exit_code=int(exit_code_of(reason)),
        execution="executed" if executed else "not executed",
        analysis="analysed" if executed and outcomes.analysed else "not analysed",
        totals=totals,
        suspected_defects=defects,
        targets=targets,
        findings=_findings(made) if outcomes.analysed else (),
        plan=tuple(_plan_step(step, outcomes.attempt_counts) for step in plan),
        files=files,
        own_pytest=next(iter(parts(OwnPytestRun, [own_pytest])), None),
        skipped=skipped,
        not_understood=unknown,
    )
    given = [text(stable(redact(advice), private)) for advice in outcomes.advice]
    lines = [*given, *_general_advice(report, own_pytest, plan)]
    return report.model_copy(update={"advice": tuple(dict.fromkeys(lines))})


def _counts_of(run: Run, plan: list[Json], made: Made, *, kept: int, said: tuple[int, int, int]) -> RunCounts:
    """What the exit reason is derived from.

    Args:
        said: numbers of suspected defects, of skipped targets, and of what was not understood.
    """
    others = [step for step in plan if step.get("type") in _OF_REPOSITORIES]
    defects, skipped, not_understood = said
    return RunCounts(
        good=kept + sum(step.get("status") == "completed" for step in others),
        targets=sum(target.status != "skipped" or _could_not(target, run) or is_rejected(step) for step, target in made)
        + len(others),
        failed_steps=count_undone(plan),
        dropped=[name for step, target in made for name in classes_of(step, target)],
        defects=defects,
        skipped=skipped,
        not_understood=not_understood,
    )


def _general_advice(report: Report, own_pytest: Json, plan: list[Json]) -> Iterator[str]:
    """Advice for the report, then that of faults, which says more about an environment than the general line."""
    faults = list(advice_of_faults(plan))
    yield from (
        line for line in _advice_for(report, own_pytest) if not faults or line != _ADVICE[ExitReason.ENVIRONMENT]
    )
    # One cause keeps all files from the project's layout: it is said once.
    problems = dict.fromkeys(text(mapping(step.get("result")).get("not_formatted")) for step in plan)
    yield from (f"Test files do not have the project's own layout: {problem}." for problem in problems if problem)
    yield from faults


def _without_secrets(run: Run, redact: Callable[[Any], Any]) -> Run:
    warnings = tuple(dict.fromkeys(str(redact(warning)) for warning in run.warnings))
    return run.model_copy(update={"settings": dict(redact(dict(run.settings))), "warnings": warnings})


def _advice_for(report: Report, own_pytest: Json) -> Iterator[str]:
    """Lines for people, the most pressing first; `own_pytest` is the tool's answer, and has more than the report."""
    if report.suspected_defects:
        yield "Look at the suspected defects first: either the code or its documentation is wrong."
    if report.exit_reason in _ADVICE:
        yield _ADVICE[report.exit_reason]
    if report.totals.files_conflicting:
        yield (
            "Some tests were not added, because a file that testwright has not written owns the name; the staged "
            "versions are in the run's folder."
        )
    if report.totals.files_edited:
        yield (
            "A test file that you have changed is yours and was left as it is; what this run wrote for it is in the "
            "run's folder. Delete yours, or undo your changes, to have it written again."
        )
    if report.own_pytest is not None:
        yield from own_pytest_lines(
            report.own_pytest,
            mapping(own_pytest.get("earlier")),
            mapping(own_pytest.get("variables")),
            not_added=_not_added(report),
            lent=own_pytest.get("lent") is True,
        )
    if report.totals.files_staged:
        yield "Staged tests join the project with `testwright apply` and the run's id."
    if report.execution == "not executed" and report.totals.kept:
        yield "The tests were not executed: run them before you rely on them."
    if report.totals.origins.observed and not report.suspected_defects:
        yield "Expectations marked `observed` pin what the code does today; read them before you call them right."


def _not_added(report: Report) -> dict[str, int]:
    """Numbers of tests by the files that were left alone, because a person's stands there."""
    alone = {file.path for file in report.files if file.outcome in ("edited", "conflict")}
    found: Counter[str] = Counter()
    for target in report.targets:
        if target.test_path in alone:
            found[target.test_path] += sum(len(row.tests) for row in target.evidence)
    return dict(found)


def _plan_step(step: Json, attempts: Mapping[str, int]) -> ReportPlanStep:
    params = mapping(step.get("params"))
    target = params.get("target")
    return ReportPlanStep(
        id=text(step.get("id")),
        type=text(step.get("type")),
        status=next((known for known in get_args(StepStatus) if known == step.get("status")), "pending"),
        target=text(target.get("path") if isinstance(target, Mapping) else target),
        depends_on=words(params.get("depends_on")),
        attempts=count(attempts.get(text(step.get("id")))),
        error=text(step.get("error_message")),
    )


def _defects(made: list[tuple[Json, ReportTarget]]) -> tuple[SuspectedDefect, ...]:
    found: dict[tuple[str, str], SuspectedDefect] = {}
    for step, target in made:
        result = mapping(step.get("result"))
        spec = mapping(result.get("spec_json"))
        for row in [*rows(spec.get("suspected_defects")), *rows(result.get("suspected_defects"))]:
            defect = SuspectedDefect(
                id=text(row.get("id")) or text(row.get("title")),
                title=text(row.get("title")) or text(row.get("id")),
                target=target.path,
                **{name: text(row.get(name)) for name in ("subject", "documented", "observed", "reproduce")},
                evidence=place(row.get("evidence")),
            )
            found.setdefault((target.path, defect.id), defect)
    return tuple(
        sorted(
            _by_rule(found.values()),
            key=lambda defect: (
                not _CRASHES.search(defect.id),
                defect.target,
                defect.evidence.lines if defect.evidence else (0, 0),
                defect.id,
            ),
        )
    )


def _by_rule(defects: Iterable[SuspectedDefect]) -> Iterator[SuspectedDefect]:
    """One defect for each rule that several inputs of a table contradict: the first one, with how many there are."""
    groups: dict[tuple[object, ...], list[SuspectedDefect]] = {}
    for one in defects:
        groups.setdefault((one.target, one.subject, one.title, one.documented, one.evidence), []).append(one)
    for group in groups.values():
        several = {"title": f"{group[0].title} ({len(group)} inputs)"} if len(group) > 1 else {}
        yield group[0].model_copy(update=several)


def _findings(made: list[tuple[Json, ReportTarget]]) -> tuple[ReportFinding, ...]:
    found = [
        ReportFinding(
            failure_class=failure_class(row.get("class")),
            target=target.path,
            case_id=row.get("case_id") if isinstance(row.get("case_id"), str) else None,
            title=text(row.get("title")),
            detail=text(row.get("detail")),
            evidence=dict(mapping(row.get("evidence"))) or None,
        )
        for step, target in made
        for row in rows(mapping(step.get("result")).get("findings"))
    ]
    return tuple(sorted(found, key=lambda row: (row.target, row.failure_class, row.case_id or "", row.title)))


def _could_not(target: ReportTarget, run: Run) -> bool:
    """Whether no test could be made of what was asked for; to change such code is to ask for none."""
    asked = not mapping(run.settings).get("changed_since")
    return asked and any(row.reason != NOTHING_PUBLIC for row in target.not_reached)


def _own_pytest(plan: list[Json], replaced: int) -> Json:
    """The worst answer of the project's own pytest among the plan's steps, over the tests of all; empty without one.

    A plan that was opened again after goal validation has several.

    Args:
        replaced: tests that passed in a file that the run has replaced since.
    """
    made = [mapping(mapping(step.get("result")).get("own_pytest")) for step in plan]
    found = [(run, row) for row in made for run in parts(OwnPytestRun, [row])]
    if not found:
        return {}
    _, worst = max(found, key=lambda pair: _OWN_OUTCOMES.index(pair[0].outcome))
    return {**worst, "passed": max(0, sum(run.passed for run, _ in found) - replaced)}


def _not_understood(understanding: Json) -> tuple[NotUnderstood, ...]:
    return parts(
        NotUnderstood,
        [
            row if isinstance(row, Mapping) else {"text": text(row)}
            for row in items(understanding.get("not_understood"))
        ],
    )


def totals_of(
    targets: Sequence[ReportTarget], defects: Sequence[SuspectedDefect], files: Sequence[WrittenFile]
) -> Totals:
    """Add up all targets, defects and files."""
    status = Counter(target.status for target in targets)
    outcome = Counter(file.outcome for file in files)
    evidence = [row for target in targets for row in target.evidence]
    return Totals(
        targets=len(targets),
        targets_completed=status["completed"],
        targets_failed=status["failed"],
        targets_skipped=status["skipped"],
        cases=sum(target.cases for target in targets),
        kept=sum(len(target.kept) for target in targets),
        dropped=sum(len(target.dropped) for target in targets),
        suspected_defects=len(defects),
        not_reached=len(places_not_reached(targets)),
        files_added=outcome["added"],
        files_updated=outcome["updated"],
        files_unchanged=outcome["unchanged"],
        files_removed=outcome["removed"],
        files_edited=outcome["edited"],
        files_conflicting=outcome["conflict"],
        files_staged=outcome["staged"],
        origins=ReportOrigins(**Counter(expectation.origin for row in evidence for expectation in row.expectations)),
        coverage=_coverage(targets),
        operations=counts_of(targets),
    )


def _coverage(targets: Sequence[ReportTarget]) -> CoverageChange:
    """Add up the coverage of the targets that were measured; `before` only when it is known for all of these."""
    measured = [target.coverage for target in targets if target.coverage.after is not None]
    before = [coverage.before for coverage in measured if coverage.before is not None]
    return CoverageChange(
        before=added_up(Coverage, before) if len(before) == len(measured) else None,
        after=added_up(Coverage, [coverage.after for coverage in measured if coverage.after is not None]),
    )
