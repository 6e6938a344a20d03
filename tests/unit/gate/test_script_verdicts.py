"""Every file that is given to Jest gets a verdict."""

from __future__ import annotations

import pytest

from testwright.gate.evidence.evidence import EvidenceRecord
from testwright.gate.runner.jest import ScriptRun
from testwright.gate.verify.scripts import _first_verdicts, _with_missing
from testwright.mcp.toolbox.script_runs import idle_tests
from testwright.sandbox.javascript.jest import JestTest

pytestmark = pytest.mark.feature("T-20")


def test_a_file_without_a_result_is_an_error():
    run = ScriptRun((JestTest("a.test.js", "a works", "passed"),), lost={})
    found = _first_verdicts(_with_missing(run, ["a.test.js", "b.test.js"]), {}, frozenset())
    assert [(one.path, one.verdict) for one in found.values()] == [("a.test.js", "kept"), ("b.test.js", "error")]


def test_a_function_of_one_line_keeps_its_first_tests_although_they_add_nothing():
    spec = {"cases": [{"id": f"tc_{name}", "subject": name[:-1]} for name in ("a1", "a2", "a3", "b1", "b2", "b3")]}
    killed = {"b2": 1}
    rows = [
        EvidenceRecord(name, "m.test.js", f"tc_{name}", mutants_killed=killed.get(name, 0))
        for name in ("a1", "a2", "a3", "b1", "b2", "b3")
    ]
    assert [one.nodeid for one in idle_tests(rows, spec)] == ["a3", "b1", "b3"]


def test_a_file_that_does_not_load_is_told_with_the_error_and_not_with_the_heading():
    said = "  ● Test suite failed to run\n\n    a.test.ts:12:27 - error TS2345: Argument of type 'string'\n"
    [verdict] = _first_verdicts(ScriptRun(lost={"a.test.ts": said}), {}, frozenset()).values()
    assert "error TS2345" in verdict.reason
