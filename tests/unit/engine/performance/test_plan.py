"""Calls are timed that do the same work each time; the others are named with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from testwright.engine.performance.plan import subjects_of
from testwright.engine.python.judge.assertable_finding import AssertableFinding
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.model.model import (
    CallableFacts,
    Exploration,
    ModuleFacts,
    Observation,
    Trial,
    TrialFinding,
    Value,
)
from testwright.engine.python.model.spec_case import SpecExpectation

FACTS = ModuleFacts("shop.py", "shop", ".", "0" * 64, functions=(CallableFacts("total", "function", (1, 2)),))
SIX = Value("int", "6")
PLAIN = Observation("returned", value=SIX)


def chosen(observation, expectation):
    return planned(observation, expectation, FACTS, "total")


def planned(observation, expectation, facts, subject):
    finding = TrialFinding(Trial(subject, "total([1, 2, 3])"), observation)
    judged = [AssertableFinding(finding, OracleVerdict((expectation,)))]
    return subjects_of(Exploration(facts), judged, {})


@pytest.mark.feature("T-20")
def test_a_call_that_returns_a_value_is_measured_for_cost_and_growth():
    (subject,), reasons = chosen(PLAIN, SpecExpectation("equals", value="6"))
    assert [job.kind for job in subject.jobs()] == ["cost", "growth", "growth"]
    assert reasons == {}


@pytest.mark.parametrize(
    ("observation", "expectation", "reason"),
    [
        (replace(PLAIN, effects=(("items", SIX),)), SpecExpectation("equals", value="6"), "changes what it is given"),
        (PLAIN, SpecExpectation("is", value="table"), "changes what it is given"),
        (replace(PLAIN, output="6\n"), SpecExpectation("equals", value="6"), "prints"),
        (PLAIN, SpecExpectation("is", value="None"), "trivial implementation"),
    ],
)
def test_what_would_measure_something_else_is_left_out_with_the_reason(observation, expectation, reason):
    subjects, reasons = chosen(observation, expectation)
    assert subjects == []
    assert reason in reasons["total"]


def test_constructors_and_special_methods_are_named_with_the_reason():
    special = CallableFacts("__len__", "method", (3, 4))
    facts = replace(FACTS, functions=(special,))
    subjects, reasons = planned(PLAIN, SpecExpectation("equals", value="6"), facts, "__len__")
    assert subjects == []
    assert "special methods" in reasons["__len__"]
