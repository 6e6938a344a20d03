"""The report from plain data: the planning graph's final state and what is known about the run.

Sorted throughout, so that equal work gives an equal report. Nothing here fails because something is missing: a run that
broke off has a report as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.outcome import RunCounts, exit_code_of, exit_reason_of, status_of
from .advice import advice_for
from .model import (
    NotUnderstood,
    Report,
    ReportFinding,
    ReportPlanStep,
    ReportTarget,
    SkippedTarget,
    StepStatus,
    SuspectedDefect,
    WrittenFile,
)
from .reading import count, failure_class, first, items, mapping, place, rows, stable, text, words
from .run_facts import RunFacts, run_part
from .targets import classes_of, target_of
from .totals import totals_of

_GENERATES = "generate_"
_OF_REPOSITORIES = ("crawl_repository", "write_test_cases", "engineer_tests")
_STEP_STATUSES: dict[str, StepStatus] = {
    "in_progress": "in_progress",
    "completed": "completed",
    "failed": "failed",
    "skipped": "skipped",
}
_FILE_OUTCOMES = ("added", "updated", "unchanged", "conflict", "staged")


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
    plan: Sequence[Mapping[str, Any]]
    understanding: Mapping[str, Any] = field(default_factory=dict)
    attempt_counts: Mapping[str, int] = field(default_factory=dict)
    ended: str | None = None
    analysed: bool = True
    fail_on_defect: bool = False
    files: Sequence[Mapping[str, Any]] = ()
    advice: Sequence[str] = ()
    private: Sequence[str] = ()


def build_report(run: RunFacts, outcomes: Outcomes, *, redact: Callable[[Any], Any] = lambda value: value) -> Report:
    """The report of a run.

    Args:
        redact: takes secrets out of a JSON value (`Redactor.value`).

    Raises:
        ValueError: `outcomes.ended` is no exit reason.
    """
    private = sorted(outcomes.private, key=lambda one: (-len(one), one))
    plan = rows(stable(redact(list(outcomes.plan)), private))
    understanding = mapping(stable(redact(dict(outcomes.understanding)), private))
    generating = [step for step in plan if text(step.get("type")).startswith(_GENERATES)]
    later = [row for step in plan if step not in generating for row in rows(mapping(step.get("result")).get("dropped"))]
    made = [(step, target_of(step, later, analysed=outcomes.analysed)) for step in generating]
    made.sort(key=lambda pair: (pair[1].path, pair[1].test_type, pair[1].test_path))
    targets = tuple(target for _, target in made)
    defects = _defects(made)
    files = _files(plan, rows(stable(redact(list(outcomes.files)), private)), targets)
    skipped, unknown = _skipped(understanding), _not_understood(understanding)
    executed = any(target.execution == "executed" for target in targets)
    totals = totals_of(targets, defects, files)
    others = [step for step in plan if step.get("type") in _OF_REPOSITORIES]
    tally = RunCounts(
        good=totals.kept + sum(step.get("status") == "completed" for step in others),
        targets=sum(target.status != "skipped" for target in targets) + len(others),
        failed_steps=sum(step.get("status") == "failed" for step in plan),
        dropped=[one for step, target in made for one in classes_of(step, target)],
        defects=len(defects),
        skipped=len(skipped),
        not_understood=len(unknown),
    )
    reason = exit_reason_of(tally, ended=outcomes.ended, fail_on_defect=outcomes.fail_on_defect)
    report = Report(
        run=run_part(run, redact),
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
        skipped=skipped,
        not_understood=unknown,
    )
    said = [text(stable(redact(one), private)) for one in outcomes.advice]
    lines = [*said, *advice_for(report), *_advice_of_faults(plan)]
    return report.model_copy(update={"advice": tuple(dict.fromkeys(lines))})


def _advice_of_faults(plan: list[Mapping[str, Any]]) -> Iterator[str]:
    """What to do about the faults that ended steps, in the plan's order."""
    for step in plan:
        advice = text(mapping(mapping(step.get("result")).get("failure")).get("advice"))
        if step.get("status") == "failed" and advice:
            target = mapping(mapping(step.get("params")).get("target")).get("path")
            yield f"{target}: {advice}" if target else advice


def _plan_step(step: Mapping[str, Any], attempts: Mapping[str, int]) -> ReportPlanStep:
    params = mapping(step.get("params"))
    target = params.get("target")
    return ReportPlanStep(
        id=text(step.get("id")),
        type=text(step.get("type")),
        status=_STEP_STATUSES.get(text(step.get("status")), "pending"),
        target=text(mapping(target).get("path") if isinstance(target, Mapping) else target),
        depends_on=words(params.get("depends_on")),
        attempts=count(attempts.get(text(step.get("id")))),
        error=text(step.get("error_message")),
    )


def _defects(made: list[tuple[Mapping[str, Any], ReportTarget]]) -> tuple[SuspectedDefect, ...]:
    found: dict[tuple[str, str], SuspectedDefect] = {}
    for step, target in made:
        result = mapping(step.get("result"))
        spec = mapping(first(result, "spec_json", "spec"))
        for one in [*rows(spec.get("suspected_defects")), *rows(result.get("suspected_defects"))]:
            defect = SuspectedDefect(
                id=text(one.get("id")) or text(one.get("title")),
                title=text(one.get("title")) or text(one.get("id")),
                target=target.path,
                subject=text(one.get("subject")),
                documented=text(one.get("documented")),
                observed=text(one.get("observed")),
                reproduce=text(one.get("reproduce")),
                evidence=place(one.get("evidence")),
            )
            found.setdefault((target.path, defect.id), defect)
    return tuple(
        sorted(found.values(), key=lambda one: (one.target, one.evidence.lines if one.evidence else (0, 0), one.id))
    )


def _findings(made: list[tuple[Mapping[str, Any], ReportTarget]]) -> tuple[ReportFinding, ...]:
    found = []
    for step, target in made:
        result = mapping(step.get("result"))
        said = rows(result.get("findings")) or rows(mapping(result.get("analysis")).get("findings"))
        found += [
            ReportFinding(
                failure_class=failure_class(one.get("class")),
                target=target.path,
                case_id=one.get("case_id") if isinstance(one.get("case_id"), str) else None,
                title=text(one.get("title")),
                detail=text(one.get("detail")),
                evidence=dict(mapping(one.get("evidence"))) or None,
            )
            for one in said
        ]
    return tuple(sorted(found, key=lambda one: (one.target, one.failure_class, one.case_id or "", one.title)))


def _files(
    plan: list[Mapping[str, Any]], given: list[Mapping[str, Any]], targets: tuple[ReportTarget, ...]
) -> tuple[WrittenFile, ...]:
    results = [mapping(step.get("result")) for step in plan if not text(step.get("type")).startswith(_GENERATES)]
    said = given or [row for result in results for row in rows(first(result, "files", "accepted"))]
    found = {
        target.test_path: WrittenFile(path=target.test_path, outcome="staged")
        for target in targets
        if target.test_path and target.kept
    }
    for one in said:
        outcome = next((known for known in _FILE_OUTCOMES if known == one.get("outcome")), "staged")
        found[text(one.get("path"))] = WrittenFile.model_validate(
            {"path": text(one.get("path")), "outcome": outcome, "reason": text(one.get("reason"))}
        )
    return tuple(found[path] for path in sorted(found))


def _skipped(understanding: Mapping[str, Any]) -> tuple[SkippedTarget, ...]:
    found = (
        SkippedTarget(target=text(row.get("target")), reason=text(row.get("reason")))
        for row in rows(understanding.get("skipped"))
    )
    return tuple(sorted(found, key=lambda one: (one.target, one.reason)))


def _not_understood(understanding: Mapping[str, Any]) -> tuple[NotUnderstood, ...]:
    return tuple(
        NotUnderstood(text=text(one["text"]), reason=text(one["reason"]), suggestions=words(one["suggestions"]))
        for one in (
            {"text": "", "reason": "", "suggestions": (), **(one if isinstance(one, Mapping) else {"text": one})}
            for one in items(understanding.get("not_understood"))
        )
    )
