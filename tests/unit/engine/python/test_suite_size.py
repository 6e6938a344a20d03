"""The size of a test file grows with the module: lines with its lines, functions with its callables (B-16)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from testwright.engine.python.judge import suite_size
from testwright.engine.python.judge.assertable_finding import AssertableFinding
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.judge.suite_size import BuiltCases, SizeLimits, fit_to_limits, limits_for
from testwright.engine.python.model.model import Observation, Trial, TrialFinding
from testwright.engine.python.model.spec_case import Case

pytestmark = pytest.mark.feature("B-16")


def test_a_small_module_may_have_more_test_lines_than_lines() -> None:
    assert limits_for(20).lines == 120
    assert limits_for(900).lines == 900


def test_each_of_many_callables_may_have_a_few_test_functions() -> None:
    assert limits_for(900, callables=10).functions == 80
    assert limits_for(900, callables=58).functions == 174


def finding(number: int, *arcs: int) -> AssertableFinding:
    seen = Observation("returned", arcs=frozenset((arc, arc + 1) for arc in arcs))
    return AssertableFinding(TrialFinding(Trial("f", f"f({number})"), seen), OracleVerdict())


def build(findings: Sequence[AssertableFinding]) -> BuiltCases:
    acts = [one.finding.trial.act for one in findings]
    return BuiltCases(tuple(acts), tuple(Case(act, "title", "f", act) for act in acts))


def written(cases: Sequence[Case]) -> str:
    return "\n".join(case.expression for case in cases)


def test_the_call_that_a_person_wrote_stands_for_its_callable_however_many_lines_it_takes() -> None:
    shown = Observation("returned", arcs=frozenset({(1, 2)}))
    act = "parse('a = 1; b = 2'" + ", 'words'" * 30 + ")"
    written_call = TrialFinding(Trial("parse", act, source="call_site"), shown)
    findings = [AssertableFinding(written_call, OracleVerdict()), *(finding(at, at + 10) for at in range(4))]

    kept = fit_to_limits(findings, build, written, SizeLimits(lines=4))

    assert act in kept.ids


def test_what_two_findings_show_is_worth_more_as_soon_as_one_of_them_is_dropped() -> None:
    findings = [finding(0, 1), finding(1, 2, 3), finding(2, 2, 3), finding(3, 4)]

    kept = fit_to_limits(findings, build, written, SizeLimits(functions=3))

    assert kept.ids == ("f(0)", "f(1)", "f(3)")
    assert fit_to_limits(findings, build, written, SizeLimits(functions=2)).ids == ("f(0)", "f(1)")


def test_the_lines_of_each_case_are_estimated_once_however_many_others_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    estimated: list[str] = []
    monkeypatch.setattr(suite_size, "_lines", lambda case, _members: estimated.append(case.id) or 1.0)
    findings = [finding(number, number) for number in range(40)]

    kept = fit_to_limits(findings, build, written, SizeLimits(functions=3))

    assert len(kept.ids) == 3
    assert len(estimated) == 2 * len(findings)  # once for the scale, once for the values
