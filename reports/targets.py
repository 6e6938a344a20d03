"""One target of the report from its plan step, whose result has the fields of `TestingAgentState`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from .model import (
    Attempts,
    Coverage,
    CoverageChange,
    DroppedCase,
    FailureClass,
    Mutation,
    NotReached,
    ReportEvidence,
    ReportExpectation,
    ReportMutant,
    ReportTarget,
)
from .operations import operation_of, operations_of, statuses_of
from .reading import count, failure_class, first, items, mapping, place, rows, text, words


def target_of(step: Mapping[str, Any], dropped_later: Iterable[Mapping[str, Any]], *, analysed: bool) -> ReportTarget:
    """The target of a generate step.

    Args:
        step: a `PlanStep`.
        dropped_later: what the verification of all tests together dropped.
    """
    params, result = mapping(step.get("params")), mapping(step.get("result"))
    about = {**mapping(params.get("target")), **mapping(result.get("target_info"))}
    spec, results = mapping(first(result, "spec_json", "spec")), mapping(result.get("test_results"))
    executed = bool(first(result, "executed") if "executed" in result else results)
    test_path = text(first(result, "test_path") or params.get("test_path"))
    lost = [*rows(first(result, "dropped") or results.get("dropped")), *_lost_here(dropped_later, test_path)]
    kept = _kept(result, results, spec, executed=executed, lost=lost)
    return ReportTarget(
        path=text(about.get("path") or result.get("target") or params.get("path")),
        module=text(about.get("module")),
        test_type=text(params.get("test_type") or result.get("test_type") or "unit"),
        status=_status(step),
        error=text(step.get("error_message") or mapping(result.get("failure")).get("message")),
        spec_path=text(first(result, "spec_path") or params.get("spec_path")),
        test_path=test_path,
        framework=text(first(result, "framework") or params.get("framework") or spec.get("framework")),
        cases=len(rows(spec.get("cases"))),
        execution="executed" if executed else "not executed",
        kept=kept,
        dropped=_dropped(lost, spec),
        coverage=_coverage(results.get("coverage")),
        mutation=_mutation(results.get("mutation")),
        operations=operations_of(spec, kept),
        not_reached=_not_reached(rows(spec.get("not_reached"))),
        not_taken=_not_reached(_not_taken(spec, results)),
        attempts=_attempts(result, spec),
        evidence=_evidence(kept, spec, results),
        analysis=_analysis(result.get("analysis")) if analysed else "",
        notes=tuple(sorted({*words(result.get("warnings")), *words(results.get("notes"))})),
    )


def _status(step: Mapping[str, Any]) -> Literal["completed", "failed", "skipped", "pending"]:
    found = step.get("status")
    return found if found in ("completed", "failed", "skipped") else "pending"


def _analysis(found: Any) -> str:
    return text(mapping(found).get("summary") if isinstance(found, Mapping) else found)


def _lost_here(dropped: Iterable[Mapping[str, Any]], test_path: str) -> list[Mapping[str, Any]]:
    found = []
    for one in dropped:
        where = text(first(one, "test_path", "path")) or text(one.get("nodeid")).partition("::")[0]
        if where and where == test_path:
            found.append(one)
    return found


def _kept(
    result: Mapping[str, Any],
    results: Mapping[str, Any],
    spec: Mapping[str, Any],
    *,
    executed: bool,
    lost: list[Mapping[str, Any]],
) -> tuple[str, ...]:
    said = first(result, "kept") if "kept" in result else results.get("kept")
    if said is None or (not executed and not said):
        written = bool(first(result, "generated_code_path", "generated_files"))
        said = [row.get("id") for row in rows(spec.get("cases"))] if written and not executed else []
    gone = {one.get("case_id") for one in lost}
    return tuple(sorted({text(item) for item in items(said) if item and item not in gone}))


def _dropped(lost: list[Mapping[str, Any]], spec: Mapping[str, Any]) -> tuple[DroppedCase, ...]:
    titles = {row.get("id"): text(row.get("title")) for row in rows(spec.get("cases"))}
    found = {
        text(one.get("case_id")) or text(one.get("nodeid")): DroppedCase(
            case_id=text(one.get("case_id")) or text(one.get("nodeid")),
            title=text(one.get("title")) or titles.get(one.get("case_id"), ""),
            reason=text(one.get("reason")) or "no reason was given",
            failure_class=failure_class(one.get("class")),
            message=text(one.get("message")),
        )
        for one in lost
    }
    return tuple(found[case] for case in sorted(found))


def _attempts(result: Mapping[str, Any], spec: Mapping[str, Any]) -> Attempts:
    # The state counts refinements; the report counts generations, of which there is none when the step never got there.
    written = first(result, "generated_code_path", "generated_files")
    spec_made = bool(spec) or bool(result.get("spec_errors"))
    code_made = bool(written) or bool(result.get("code_errors"))
    return Attempts(
        spec=count(result.get("spec_attempts")) + (1 if spec_made else 0),
        code=count(result.get("code_attempts")) + (1 if code_made else 0),
    )


def _coverage(found: Any) -> CoverageChange:
    given = mapping(found)
    if "before" in given or "after" in given:
        return CoverageChange(
            before=_counts(given.get("before")), after=_counts(given.get("after")), source=text(given.get("source"))
        )
    return CoverageChange(before=_counts(given.get("baseline")), after=_counts(given))


def _counts(found: Any) -> Coverage | None:
    given = mapping(found)
    if not isinstance(given.get("statements"), int):
        return None
    return Coverage(
        statements=count(given["statements"]),
        covered=count(first(given, "covered", "covered_statements")),
        branches=count(given.get("branches")),
        covered_branches=count(given.get("covered_branches")),
    )


def _mutation(found: Any) -> Mutation | None:
    given = mapping(found)
    if not isinstance(given.get("sampled"), int):
        return None
    numbers = ("found", "sampled", "seed", "killed", "timeout", "survived", "uncovered", "equivalent", "untried")
    return Mutation(
        **{name: count(given.get(name)) for name in numbers},
        score=given.get("score"),
        survivors=_mutants(given.get("survivors")),
        set_aside=_mutants(given.get("set_aside")),
        notes=tuple(words(given.get("notes"))),
    )


def _mutants(found: Any) -> tuple[ReportMutant, ...]:
    return tuple(
        ReportMutant(
            path=text(row.get("path")),
            line=count(row.get("line")),
            operator=text(row.get("operator")),
            before=text(row.get("before")),
            after=text(row.get("after")),
            status=row["status"],
            rule=row.get("rule"),
        )
        for row in rows(found)
        if row.get("status") in ("survived", "uncovered", "equivalent")
    )


def _not_reached(told: Iterable[Mapping[str, Any]]) -> tuple[NotReached, ...]:
    found = [
        NotReached(subject=text(one.get("subject")), reason=text(one.get("reason")), line=count(one.get("line")))
        for one in told
    ]
    return tuple(sorted(found, key=lambda one: (one.line, one.subject, one.reason)))


def _not_taken(spec: Mapping[str, Any], results: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What the kept tests never ran, of all callables but those of which the spec says why they have none."""
    known = {row.get("subject") for row in rows(spec.get("not_reached"))}
    measured = mapping(mapping(results.get("coverage")).get("files")).values()
    return [row for file in measured for row in rows(mapping(file).get("not_taken")) if row.get("subject") not in known]


def _evidence(kept: tuple[str, ...], spec: Mapping[str, Any], results: Mapping[str, Any]) -> tuple[ReportEvidence, ...]:
    cases = {text(row.get("id")): row for row in rows(spec.get("cases"))}
    tests: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows(results.get("tests")):
        tests.setdefault(text(row.get("case_id")), []).append(row)
    return tuple(_evidence_of(case, cases.get(case, {}), tests.get(case, []), results) for case in kept)


def _evidence_of(
    case_id: str, case: Mapping[str, Any], tests: list[Mapping[str, Any]], results: Mapping[str, Any]
) -> ReportEvidence:
    records = [{**test, **mapping(test.get("evidence"))} for test in tests]
    lines = {count(line) for record in records for line in items(first(record, "lines", "lines_covered"))}
    branches = [count(record["branches"]) for record in records if isinstance(record.get("branches"), int)]
    killed = [count(record["mutants_killed"]) for record in records if isinstance(record.get("mutants_killed"), int)]
    reruns = [count(record["reruns"]) for record in records if isinstance(record.get("reruns"), int)]
    return ReportEvidence(
        case_id=case_id,
        title=text(case.get("title")),
        subject=text(case.get("subject")) or operation_of(case) or _last_component(case),
        priority=text(case.get("priority")),
        tests=tuple(sorted(text(test.get("nodeid")) for test in tests)),
        lines=tuple(sorted(lines)),
        branches=sum(branches) if branches else None,
        mutants_killed=sum(killed) if killed else None,
        reruns=min(reruns) if reruns else count(results.get("repeats")),
        crosses=tuple(f"{text(row.get('from'))} → {text(row.get('to'))}" for row in rows(case.get("crosses"))),
        statuses=statuses_of(case),
        expectations=_expectations(case),
    )


def _last_component(case: Mapping[str, Any]) -> str:
    """Whom a flow calls last; empty for a case that is no flow."""
    steps = rows(mapping(case.get("act")).get("steps"))
    return text(steps[-1].get("component")) if steps else ""


def _expectations(case: Mapping[str, Any]) -> tuple[ReportExpectation, ...]:
    found = []
    for row in rows(case.get("expect")):
        origin = row.get("origin")
        if origin in ("documented", "inferred", "observed"):
            found.append(
                ReportExpectation(kind=text(row.get("kind")), origin=origin, evidence=place(row.get("evidence")))
            )
    return tuple(found)


def classes_of(step: Mapping[str, Any], target: ReportTarget) -> list[FailureClass]:
    """Classes of everything that kept a target from having tests: its dropped cases and how its step ended."""
    found: list[FailureClass] = [one.failure_class for one in target.dropped]
    ended = text(mapping(step.get("result")).get("exit_reason"))
    if ended in ("environment", "infrastructure", "tool_failure"):
        found.append("environment")
    elif ended in ("spec_exhausted", "code_exhausted", "agent_error", "handoff_violation"):
        found.append("test_defect")
    elif target.status == "failed" and not found:
        found.append("unknown")
    return found
