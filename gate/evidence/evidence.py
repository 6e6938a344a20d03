"""Builds the evidence record of each kept test: coverage, additions, repetitions, and the origin of its expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model.classify import cases_by_id
from ..model.coverage_data import Branch, CoverageData
from ..model.verdicts import CaseVerdict, Verification

_ORIGINS = ("documented", "inferred", "observed")
_NEGATED = "not result"
_TRUTH = {"True": True, "False": False}
_COMPARING = {"__eq__": True, "__ne__": False}
"""What a comparison answers of a result that is expected to equal a value."""


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """Why a test is worth keeping.

    Attributes:
        lines: lines it runs, by file; lines run at import are nobody's.
        branches: branches it takes, by file.
        new_lines, new_branches: what it adds to the tests before it, and to the coverage there was before all of them.
        own_branches: branches that no other kept test takes, by file.
        mutants_killed: None where mutants were not tried.
        reruns: passes after the first, in other orders, processes, hash seeds, on another day and in another zone.
        origins: where its expectations come from, strongest first.
        subject: the member it tests, where its spec is known.
        refuses: whether it expects an exception.
        critical: whether its spec says that it must not be missing.
        answer: which answer of a comparison or predicate it expects; None where it expects something else.
    """

    nodeid: str
    path: str
    case_id: str | None = None
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    branches: Mapping[str, tuple[Branch, ...]] = field(default_factory=dict)
    new_lines: int = 0
    new_branches: Mapping[str, tuple[Branch, ...]] = field(default_factory=dict)
    own_branches: Mapping[str, tuple[Branch, ...]] = field(default_factory=dict)
    mutants_killed: int | None = None
    reruns: int = 0
    origins: tuple[str, ...] = ()
    subject: str = ""
    refuses: bool = False
    critical: bool = False
    answer: bool | None = None

    @property
    def adds(self) -> bool:
        """Whether it adds coverage to the tests before it, or notices a mutant, be it that others do, too."""
        return bool(self.new_lines or self.new_branches or self.mutants_killed)

    def to_dict(self, path: str | None = None) -> dict[str, Any]:
        """JSON form; `lines` are those of one file, by default the only one or all files' together."""
        lines = self.lines.get(path, ()) if path else sorted({line for part in self.lines.values() for line in part})
        return {
            "lines": list(lines),
            "new_lines": self.new_lines,
            "branches": sum(len(part) for part in self.new_branches.values()),
            "own_branches": sum(len(part) for part in self.own_branches.values()),
            "mutants_killed": self.mutants_killed,
            "reruns": self.reruns,
            "origins": list(self.origins),
        }


def evidence_of(
    verification: Verification, *, spec: Mapping[str, Any] | None = None, before: CoverageData | None = None
) -> tuple[EvidenceRecord, ...]:
    """The records of the kept tests, in the order of collection.

    Args:
        spec: the spec the tests were written from, for the origins.
        before: coverage by the project's own tests; what they reach is nothing new.
    """
    coverage = verification.coverage or CoverageData()
    cases = cases_by_id(spec)
    reached = coverage.of_tests({""})
    known = reached if before is None else reached.united(before.only(coverage.files))
    takers = _takers(coverage, verification.kept)
    records = []
    for verdict in verification.kept:
        killed = None if verification.mutation is None else verification.mutation.kills.get(verdict.nodeid, 0)
        records.append(_record(verdict, cases.get(verdict.case_id or "", {}), killed, coverage, known, takers))
        known = known.united(coverage.of_tests({verdict.nodeid}))
    return tuple(records)


def _record(
    verdict: CaseVerdict,
    case: Mapping[str, Any],
    killed: int | None,
    coverage: CoverageData,
    known: CoverageData,
    takers: Mapping[tuple[str, Branch], int],
) -> EvidenceRecord:
    reach = coverage.of_test(verdict.nodeid)
    new_lines = 0
    new_branches, own_branches = {}, {}
    for path, part in reach.items():
        file = known.files[path]
        new_lines += len(part.lines - file.executed)
        fresh = sorted(part.branches - file.executed_branches)
        own = sorted(branch for branch in part.branches if takers.get((path, branch)) == 1)
        if fresh:
            new_branches[path] = tuple(fresh)
        if own:
            own_branches[path] = tuple(own)
    return EvidenceRecord(
        nodeid=verdict.nodeid,
        path=verdict.path,
        case_id=verdict.case_id,
        lines={path: tuple(sorted(part.lines)) for path, part in reach.items()},
        branches={path: tuple(sorted(part.branches)) for path, part in reach.items()},
        new_lines=new_lines,
        new_branches=new_branches,
        own_branches=own_branches,
        mutants_killed=killed,
        reruns=verdict.runs - 1,
        origins=_origins(case),
        subject=str(case.get("subject") or ""),
        refuses=any(one.get("kind") == "raises" for one in case.get("expect", ())),
        critical=case.get("priority") == "critical",
        answer=_answer(case),
    )


def _takers(coverage: CoverageData, kept: Sequence[CaseVerdict]) -> dict[tuple[str, Branch], int]:
    counts: dict[tuple[str, Branch], int] = {}
    for verdict in kept:
        for path, part in coverage.of_test(verdict.nodeid).items():
            for branch in part.branches:
                counts[path, branch] = counts.get((path, branch), 0) + 1
    return counts


def _origins(case: Mapping[str, Any]) -> tuple[str, ...]:
    named = {one.get("origin") for one in case.get("expect", ())}
    return tuple(origin for origin in _ORIGINS if origin in named)


def _answer(case: Mapping[str, Any]) -> bool | None:
    """Which of the two answers of a comparison or predicate a case of a spec expects; None where it expects neither."""
    told = [one for one in case.get("expect", ()) if one.get("actual", "result") in ("result", _NEGATED)]
    if len(told) != 1:
        return None
    kind, value = told[0].get("kind"), str(told[0].get("value"))
    if kind == "holds":
        return told[0].get("actual") != _NEGATED
    if kind not in ("equals", "is"):
        return None
    member = str(case.get("subject") or "").rpartition(".")[2]
    return _TRUTH.get(value, _COMPARING.get(member) if kind == "equals" else None)
