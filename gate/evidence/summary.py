"""Summarizes a verification as one JSON object of bounded size: the answer of `run_tests` and `verify_suite`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ...utils.canonical import attributes
from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport
from ..model.trivial_results import TrivialSummary
from ..model.verdicts import CaseVerdict, Verification
from ..runner.baseline import CoverageBaseline
from .evidence import EvidenceRecord
from .uncovered_branches import uncovered_branches

LIMIT_BYTES = 120 * 1024
_TRACE = 1500
_SHORT = 200
_MUTANTS = 50
_NOTICING = 4
"""Tests that are named of those that notice a mutant."""


def tool_result(
    verification: Verification,
    *,
    evidence: Sequence[EvidenceRecord] = (),
    idle: Sequence[EvidenceRecord] = (),
    reasons: Mapping[str, str] | None = None,
    before: CoverageBaseline | None = None,
    target_path: str | None = None,
    sources: Mapping[str, str] | None = None,
    asked: Mapping[str, Set[int]] | None = None,
    limit_bytes: int = LIMIT_BYTES,
) -> dict[str, Any]:
    """The answer to `run_tests`.

    {"framework", "passed", "failed": counts of tests, "kept": [case ids], "dropped": [{case_id, nodeid, reason, class,
    message, longrepr}], "idle": those of tests that hold and add nothing, "tests": [{nodeid, case_id, name, outcome,
    seconds, evidence}], "coverage": {"before", "after", "source", "files"} or null, "mutation": counts, survivors and
    which kept cases notice which of the others, or null, "trivial": what trivial implementations of the functions say,
    or null, "repeats", "launches", "notes", "sandbox", "runner_version", "seconds"}

    A case is kept when every test of it is kept, and one of them adds something. `evidence` is the evidence record, its
    lines those of `target_path`.

    Args:
        idle: the records of tests that add nothing.
        reasons: why tests are idle, by node id, where there is another reason than that.
        before: what was covered without these tests.
        sources: texts of measured files, for the `uncovered_branches` of each file.
        asked: lines that were asked for, by file: coverage and mutants count in them only; None for whole files.
        limit_bytes: tracebacks, then evidence lines, then long messages are left out until the answer fits.
    """
    records = {record.nodeid: record for record in evidence}
    dropped = verification.dropped
    lost = {verdict.case_id for verdict in dropped if verdict.case_id}
    spare = {record.nodeid for record in idle}
    useful = {one.case_id for one in verification.kept if one.nodeid not in spare}
    left_out = {one.case_id: one for one in verification.kept if one.case_id and one.case_id not in useful | lost}
    lost |= left_out.keys()
    kept = [verdict.case_id for verdict in verification.kept if verdict.case_id and verdict.case_id not in lost]
    answer: dict[str, Any] = {
        "framework": verification.framework,
        "passed": len(verification.kept),
        "failed": len(dropped),
        "kept": list(dict.fromkeys(kept)),
        "dropped": [_dropped(verdict) for verdict in dropped],
        "idle": [_idle(verdict, verification, reasons or {}) for verdict in left_out.values()],
        "tests": [_test(verdict, records.get(verdict.nodeid), target_path) for verdict in verification.verdicts],
        "coverage": coverage_change(verification.kept_coverage(), before, sources, asked),
        "mutation": None if verification.mutation is None else _mutation(verification, set(kept), asked or {}),
        "trivial": None if verification.mutation is None else trivial_summary(verification.mutation),
        "repeats": verification.repeats,
        "launches": verification.launches,
        "notes": list(dict.fromkeys([*verification.notes, *(before.notes if before else ())])),
        **attributes(verification, "sandbox", "runner_version", "seconds"),
    }
    return _bounded(answer, limit_bytes)


def coverage_change(
    after: CoverageData | None,
    before: CoverageBaseline | None,
    sources: Mapping[str, str] | None = None,
    asked: Mapping[str, Set[int]] | None = None,
) -> dict[str, Any] | None:
    """Coverage before and with the kept tests, of the measured files; None when nothing was measured."""
    if after is None:
        return None
    earlier = before.coverage.only(after.files) if before is not None else None
    whole = after if earlier is None else earlier.united(after)
    total, lines = whole.within(asked or {}), asked or {}
    measured = earlier is not None and before is not None and before.source != "nothing"
    files = total.to_dict()["files"]
    for path, source in (sources or {}).items():
        with suppress(SyntaxError, KeyError):  # not measured after all, or no Python
            rows = [branch.to_dict() for branch in uncovered_branches(whole.files[path], source)]
            files[path]["not_taken"] = [row for row in rows if path not in lines or row["line"] in lines[path]]
    return {
        "before": earlier.within(lines).totals() if measured and earlier is not None else None,
        "after": total.totals(),
        "source": before.source if before is not None else "nothing",
        "files": files,
    }


def mutation_summary(report: MutationReport) -> dict[str, Any]:
    """A measurement by mutants without the mutants that were noticed: counts, survivors, what was set aside, notes."""
    return {
        **report.counts(),
        "survivors": [_mutant(result) for result in report.results if result.status in ("survived", "uncovered")],
        "set_aside": [_mutant(result) for result in report.results if result.status == "equivalent"],
        "notes": list(report.notes),
    }


def trivial_summary(report: MutationReport) -> dict[str, Any]:
    """What trivial implementations say: counts of functions, and those with survivors or left out, in source order."""
    return {
        **asdict(TrivialSummary.of(report.functions)),
        "rows": [one.to_dict() for one in report.functions if one.survivors or one.left_out],
    }


def _mutation(verification: Verification, kept: Set[str], asked: Mapping[str, Set[int]]) -> dict[str, Any]:
    """`mutation_summary` with the mutants that kept cases notice, as `noticed`."""
    report = (verification.mutation or MutationReport()).within(asked)
    cases = {verdict.nodeid: verdict.case_id for verdict in verification.kept if verdict.case_id in kept}
    noticed = []
    for result in report.results:
        by = list(dict.fromkeys(cases[nodeid] for nodeid in result.killed_by if nodeid in cases))
        if by:
            shown = {
                key: value for key, value in _mutant(result).items() if key in ("path", "line", "operator", "after")
            }
            noticed.append({**shown, "noticed_by": by[:_NOTICING], "tests": len(by)})
    return {**mutation_summary(report), "noticed": noticed}


def _mutant(one: MutantResult) -> dict[str, Any]:
    shown = one.to_dict()
    return {key: shown[key] for key in ("path", "line", "operator", "before", "after", "status", "rule")}


def _dropped(verdict: CaseVerdict) -> dict[str, Any]:
    return {
        "case_id": verdict.case_id,
        "nodeid": verdict.nodeid,
        "test_path": verdict.path,
        "verdict": verdict.verdict,
        "class": verdict.failure_class,
        "reason": verdict.reason,
        "message": verdict.message,
        "longrepr": verdict.trace[-_TRACE:],
    }


def _idle(verdict: CaseVerdict, verification: Verification, reasons: Mapping[str, str]) -> dict[str, Any]:
    tried = 0 if verification.mutation is None else verification.mutation.tried
    reason = reasons.get(verdict.nodeid) or (
        f"it covers nothing that other kept tests do not cover, and of {tried} mutants notices none that they do not"
    )
    return {"case_id": verdict.case_id, "nodeid": verdict.nodeid, "reason": reason, "class": "redundant"}


def _test(verdict: CaseVerdict, record: EvidenceRecord | None, path: str | None) -> dict[str, Any]:
    return {
        **attributes(verdict, "nodeid", "case_id", "name"),
        "outcome": verdict.verdict,
        "seconds": verdict.seconds,
        "evidence": record.to_dict(path) if record else None,
    }


def _bounded(answer: dict[str, Any], limit: int) -> dict[str, Any]:
    shorten = (
        _without_traces,
        _without_noticed,
        _with_fewer_mutants,
        _without_lines,
        _with_short_texts,
        _without_passed_tests,
    )
    left_out = []
    for step in shorten:
        if len(json.dumps(answer)) <= limit:
            break
        left_out.append(step(answer))
    if left_out:
        answer["notes"] = [*answer["notes"], f"left out to keep the answer small: {', '.join(left_out)}"]
    return answer


def _without_traces(answer: dict[str, Any]) -> str:
    for one in answer["dropped"]:
        one["longrepr"] = ""
    return "tracebacks"


def _without_noticed(answer: dict[str, Any]) -> str:
    if answer["mutation"]:
        answer["mutation"]["noticed"] = []
    return "which tests notice which mutant"


def _with_fewer_mutants(answer: dict[str, Any]) -> str:
    for name in ("survivors", "set_aside") if answer["mutation"] else ():
        answer["mutation"][name] = answer["mutation"][name][:_MUTANTS]
    if answer["trivial"]:
        answer["trivial"]["rows"] = answer["trivial"]["rows"][:_MUTANTS]
    return f"mutants and functions beyond {_MUTANTS}"


def _without_lines(answer: dict[str, Any]) -> str:
    for test in answer["tests"]:
        if test["evidence"]:
            test["evidence"]["lines"] = []
    for file in ((answer["coverage"] or {}).get("files") or {}).values():
        file.pop("missing", None)
        file.pop("missing_branches", None)
        file.pop("not_taken", None)
    return "covered and missing lines"


def _with_short_texts(answer: dict[str, Any]) -> str:
    for one in answer["dropped"]:
        one["reason"], one["message"] = one["reason"][:_SHORT], one["message"][:_SHORT]
    return "the ends of long messages"


def _without_passed_tests(answer: dict[str, Any]) -> str:
    answer["tests"] = [test for test in answer["tests"] if test["outcome"] != "kept"]
    return "the list of kept tests"
