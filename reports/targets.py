"""Builds the report's targets from plan steps, whose results have the fields of `TestingAgentState`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .model import (
    Attempts,
    Coverage,
    CoverageChange,
    DroppedCase,
    FailureClass,
    Mutation,
    NoticedMutant,
    NotReached,
    ReportEvidence,
    ReportExpectation,
    ReportMutant,
    ReportTarget,
    SourceReference,
    Sources,
    Trivial,
    TrivialFunction,
    TrivialSurvivor,
    WrittenFile,
)
from .operations import operation_of, operations_of, statuses_of
from .reading import count, failure_class, items, mapping, part, parts, place, rows, text, words

Json = Mapping[str, Any]
_COMPLETED = re.compile(r"it is abstract: tested as `([^`]+)`")
_FIRST = "Access: "
"""Begins the note that comes before all others: why nobody can sign in, without which little can be tested."""


def target_of(step: Json, dropped_later: Iterable[Json], *, analysed: bool) -> ReportTarget:
    """Build the target of a generate step.

    Args:
        step: a `PlanStepState`.
        dropped_later: what the verification of all tests together dropped.
    """
    params, result = mapping(step.get("params")), mapping(step.get("result"))
    target = {**mapping(params.get("target")), **mapping(result.get("target_info"))}
    spec, results = mapping(result.get("spec_json")), mapping(result.get("test_results"))
    executed = bool(result.get("executed", results))
    test_path = text(result.get("test_path") or params.get("test_path"))
    lost = [*rows(result.get("dropped")), *_lost_here(dropped_later, test_path)]
    kept = _kept(result, results, spec, executed=executed, lost=lost)
    status = step.get("status")
    analysis = result.get("analysis")
    evidence = _evidence(kept, spec, results)
    missed, completed = _without_completed(parts(NotReached, spec.get("not_reached")), evidence)
    return ReportTarget(
        path=text(target.get("path") or result.get("target") or params.get("path")),
        module=text(target.get("module")),
        test_type=text(params.get("test_type") or "unit"),
        status=status if status in ("completed", "failed", "skipped") else "pending",
        error=text(step.get("error_message") or mapping(result.get("failure")).get("message")),
        spec_path=text(result.get("spec_path") or params.get("spec_path")),
        test_path=test_path,
        framework=text(result.get("framework") or params.get("framework") or spec.get("framework")),
        cases=len(rows(spec.get("cases"))),
        execution="executed" if executed else "not executed",
        kept=kept,
        dropped=_dropped(lost, spec),
        coverage=_coverage(mapping(results.get("coverage"))),
        missing_lines=_missing_lines(results, text(target.get("path"))),
        mutation=_mutation(mapping(results.get("mutation"))),
        trivial=_trivial(mapping(results.get("trivial"))),
        operations=operations_of(spec, kept),
        not_reached=_by_line(missed),
        not_taken=_by_line(parts(NotReached, _not_taken(spec, results))),
        attempts=_attempts(result, spec),
        evidence=evidence,
        analysis=text(analysis) if analysed else "",
        sources=_sources(mapping(result.get("evidence"))),
        notes=tuple(
            sorted({*_notes(result, results), *_set_aside(lost, kept, test_path), *completed}, key=_importance)
        ),
    )


def _without_completed(
    rows_missed: Sequence[NotReached], evidence: Sequence[ReportEvidence]
) -> tuple[tuple[NotReached, ...], list[str]]:
    """Leave out abstract members whose tests are those of the member that completes them; a note names these."""
    tested = {row.subject for row in evidence}
    found = {row.subject: match[1] for row in rows_missed if (match := _COMPLETED.match(row.reason))}
    through = {name: other for name, other in found.items() if other in tested}
    named = ", ".join(f"`{name}` as `{other}`" for name, other in through.items())
    notes = [f"Abstract members are tested by what completes them: {named}"] if named else []
    return tuple(row for row in rows_missed if row.subject not in through), notes


def _notes(result: Json, results: Json) -> list[str]:
    return [*words(result.get("warnings")), *words(results.get("notes"))]


def _set_aside(lost: Sequence[Json], kept: Sequence[str], test_path: str) -> list[str]:
    """Where a test file is that was written and of which nothing is kept."""
    ran = any(text(row.get("nodeid")) for row in lost)
    return (
        [f"No test of its file is kept; the file is in the run's folder: rejected/{test_path}"]
        if ran and not kept
        else []
    )


def _importance(note: str) -> tuple[bool, str]:
    return not note.startswith(_FIRST), note


Made = list[tuple[Json, ReportTarget]]
"""Generate steps, each with its target."""


def without_superseded_steps(made: Made) -> Made:
    """Leave out the steps that failed and whose work a later step has done: its target stands for both."""
    redone = {mapping(step.get("params")).get("redoes") for step, target in made if target.status == "completed"}
    return [(step, target) for step, target in made if step.get("id") not in redone]


def without_removed(made: Made, files: Sequence[WrittenFile]) -> tuple[Made, list[ReportTarget]]:
    """Leave out the steps whose test file the run has replaced by another; return these targets as well.

    A file about a whole module replaces one about a part of it, which an earlier step of the same run may have written.
    """
    removed = {file.path for file in files if file.outcome == "removed"}
    standing = [(step, target) for step, target in made if target.test_path not in removed]
    return standing, [target for _, target in made if target.test_path in removed]


def _sources(evidence: Json) -> Sources | None:
    """What the evidence loop found, or why there was none."""
    decision = mapping(evidence.get("decision"))
    if not decision:
        return None
    report = mapping(evidence.get("report"))
    return Sources(
        collected=bool(decision.get("runs")),
        reason=text(decision.get("reason")),
        exit_reason=text(evidence.get("exit_reason")),
        rounds=count(evidence.get("rounds")),
        summary=text(report.get("summary")),
        findings=words(report.get("findings")),
        questions=words(report.get("questions")),
        references=parts(SourceReference, report.get("references")),
    )


def _lost_here(dropped: Iterable[Json], test_path: str) -> list[Json]:
    """Select the rows about a test file: those that name it, or whose node id does."""
    found = [(row, text(row.get("test_path")) or text(row.get("nodeid")).partition("::")[0]) for row in dropped]
    return [row for row, path in found if path and path == test_path]


def _kept(result: Json, results: Json, spec: Json, *, executed: bool, lost: list[Json]) -> tuple[str, ...]:
    # A step that was cut off has no `kept` of its own yet; the last results of its tests have.
    kept = result["kept"] if "kept" in result else results.get("kept")
    if kept is None or (not executed and not kept):
        # Without a run of the tests, all that were written are kept.
        kept = [row.get("id") for row in rows(spec.get("cases"))] if _is_written(result) and not executed else []
    gone = {row.get("case_id") for row in lost}
    return tuple(sorted({text(case_id) for case_id in items(kept) if case_id and case_id not in gone}))


def _is_written(result: Json) -> bool:
    return bool(result.get("generated_code_path") or result.get("generated_files"))


def _dropped(lost: list[Json], spec: Json) -> tuple[DroppedCase, ...]:
    titles = {row.get("id"): text(row.get("title")) for row in rows(spec.get("cases"))}
    found: dict[str, DroppedCase] = {}
    for row in lost:
        case_id = text(row.get("case_id")) or text(row.get("nodeid"))
        found[case_id] = DroppedCase(
            case_id=case_id,
            title=text(row.get("title")) or titles.get(row.get("case_id"), ""),
            reason=text(row.get("reason")) or "no reason was given",
            failure_class=failure_class(row.get("class")),
            message=text(row.get("message")),
        )
    return tuple(found[case_id] for case_id in sorted(found))


def _attempts(result: Json, spec: Json) -> Attempts:
    # The state counts refinements; the report counts generations, of which there is none when the step never got there.
    spec_made = bool(spec) or bool(result.get("spec_errors"))
    code_made = _is_written(result) or bool(result.get("code_errors"))
    return Attempts(
        spec=count(result.get("spec_attempts")) + spec_made, code=count(result.get("code_attempts")) + code_made
    )


def _coverage(found: Json) -> CoverageChange:
    # Answers of other tool servers may have the counts of the end only.
    if "before" in found or "after" in found:
        before, after = part(Coverage, found.get("before")), part(Coverage, found.get("after"))
        return CoverageChange(before=before, after=after, source=text(found.get("source")))
    return CoverageChange(after=part(Coverage, found))


def _mutation(found: Json) -> Mutation | None:
    mutants = {name: parts(ReportMutant, found.get(name)) for name in ("survivors", "set_aside")}
    noticed = parts(NoticedMutant, found.get("noticed"))
    return part(Mutation, found, **mutants, noticed=noticed, notes=words(found.get("notes")))


def _missing_lines(results: Json, path: str) -> tuple[int, ...]:
    file = mapping(mapping(mapping(results.get("coverage")).get("files")).get(path))
    return tuple(sorted({count(line) for line in items(file.get("missing"))}))


def _trivial(found: Json) -> Trivial | None:
    functions = [{**row, "survivors": parts(TrivialSurvivor, row.get("survivors"))} for row in rows(found.get("rows"))]
    return part(Trivial, found, rows=parts(TrivialFunction, functions))


def _by_line(found: Iterable[NotReached]) -> tuple[NotReached, ...]:
    return tuple(sorted(found, key=lambda row: (row.line, row.subject, row.reason)))


def _not_taken(spec: Json, results: Json) -> list[Json]:
    """What the kept tests never ran, of all callables but those of which the spec says why they have none."""
    known = {row.get("subject") for row in rows(spec.get("not_reached"))}
    measured = mapping(mapping(results.get("coverage")).get("files")).values()
    return [row for file in measured for row in rows(mapping(file).get("not_taken")) if row.get("subject") not in known]


def _evidence(kept: tuple[str, ...], spec: Json, results: Json) -> tuple[ReportEvidence, ...]:
    cases = {text(row.get("id")): row for row in rows(spec.get("cases"))}
    tests: dict[str, list[Json]] = {}
    for row in rows(results.get("tests")):
        tests.setdefault(text(row.get("case_id")), []).append(row)
    return tuple(_evidence_of(case, cases.get(case, {}), tests.get(case, []), results) for case in kept)


def _evidence_of(case_id: str, case: Json, tests: list[Json], results: Json) -> ReportEvidence:
    records = [{**test, **mapping(test.get("evidence"))} for test in tests]
    branches, killed, reruns = (
        [count(record[name]) for record in records if isinstance(record.get(name), int)]
        for name in ("branches", "mutants_killed", "reruns")
    )
    return ReportEvidence(
        case_id=case_id,
        title=text(case.get("title")),
        subject=text(case.get("subject")) or operation_of(case) or _last_component(case),
        priority=text(case.get("priority")),
        tests=tuple(sorted(text(test.get("nodeid")) for test in tests)),
        lines=tuple(sorted({count(line) for record in records for line in items(record.get("lines"))})),
        branches=sum(branches) if branches else None,
        mutants_killed=sum(killed) if killed else None,
        reruns=min(reruns) if reruns else count(results.get("repeats")),
        crosses=tuple(f"{text(row.get('from'))} → {text(row.get('to'))}" for row in rows(case.get("crosses"))),
        statuses=statuses_of(case),
        expectations=parts(
            ReportExpectation, [{**row, "evidence": place(row.get("evidence"))} for row in rows(case.get("expect"))]
        ),
    )


def _last_component(case: Json) -> str:
    """The component that a flow calls last; empty for a case that is no flow."""
    steps = rows(mapping(case.get("act")).get("steps"))
    return text(steps[-1].get("component")) if steps else ""


def classes_of(step: Json, target: ReportTarget) -> list[FailureClass]:
    """List the failure classes of what kept a target from having tests: its dropped cases and how its step ended."""
    found: list[FailureClass] = [case.failure_class for case in target.dropped]
    ended = text(mapping(step.get("result")).get("exit_reason"))
    if ended in ("environment", "infrastructure", "tool_failure", "model_quota", "model_rate_limit"):
        found.append("environment")
    elif ended in ("spec_exhausted", "code_exhausted", "agent_error", "model_refused", "handoff_violation"):
        found.append("test_defect")
    elif target.status == "failed" and not found:
        found.append("unknown")
    return found
