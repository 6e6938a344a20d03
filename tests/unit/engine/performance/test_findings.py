"""A callable without a test has a reason that is true of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.performance.findings import measured_calls
from testwright.engine.performance.plan import Subject
from testwright.engine.python.judge.assertable_finding import AssertableFinding
from testwright.engine.python.judge.oracle import OracleVerdict
from testwright.engine.python.model.model import CallableFacts, ModuleFacts, Observation, Trial, TrialFinding, Value
from testwright.engine.python.model.spec_case import SpecExpectation

FACTS = ModuleFacts("shop.py", "shop", ".", "0" * 64)
TOTAL = CallableFacts("total", "function", (1, 2))
FINDING = TrialFinding(Trial("total", "total(3)"), Observation("returned", value=Value("int", "6")))
PLAIN = Subject(TOTAL, AssertableFinding(FINDING, OracleVerdict((SpecExpectation("equals", value="6"),))))
CACHED = replace(PLAIN, cached=True, before=("total.cache_clear()",))
GROUPS = [[1e-3, 2e-5]] * 3
UNUSED: Any = None


@pytest.mark.parametrize(
    ("subject", "kind", "answer", "reason"),
    [
        (PLAIN, "cost", {"groups": [[0.5, 2e-5]] * 3}, "longer than 5 ms"),
        (PLAIN, "cost", {"problem": "ValueError: no"}, "could not be measured: ValueError"),
        (CACHED, "repeat", {"before": 1e-7, "first": 1e-4, "again": 9e-5, "groups": GROUPS}, "cache saves too little"),
        (CACHED, "repeat", {"before": 1e-7, "first": 0.9, "again": 1e-7, "groups": GROUPS}, "longer than 100 ms"),
        (replace(CACHED, before=()), "repeat", None, "how its cache is emptied"),
    ],
)
async def test_the_reason_is_what_the_measurement_says(monkeypatch, subject, kind, answer, reason):
    async def measure(*_, **__):
        return {} if answer is None else {f"total {kind}": answer}

    monkeypatch.setattr("testwright.engine.performance.findings.measure", measure)
    kept, reasons = await measured_calls(UNUSED, FACTS, [subject], seconds=1)
    assert kept == []
    assert reason in reasons["total"]


async def test_a_long_first_call_has_a_test_of_its_cache_without_a_limit_of_its_cost(monkeypatch):
    async def measure(*_, **__):
        return {"total repeat": {"before": 1e-7, "first": 0.05, "again": 1e-7, "groups": [[0.05, 2e-5]] * 3}}

    monkeypatch.setattr("testwright.engine.performance.findings.measure", measure)
    (kept,), _ = await measured_calls(UNUSED, FACTS, [CACHED], seconds=1)
    assert kept.repeat is not None
    assert kept.cost is None
